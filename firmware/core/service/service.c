#include "service/service.h"

#include <errno.h>
#include <stdbool.h>

#include "service/exchange.h"
#include "links/record.h"
#include "zeroize.h"

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
	cl_handler *handle;
	/** Bytes of data that the record must have. */
	uint16_t length;
	enum naming session;
} rules[] = {
	[CL_WIRE_TYPE_INFO] = {cl_handle_info, 0, ANY},
	[CL_WIRE_TYPE_OPEN] = {cl_handle_open, CL_WIRE_OPEN_REQUEST_SIZE, ANY},
	[CL_WIRE_TYPE_DATA] = {cl_handle_data, LENGTH_DATA, OWN},
	[CL_WIRE_TYPE_CLOSE] = {cl_handle_close, 0, ANY},
	[CL_WIRE_TYPE_STAT] = {cl_handle_stat, 0, OWN},
	[CL_WIRE_TYPE_BENCH] = {cl_handle_bench, CL_WIRE_BENCH_REQUEST_SIZE, ANY},
	[CL_WIRE_TYPE_SELFTEST] = {cl_handle_selftest, CL_WIRE_SELFTEST_REQUEST_SIZE, ANY},
	[CL_WIRE_TYPE_RESET] = {cl_handle_reset, 0, ANY},
	[CL_WIRE_TYPE_COUNTERS] = {cl_handle_counters, 0, ANY},
	[CL_WIRE_TYPE_NETWORK] = {cl_handle_network, 0, OWN_OR_NONE},
	[CL_WIRE_TYPE_FASTPATH] = {cl_handle_fastpath, 0, ANY},
	[CL_WIRE_TYPE_MAC] = {cl_handle_mac, LENGTH_DATA, ANY},
};

/** Checks what every record must fulfil, then carries it out. */
static uint16_t carry_out(struct cl_exchange *exchange)
{
	const struct cl_wire_header *const header = &exchange->header;

	if (header->type >= sizeof(rules) / sizeof(rules[0]) ||
	    rules[header->type].handle == NULL) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_TYPE, header->type);
	}
	const struct rule *const rule = &rules[header->type];

	if (rule->length == LENGTH_DATA) {
		if (header->length > cl_exchange_max_data(exchange)) {
			return cl_exchange_refuse(exchange, CL_WIRE_ERROR_LENGTH,
						  cl_exchange_max_data(exchange));
		}
	} else if (header->length != rule->length) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_LENGTH, rule->length);
	}
	if (rule->session == OWN || (rule->session == OWN_OR_NONE && header->session != 0)) {
		struct cl_sessions *const sessions = &exchange->service->sessions;
		struct cl_session *const session = cl_session_find(sessions, header->session);

		if (session == NULL || !cl_session_owned(session, &exchange->owner)) {
			return cl_exchange_refuse(exchange, CL_WIRE_ERROR_SESSION, 0);
		}
		cl_session_touch(sessions, session);
		exchange->session = session;
		exchange->link->session = session->id;
	}
	return rule->handle(exchange);
}

int cl_service_init(struct cl_service *service, const struct cl_platform *platform)
{
	const struct cl_server *const server = platform->server;
	uint32_t engines = 0;

	if (platform->board == NULL || platform->firmware == NULL || platform->cycles == NULL ||
	    platform->engines == NULL || platform->max_data == 0 ||
	    platform->max_data % CL_BLOCK_BYTES != 0 || platform->streams == NULL ||
	    platform->identity == NULL ||
	    (platform->bench_buffer == NULL && platform->bench_bytes != 0)) {
		return -EINVAL;
	}
	for (size_t i = 0; i < platform->engine_count; i++) {
		const uint8_t code = platform->engines[i]->code;

		if (code >= 32 || (engines >> code & 1) != 0) {
			return -EINVAL;
		}
		engines |= UINT32_C(1) << code;
	}
	if (server != NULL && (server->code >= 32 || (engines >> server->code & 1) != 0 ||
			       server->window == 0 || server->window > CL_WINDOW_MAX)) {
		return -EINVAL;
	}
	memset(service, 0, sizeof(*service));
	memset(platform->streams, 0, sizeof(*platform->streams));
	service->platform = platform;
	service->sessions.counter = cl_platform_cycles(platform);
	service->looked_at = service->sessions.counter;
	const uint64_t eighth = platform->session_idle_cycles / 8;

	/* Half of what the counter holds, so that no turn of it is missed. */
	service->look_cycles = eighth != 0 && eighth < INT32_MAX ? (uint32_t)eighth : INT32_MAX;
	service->engines = engines;
	return 0;
}

/** Of a record that is not carried out, nothing stays. Apart: others shall fit few cache lines. */
static __attribute__((noinline)) void erase(const struct cl_service_place *record, size_t len)
{
	const size_t header = len < CL_WIRE_HEADER_SIZE ? len : CL_WIRE_HEADER_SIZE;

	cl_zeroize(record->header, header);
	cl_zeroize(record->data, len - header);
}

size_t cl_service_carry_out(struct cl_service *service, struct cl_link *link,
			    const struct cl_service_place *record, size_t len,
			    const struct cl_service_place *reply, size_t room)
{
	struct cl_exchange exchange = {
		.service = service,
		.platform = service->platform,
		.link = link,
		.data = record->data,
		.reply_data = reply->data,
		.reply_room = room - CL_WIRE_HEADER_SIZE,
	};
	struct cl_wire_header *const header = &exchange.header;
	uint16_t code = CL_WIRE_ERROR_VERSION;

	link->session = 0;
	link->engine_cycles = 0;
	link->copy_cycles = 0;
	if (room < CL_SERVICE_RECORD_MAX((size_t)cl_exchange_max_data(&exchange))) {
		return 0;
	}
	cl_sessions_tick(&service->sessions, service->platform);
	switch (cl_record_parse(header, record->header, len)) {
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
		erase(record, len);
		return 0;
	case -EMSGSIZE:
		link->counters.length_errors++;
		erase(record, len);
		return 0;
	default: /* a reply */
		link->counters.rejected++;
		erase(record, len);
		return 0;
	}
	if (code != 0) {
		link->counters.rejected++;
		erase(record, len);
		return cl_record_error(reply->header, reply->data, header, code, exchange.detail);
	}
	return cl_record_reply(reply->header, header, exchange.reply_length);
}

void cl_service_look(struct cl_service *service)
{
	cl_sessions_tick(&service->sessions, service->platform);
	service->looked_at = service->sessions.counter;
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
