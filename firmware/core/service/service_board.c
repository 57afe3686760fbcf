/* SPDX-License-Identifier: BSD-2-Clause */
#include "service/bench.h"
#include "service/build_id.h"
#include "service/exchange.h"
#include "service/selftest.h"
#include "service/version.h"

/**
 * Copies a name, or its first 16 bytes, into a field of 16 bytes. The caller has filled the field
 * with zeros.
 */
static void put_name(uint8_t to[16], const char *from)
{
	for (size_t i = 0; i < 16 && from[i] != '\0'; i++) {
		to[i] = (uint8_t)from[i];
	}
}

uint16_t cl_handle_info(struct cl_exchange *exchange)
{
	const struct cl_platform *const platform = exchange->platform;
	struct cl_wire_info_reply info = {
		.magic = CL_SERVICE_MAGIC,
		.kind = platform->kind,
		.max_sessions = CL_SESSIONS,
		.max_data = cl_exchange_max_data(exchange),
		.firmware_version = CL_VERSION,
		.clock_hz = platform->clock_hz,
		.rx_window = exchange->link->rx_window != 0 ? exchange->link->rx_window
							    : platform->rx_window,
		.engines = cl_exchange_engines(exchange),
		.bench_bytes = platform->bench_bytes,
		.ranges = CL_RANGES,
		.ranges_free = (uint16_t)cl_ranges_free(&platform->streams->ranges),
		.modes = 1u << CL_WIRE_MODE_CTR | 1u << CL_WIRE_MODE_GCM,
		.gcm_engines = exchange->service->gcm_engines,
	};

	put_name(info.board, platform->board);
	put_name(info.firmware, platform->firmware);
	memcpy(info.build_id, cl_build_id, sizeof(info.build_id));
	cl_wire_put_info_reply(exchange->reply_data, &info);
	exchange->reply_length = CL_WIRE_INFO_REPLY_SIZE;
	return 0;
}

uint16_t cl_exchange_begin_long(struct cl_exchange *exchange)
{
	struct cl_link *const link = exchange->link;
	const uint32_t others = cl_sessions_of_others(&exchange->service->sessions, link->peer);

	if (others != 0) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_BUSY, others);
	}
	if (link->network != NULL && link->strained == link->pauses + 1) {
		return CL_EXCHANGE_DROP;
	}
	link->strained = link->pauses + 1;
	return 0;
}

/**
 * Checks the mode in a request of type `bench` or `selftest`. Refuses a mode that the engine does
 * not support.
 */
static uint16_t check_mode(struct cl_exchange *exchange, const struct cl_engine *engine,
			   uint32_t mode)
{
	if (mode > CL_WIRE_MODE_GCM) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_VALUE, mode);
	}
	if (mode == CL_WIRE_MODE_GCM && (exchange->service->gcm_engines >> engine->code & 1) == 0) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_ENGINE, engine->code);
	}
	return 0;
}

uint16_t cl_handle_bench(struct cl_exchange *exchange)
{
	const struct cl_platform *const platform = exchange->platform;
	struct cl_wire_bench_request request;
	struct cl_wire_bench_reply result;

	cl_wire_get_bench_request(&request, exchange->data);
	const struct cl_engine *const engine = cl_platform_engine(platform, request.engine);

	if (engine == NULL) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_ENGINE, request.engine);
	}
	if (request.key_bits != 128 && request.key_bits != 192 && request.key_bits != 256) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_KEY_BITS, request.key_bits);
	}
	if (request.direction > 1) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_VALUE, request.direction);
	}
	const uint16_t refused = check_mode(exchange, engine, request.mode);

	if (refused != 0) {
		return refused;
	}
	if (request.record_bytes == 0 || request.record_bytes > platform->bench_bytes) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_VALUE, request.record_bytes);
	}
	const uint16_t busy = cl_exchange_begin_long(exchange);

	if (busy != 0) {
		return busy;
	}
	const int status = cl_bench_run(platform, engine, &request, &result);

	if (status != 0) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_HARDWARE, (uint32_t)-status);
	}
	cl_wire_put_bench_reply(exchange->reply_data, &result);
	exchange->reply_length = CL_WIRE_BENCH_REPLY_SIZE;
	return 0;
}

uint16_t cl_handle_selftest(struct cl_exchange *exchange)
{
	const uint32_t code = cl_load_u32(exchange->data + CL_WIRE_SELFTEST_REQUEST_ENGINE);
	const uint32_t mode = cl_load_u32(exchange->data + CL_WIRE_SELFTEST_REQUEST_MODE);
	const struct cl_engine *const engine = cl_platform_engine(exchange->platform, code);
	struct cl_wire_selftest_reply result;

	if (engine == NULL) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_ENGINE, code);
	}
	uint16_t refused = check_mode(exchange, engine, mode);

	if (refused == 0) {
		refused = cl_exchange_begin_long(exchange);
	}
	if (refused != 0) {
		return refused;
	}
	cl_selftest_run(exchange->platform, engine, mode == CL_WIRE_MODE_GCM, &result);
	cl_wire_put_selftest_reply(exchange->reply_data, &result);
	exchange->reply_length = CL_WIRE_SELFTEST_REPLY_SIZE;
	return 0;
}

uint16_t cl_handle_counters(struct cl_exchange *exchange)
{
	cl_wire_put_counters_reply(exchange->reply_data, &exchange->link->counters);
	exchange->reply_length = CL_WIRE_COUNTERS_REPLY_SIZE;
	return 0;
}

uint16_t cl_handle_network(struct cl_exchange *exchange)
{
	struct cl_link *const link = exchange->link;
	const struct cl_session *const session = exchange->session;

	if (link->network == NULL) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_TYPE, CL_WIRE_TYPE_NETWORK);
	}
	link->refresh(link);
	struct cl_wire_network_reply reply = *link->network;

	if (session != NULL && !session->shared) {
		reply.cycles = exchange->service->sessions.now - session->opened_at;
		reply.driver_cycles = session->cost.driver;
		reply.copy_cycles = session->cost.copy;
		reply.stack_cycles = session->cost.stack;
		reply.record_cycles = session->cost.record;
		reply.engine_cycles = session->stat.cycles;
	}
	cl_wire_put_network_reply(exchange->reply_data, &reply);
	exchange->reply_length = CL_WIRE_NETWORK_REPLY_SIZE;
	return 0;
}

uint16_t cl_handle_fastpath(struct cl_exchange *exchange)
{
	struct cl_wire_fastpath_reply reply = {0};

	if (exchange->link->fast_path == NULL) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_TYPE, CL_WIRE_TYPE_FASTPATH);
	}
	exchange->link->fast_path(exchange->link, &reply);
	cl_wire_put_fastpath_reply(exchange->reply_data, &reply);
	exchange->reply_length = CL_WIRE_FASTPATH_REPLY_SIZE;
	return 0;
}
