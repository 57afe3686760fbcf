#include "service.h"

#include <errno.h>
#include <stdbool.h>

#include "bench.h"
#include "record.h"
#include "selftest.h"
#include "version.h"
#include "zeroize.h"

/** One record while it is carried out. */
struct exchange {
	struct cl_service *service;
	const struct cl_platform *platform;
	struct cl_link *link;
	struct cl_wire_header header;
	struct cl_session_owner owner;
	/** The session that the header names, where the record type needs one. */
	struct cl_session *session;
	/** The whole buffer of the reply. */
	uint8_t *reply;
	size_t reply_cap;
	/** Data of the record, and room for the data of the reply: the same where in place. */
	uint8_t *data;
	uint8_t *reply_data;
	/** Bytes of reply data. */
	uint16_t reply_length;
	/** What an error reply tells beside its code. */
	uint32_t detail;
};

/** Carries out one type of record: 0, or CL_WIRE_ERROR_* with `detail` set. */
typedef uint16_t handler(struct exchange *exchange);

static uint16_t refuse(struct exchange *exchange, uint16_t code, uint32_t detail)
{
	exchange->detail = detail;
	return code;
}

/** Copies a name of up to 16 bytes, padded with zeros. */
static void put_name(uint8_t to[16], const char *from)
{
	memset(to, 0, 16);
	for (size_t i = 0; i < 16 && from[i] != '\0'; i++) {
		to[i] = (uint8_t)from[i];
	}
}

/** Most data bytes of a record over this link. */
static uint16_t max_data(const struct exchange *exchange)
{
	return exchange->link->max_data != 0 ? exchange->link->max_data
					     : exchange->platform->max_data;
}

/** Engines that sessions of this link may have. */
static uint32_t engines(const struct exchange *exchange)
{
	const struct cl_service *const service = exchange->service;

	return exchange->link->fast_path != NULL ? service->engines
						 : service->engines & ~service->serving;
}

static uint16_t handle_info(struct exchange *exchange)
{
	const struct cl_platform *const platform = exchange->platform;
	struct cl_wire_info_reply info = {
		.magic = CL_SERVICE_MAGIC,
		.kind = platform->kind,
		.max_sessions = CL_SESSIONS,
		.max_data = max_data(exchange),
		.firmware_version = CL_VERSION,
		.clock_hz = platform->clock_hz,
		.rx_window = exchange->link->rx_window != 0 ? exchange->link->rx_window
							    : platform->rx_window,
		.engines = engines(exchange),
		.bench_bytes = platform->bench_bytes,
	};

	put_name(info.board, platform->board);
	put_name(info.firmware, platform->firmware);
	cl_wire_put_info_reply(exchange->reply_data, &info);
	exchange->reply_length = CL_WIRE_INFO_REPLY_SIZE;
	return 0;
}

static uint16_t handle_open(struct exchange *exchange)
{
	struct cl_sessions *const sessions = &exchange->service->sessions;
	struct cl_wire_open_request request;
	struct cl_session *session = NULL;
	const uint32_t opened = sessions->opened;

	cl_wire_get_open_request(&request, exchange->data);
	cl_zeroize(exchange->data, CL_WIRE_OPEN_REQUEST_SIZE);
	const bool offered = request.engine < 32 && (engines(exchange) >> request.engine & 1) != 0;
	const uint16_t code =
		offered ? cl_session_open(sessions, exchange->platform, &exchange->owner, &request,
					  &session, &exchange->detail)
			: refuse(exchange, CL_WIRE_ERROR_ENGINE, request.engine);

	cl_zeroize(&request, sizeof(request));
	exchange->link->counters.sessions_opened += sessions->opened - opened;
	if (code == 0) {
		exchange->header.session = session->id;
	} else {
		cl_platform_forget(exchange->platform);
	}
	return code;
}

static uint16_t handle_data(struct exchange *exchange)
{
	const uint64_t offset = exchange->header.offset;
	const uint16_t len = exchange->header.length;

	if (offset % CL_BLOCK_BYTES != 0 || offset + len < offset) {
		return refuse(exchange, CL_WIRE_ERROR_OFFSET, 0);
	}
	if (exchange->session->engine->ctr == NULL) {
		return refuse(exchange, CL_WIRE_ERROR_ELSEWHERE, exchange->session->engine->code);
	}
	const uint64_t cycles = exchange->session->stat.cycles;
	const int status = cl_session_data(exchange->session, exchange->platform, offset,
					   exchange->data, exchange->reply_data, len);

	exchange->link->engine_cycles += exchange->session->stat.cycles - cycles;
	if (status != 0) {
		return refuse(exchange, CL_WIRE_ERROR_HARDWARE, (uint32_t)-status);
	}
	exchange->reply_length = len;
	return 0;
}

static uint16_t handle_close(struct exchange *exchange)
{
	struct cl_session *const session =
		cl_session_find(&exchange->service->sessions, exchange->header.session);

	if (session == NULL) { /* closed before: the reply was lost */
		return 0;
	}
	if (!cl_session_owned(session, &exchange->owner)) {
		return refuse(exchange, CL_WIRE_ERROR_SESSION, 0);
	}
	cl_session_close(session, exchange->platform);
	cl_zeroize(exchange->reply, exchange->reply_cap);
	return 0;
}

static uint16_t handle_stat(struct exchange *exchange)
{
	cl_session_update(exchange->session, exchange->platform);
	cl_wire_put_stat_reply(exchange->reply_data, &exchange->session->stat);
	exchange->reply_length = CL_WIRE_STAT_REPLY_SIZE;
	return 0;
}

static uint16_t handle_bench(struct exchange *exchange)
{
	const struct cl_platform *const platform = exchange->platform;
	struct cl_wire_bench_request request;
	struct cl_wire_bench_reply result;

	cl_wire_get_bench_request(&request, exchange->data);
	const struct cl_engine *const engine = cl_platform_engine(platform, request.engine);

	if (engine == NULL || engine->ctr == NULL) {
		return refuse(exchange, CL_WIRE_ERROR_ENGINE, request.engine);
	}
	if (request.key_bits != 128 && request.key_bits != 192 && request.key_bits != 256) {
		return refuse(exchange, CL_WIRE_ERROR_KEY_BITS, request.key_bits);
	}
	if (request.direction > 1) {
		return refuse(exchange, CL_WIRE_ERROR_VALUE, request.direction);
	}
	if (request.record_bytes == 0 || request.record_bytes > platform->bench_bytes) {
		return refuse(exchange, CL_WIRE_ERROR_VALUE, request.record_bytes);
	}
	const int status = cl_bench_run(platform, engine, &request, &result);

	if (status != 0) {
		return refuse(exchange, CL_WIRE_ERROR_HARDWARE, (uint32_t)-status);
	}
	cl_wire_put_bench_reply(exchange->reply_data, &result);
	exchange->reply_length = CL_WIRE_BENCH_REPLY_SIZE;
	return 0;
}

static uint16_t handle_selftest(struct exchange *exchange)
{
	struct cl_wire_selftest_reply result;

	cl_selftest_run(exchange->platform, &result);
	cl_wire_put_selftest_reply(exchange->reply_data, &result);
	exchange->reply_length = CL_WIRE_SELFTEST_REPLY_SIZE;
	return 0;
}

static uint16_t handle_reset(struct exchange *exchange)
{
	cl_session_close_peer(&exchange->service->sessions, exchange->platform,
			      exchange->link->peer);
	cl_zeroize(exchange->reply, exchange->reply_cap);
	return 0;
}

static uint16_t handle_counters(struct exchange *exchange)
{
	cl_wire_put_counters_reply(exchange->reply_data, &exchange->link->counters);
	exchange->reply_length = CL_WIRE_COUNTERS_REPLY_SIZE;
	return 0;
}

static uint16_t handle_network(struct exchange *exchange)
{
	struct cl_link *const link = exchange->link;

	if (link->network == NULL) {
		return refuse(exchange, CL_WIRE_ERROR_TYPE, CL_WIRE_TYPE_NETWORK);
	}
	link->refresh(link);
	cl_wire_put_network_reply(exchange->reply_data, link->network);
	exchange->reply_length = CL_WIRE_NETWORK_REPLY_SIZE;
	return 0;
}

static uint16_t handle_fastpath(struct exchange *exchange)
{
	struct cl_wire_fastpath_reply reply = {0};

	if (exchange->link->fast_path == NULL) {
		return refuse(exchange, CL_WIRE_ERROR_TYPE, CL_WIRE_TYPE_FASTPATH);
	}
	exchange->link->fast_path(exchange->link, &reply);
	cl_wire_put_fastpath_reply(exchange->reply_data, &reply);
	exchange->reply_length = CL_WIRE_FASTPATH_REPLY_SIZE;
	return 0;
}

/** In place of a length: up to max_data. */
#define LENGTH_DATA UINT16_MAX

static const struct rule {
	handler *handle;
	/** Bytes of data that the record must have. */
	uint16_t length;
	/** The record must name a session of its sender. */
	bool in_session;
} rules[] = {
	[CL_WIRE_TYPE_INFO] = {handle_info, 0, false},
	[CL_WIRE_TYPE_OPEN] = {handle_open, CL_WIRE_OPEN_REQUEST_SIZE, false},
	[CL_WIRE_TYPE_DATA] = {handle_data, LENGTH_DATA, true},
	[CL_WIRE_TYPE_CLOSE] = {handle_close, 0, false},
	[CL_WIRE_TYPE_STAT] = {handle_stat, 0, true},
	[CL_WIRE_TYPE_BENCH] = {handle_bench, CL_WIRE_BENCH_REQUEST_SIZE, false},
	[CL_WIRE_TYPE_SELFTEST] = {handle_selftest, 0, false},
	[CL_WIRE_TYPE_RESET] = {handle_reset, 0, false},
	[CL_WIRE_TYPE_COUNTERS] = {handle_counters, 0, false},
	[CL_WIRE_TYPE_NETWORK] = {handle_network, 0, false},
	[CL_WIRE_TYPE_FASTPATH] = {handle_fastpath, 0, false},
};

/** Checks what every record must fulfil, then carries it out. */
static uint16_t carry_out(struct exchange *exchange)
{
	const struct cl_wire_header *const header = &exchange->header;

	if (header->type >= sizeof(rules) / sizeof(rules[0]) ||
	    rules[header->type].handle == NULL) {
		return refuse(exchange, CL_WIRE_ERROR_TYPE, header->type);
	}
	const struct rule *const rule = &rules[header->type];

	if (rule->length == LENGTH_DATA) {
		if (header->length > max_data(exchange)) {
			return refuse(exchange, CL_WIRE_ERROR_LENGTH, max_data(exchange));
		}
	} else if (header->length != rule->length) {
		return refuse(exchange, CL_WIRE_ERROR_LENGTH, rule->length);
	}
	if (rule->in_session) {
		exchange->session = cl_session_find(&exchange->service->sessions, header->session);
		if (exchange->session == NULL ||
		    !cl_session_owned(exchange->session, &exchange->owner)) {
			return refuse(exchange, CL_WIRE_ERROR_SESSION, 0);
		}
	}
	return rule->handle(exchange);
}

int cl_service_init(struct cl_service *service, const struct cl_platform *platform)
{
	uint32_t engines = 0;
	uint32_t serving = 0;

	if (platform->board == NULL || platform->firmware == NULL || platform->cycles == NULL ||
	    platform->engines == NULL || platform->max_data == 0 ||
	    platform->max_data % CL_BLOCK_BYTES != 0 ||
	    (platform->bench_buffer == NULL && platform->bench_bytes != 0)) {
		return -EINVAL;
	}
	for (size_t i = 0; i < platform->engine_count; i++) {
		const uint8_t code = platform->engines[i]->code;

		if (code >= 32 || (engines >> code & 1) != 0) {
			return -EINVAL;
		}
		engines |= UINT32_C(1) << code;
		serving |= (uint32_t)(platform->engines[i]->serve != NULL) << code;
	}
	memset(service, 0, sizeof(*service));
	service->platform = platform;
	service->engines = engines;
	service->serving = serving;
	return 0;
}

size_t cl_service_handle(struct cl_service *service, struct cl_link *link, uint8_t *record,
			 size_t len, uint8_t *reply, size_t reply_cap)
{
	struct exchange exchange = {
		.service = service,
		.platform = service->platform,
		.link = link,
		.reply = reply,
		.reply_cap = reply_cap,
		.data = record + CL_WIRE_HEADER_SIZE,
		.reply_data = reply + CL_WIRE_HEADER_SIZE,
	};
	struct cl_wire_header *const header = &exchange.header;
	uint16_t code = CL_WIRE_ERROR_VERSION;

	if (reply_cap < CL_SERVICE_RECORD_MAX(service->platform->max_data)) {
		return 0;
	}
	switch (cl_record_parse(header, record, len)) {
	case 0:
		link->counters.received++;
		exchange.owner.peer = link->peer;
		exchange.owner.token = header->token;
		code = carry_out(&exchange);
		break;
	case -EPROTONOSUPPORT:
		exchange.detail = CL_WIRE_VERSION;
		break;
	case -EBADMSG:
		link->counters.framing_errors++;
		cl_zeroize(record, len);
		return 0;
	case -EMSGSIZE:
		link->counters.length_errors++;
		cl_zeroize(record, len);
		return 0;
	default: /* a reply */
		link->counters.rejected++;
		cl_zeroize(record, len);
		return 0;
	}
	if (code != 0) {
		link->counters.rejected++;
		cl_zeroize(record, len);
		return cl_record_error(reply, header, code, exchange.detail);
	}
	return cl_record_reply(reply, header, exchange.reply_length);
}
