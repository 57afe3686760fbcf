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
		.ranges = CL_RANGES,
		.ranges_free = (uint16_t)cl_ranges_free(&platform->streams->ranges),
	};

	put_name(info.board, platform->board);
	put_name(info.firmware, platform->firmware);
	cl_wire_put_info_reply(exchange->reply_data, &info);
	exchange->reply_length = CL_WIRE_INFO_REPLY_SIZE;
	return 0;
}

/** Most data bytes of a record where those of a session with this engine go. */
static uint16_t max_data_of_engine(const struct exchange *exchange, uint8_t engine)
{
	struct cl_wire_fastpath_reply there = {0};

	if ((exchange->service->serving >> engine & 1) == 0) {
		return max_data(exchange);
	}
	exchange->link->fast_path(exchange->link, &there);
	return there.max_data;
}

static uint16_t handle_open(struct exchange *exchange)
{
	struct cl_sessions *const sessions = &exchange->service->sessions;
	struct cl_wire_open_request request;
	struct cl_session *session = NULL;
	const uint32_t opened = sessions->opened;
	uint16_t code;

	cl_wire_get_open_request(&request, exchange->data);
	cl_zeroize(exchange->data, CL_WIRE_OPEN_REQUEST_SIZE);
	if (request.engine < 32 && (engines(exchange) >> request.engine & 1) != 0) {
		code = cl_session_open(sessions, exchange->platform, &exchange->owner, &request,
				       max_data_of_engine(exchange, request.engine), &session,
				       &exchange->detail);
	} else {
		code = refuse(exchange, CL_WIRE_ERROR_ENGINE, request.engine);
	}
	cl_zeroize(&request, sizeof(request));
	exchange->link->counters.sessions_opened += sessions->opened - opened;
	if (code != 0) {
		return code;
	}
	struct cl_wire_open_reply reply = {
		.ticket = session->stream->ticket,
		.first = session->first * session->request.record_bytes,
		.window = session->stream->window.records,
	};

	memcpy(reply.iv, session->iv, sizeof(reply.iv));
	cl_wire_put_open_reply(exchange->reply_data, &reply);
	exchange->reply_length = CL_WIRE_OPEN_REPLY_SIZE;
	exchange->header.session = session->id;
	return 0;
}

static uint16_t handle_data(struct exchange *exchange)
{
	struct cl_session *const session = exchange->session;
	const uint16_t len = exchange->header.length;

	if (session->engine->ctr == NULL) {
		return refuse(exchange, CL_WIRE_ERROR_ELSEWHERE, session->engine->code);
	}
	const uint64_t cycles = session->stat.cycles;
	const uint16_t code =
		cl_session_data(session, exchange->platform, exchange->header.offset,
				exchange->data, exchange->reply_data, len, &exchange->detail);

	exchange->link->engine_cycles = (uint32_t)(session->stat.cycles - cycles);
	exchange->reply_length = len;
	return code;
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
	cl_session_update(&exchange->service->sessions, exchange->session);
	cl_wire_put_stat_reply(exchange->reply_data, &exchange->session->stat);
	exchange->reply_length = CL_WIRE_STAT_REPLY_SIZE;
	return 0;
}

/** Refuses what takes the board's time from a session of another peer. */
static uint16_t check_idle(struct exchange *exchange)
{
	const uint32_t others =
		cl_sessions_of_others(&exchange->service->sessions, exchange->link->peer);

	return others == 0 ? 0 : refuse(exchange, CL_WIRE_ERROR_BUSY, others);
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
	const uint16_t busy = check_idle(exchange);

	if (busy != 0) {
		return busy;
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
	const uint32_t code = cl_load_u32(exchange->data + CL_WIRE_SELFTEST_REQUEST_ENGINE);
	const struct cl_engine *const engine = cl_platform_engine(exchange->platform, code);
	struct cl_wire_selftest_reply result;

	if (engine == NULL || engine->ctr == NULL) {
		return refuse(exchange, CL_WIRE_ERROR_ENGINE, code);
	}
	const uint16_t busy = check_idle(exchange);

	if (busy != 0) {
		return busy;
	}
	cl_selftest_run(engine, &result);
	cl_wire_put_selftest_reply(exchange->reply_data, &result);
	exchange->reply_length = CL_WIRE_SELFTEST_REPLY_SIZE;
	return 0;
}

static uint16_t handle_reset(struct exchange *exchange)
{
	cl_sessions_close_owner(&exchange->service->sessions, exchange->platform, &exchange->owner);
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
	const struct cl_session *const session = exchange->session;

	if (link->network == NULL) {
		return refuse(exchange, CL_WIRE_ERROR_TYPE, CL_WIRE_TYPE_NETWORK);
	}
	link->refresh(link);
	struct cl_wire_network_reply reply = *link->network;

	if (session != NULL) {
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

/** Which session a record must name. */
enum naming {
	/** None, or any. */
	ANY,
	/** One of its sender's. */
	OWN,
	/** One of its sender's, or 0 for none. */
	OWN_OR_NONE,
};

static const struct rule {
	handler *handle;
	/** Bytes of data that the record must have. */
	uint16_t length;
	enum naming session;
} rules[] = {
	[CL_WIRE_TYPE_INFO] = {handle_info, 0, ANY},
	[CL_WIRE_TYPE_OPEN] = {handle_open, CL_WIRE_OPEN_REQUEST_SIZE, ANY},
	[CL_WIRE_TYPE_DATA] = {handle_data, LENGTH_DATA, OWN},
	[CL_WIRE_TYPE_CLOSE] = {handle_close, 0, ANY},
	[CL_WIRE_TYPE_STAT] = {handle_stat, 0, OWN},
	[CL_WIRE_TYPE_BENCH] = {handle_bench, CL_WIRE_BENCH_REQUEST_SIZE, ANY},
	[CL_WIRE_TYPE_SELFTEST] = {handle_selftest, CL_WIRE_SELFTEST_REQUEST_SIZE, ANY},
	[CL_WIRE_TYPE_RESET] = {handle_reset, 0, ANY},
	[CL_WIRE_TYPE_COUNTERS] = {handle_counters, 0, ANY},
	[CL_WIRE_TYPE_NETWORK] = {handle_network, 0, OWN_OR_NONE},
	[CL_WIRE_TYPE_FASTPATH] = {handle_fastpath, 0, ANY},
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
	if (rule->session == OWN || (rule->session == OWN_OR_NONE && header->session != 0)) {
		struct cl_sessions *const sessions = &exchange->service->sessions;
		struct cl_session *const session = cl_session_find(sessions, header->session);

		if (session == NULL || !cl_session_owned(session, &exchange->owner)) {
			return refuse(exchange, CL_WIRE_ERROR_SESSION, 0);
		}
		cl_session_touch(sessions, session);
		exchange->session = session;
		exchange->link->session = session->id;
	}
	return rule->handle(exchange);
}

int cl_service_init(struct cl_service *service, const struct cl_platform *platform)
{
	uint32_t engines = 0;
	uint32_t serving = 0;

	if (platform->board == NULL || platform->firmware == NULL || platform->cycles == NULL ||
	    platform->engines == NULL || platform->max_data == 0 ||
	    platform->max_data % CL_BLOCK_BYTES != 0 || platform->streams == NULL ||
	    platform->identity == NULL || platform->identity->ctr == NULL ||
	    (platform->bench_buffer == NULL && platform->bench_bytes != 0)) {
		return -EINVAL;
	}
	for (size_t i = 0; i < platform->engine_count; i++) {
		const struct cl_engine *const engine = platform->engines[i];
		const uint8_t code = engine->code;

		if (code >= 32 || (engines >> code & 1) != 0 ||
		    (engine->serve != NULL &&
		     (engine->window == 0 || engine->window > CL_WINDOW_MAX))) {
			return -EINVAL;
		}
		engines |= UINT32_C(1) << code;
		serving |= (uint32_t)(engine->serve != NULL) << code;
	}
	memset(service, 0, sizeof(*service));
	memset(platform->streams, 0, sizeof(*platform->streams));
	service->platform = platform;
	service->sessions.counter = cl_platform_cycles(platform);
	const uint64_t eighth = platform->session_idle_cycles / 8;

	/* Half of what the counter holds, so that no turn of it is missed. */
	service->poll_cycles = eighth != 0 && eighth < INT32_MAX ? (uint32_t)eighth : INT32_MAX;
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

	link->session = 0;
	link->engine_cycles = 0;
	if (reply_cap < CL_SERVICE_RECORD_MAX(service->platform->max_data)) {
		return 0;
	}
	cl_sessions_tick(&service->sessions, service->platform);
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

void cl_service_look(struct cl_service *service)
{
	cl_sessions_tick(&service->sessions, service->platform);
	cl_sessions_close_idle(&service->sessions, service->platform);
}

void cl_service_account(struct cl_service *service, const struct cl_link *link,
			const struct cl_session_cost *cost)
{
	struct cl_session *const session = cl_session_find(&service->sessions, link->session);

	if (session != NULL) {
		session->cost.driver += cost->driver;
		session->cost.copy += cost->copy;
		session->cost.stack += cost->stack;
		session->cost.record += cost->record;
	}
}
