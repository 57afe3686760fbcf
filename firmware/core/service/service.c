/* SPDX-License-Identifier: BSD-2-Clause */
#include "service/service.h"

#include <errno.h>
#include <stdbool.h>

#include "gcm/gcm.h"
#include "service/exchange.h"
#include "links/record.h"
#include "zeroize.h"

/** Value of `length` for a record type whose data can have any length up to max_data. */
#define LENGTH_DATA UINT16_MAX

/** Rule for the session number in a record's header. Each record type has one of these rules. */
enum __attribute__((packed)) naming {
	/** Records of this type need no session. The service ignores the session in the header. */
	ANY,
	/** The session must belong to the sender. */
	OWN,
	/** The session must belong to the sender, or be 0, which means no session. */
	OWN_OR_NONE,
	/** If a session with this number is open, it must belong to the sender. */
	OWN_OR_CLOSED,
};

static const struct rule {
	cl_handler *handle;
	/** Number of data bytes that the record must have. */
	uint16_t length;
	enum naming session;
} rules[] = {
	[CL_WIRE_TYPE_INFO] = {cl_handle_info, 0, ANY},
	[CL_WIRE_TYPE_OPEN] = {cl_handle_open, CL_WIRE_OPEN_REQUEST_SIZE, ANY},
	[CL_WIRE_TYPE_DATA] = {cl_handle_data, LENGTH_DATA, OWN},
	[CL_WIRE_TYPE_CLOSE] = {cl_handle_close, 0, OWN_OR_CLOSED},
	[CL_WIRE_TYPE_STAT] = {cl_handle_stat, 0, OWN},
	[CL_WIRE_TYPE_BENCH] = {cl_handle_bench, CL_WIRE_BENCH_REQUEST_SIZE, ANY},
	[CL_WIRE_TYPE_SELFTEST] = {cl_handle_selftest, CL_WIRE_SELFTEST_REQUEST_SIZE, ANY},
	[CL_WIRE_TYPE_RESET] = {cl_handle_reset, 0, ANY},
	[CL_WIRE_TYPE_COUNTERS] = {cl_handle_counters, 0, ANY},
	[CL_WIRE_TYPE_NETWORK] = {cl_handle_network, 0, OWN_OR_NONE},
	[CL_WIRE_TYPE_FASTPATH] = {cl_handle_fastpath, 0, ANY},
	[CL_WIRE_TYPE_DATA_LAST] = {cl_handle_data_last, LENGTH_DATA, OWN},
	[CL_WIRE_TYPE_MAC] = {cl_handle_mac, LENGTH_DATA, ANY},
	[CL_WIRE_TYPE_MACSEC] = {cl_handle_macsec, 0, ANY},
	[CL_WIRE_TYPE_PROTECT] = {cl_handle_macsec, CL_WIRE_PROTECT_REQUEST_SIZE, ANY},
	[CL_WIRE_TYPE_AGREE] = {cl_handle_macsec, CL_WIRE_AGREE_REQUEST_SIZE, ANY},
};

/*
 * cl_service_admits is not inlined, so that the code for data records occupies few cache lines. It
 * is called only for work that belongs to no session.
 */
__attribute__((noinline)) bool cl_service_admits(struct cl_service *service, uint64_t peer)
{
	return cl_sessions_of_others(&service->sessions, peer) == 0 ||
	       cl_budget_fill(&service->strangers, service->sessions.counter, CL_STRANGERS_PART,
			      CL_STRANGERS_MOST);
}

void cl_service_owe(struct cl_service *service, uint32_t cycles)
{
	if (cl_sessions_of_others(&service->sessions, 0) != 0) {
		cl_budget_owe(&service->strangers, cycles, CL_STRANGERS_MOST);
	}
}

/** Returns 0 if the record may use the CPU now, otherwise CL_EXCHANGE_DROP (service/budget.h). */
static __attribute__((noinline)) uint16_t admit(struct cl_exchange *exchange)
{
	struct cl_service *const service = exchange->service;
	const bool may = exchange->session == NULL
				 ? cl_service_admits(service, exchange->link->peer)
				 : cl_session_may_spend(&service->sessions, exchange->session);

	return may ? 0 : CL_EXCHANGE_DROP;
}

/** Checks that the record has the length and the session that its type requires. */
static uint16_t check(struct cl_exchange *exchange, const struct rule *rule, bool named)
{
	const struct cl_wire_header *const header = &exchange->header;
	const uint16_t most = cl_exchange_max_data(exchange);

	if (rule->handle == NULL) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_TYPE, header->type);
	}
	if (rule->length == LENGTH_DATA ? header->length > most : header->length != rule->length) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_LENGTH,
					  rule->length == LENGTH_DATA ? most : rule->length);
	}
	if (exchange->session == NULL && (named || rule->session == OWN ||
					  (rule->session == OWN_OR_NONE && header->session != 0))) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_SESSION, 0);
	}
	return 0;
}

/** Checks the conditions that all records must meet, then processes the record. */
static inline uint16_t carry_out(struct cl_exchange *exchange)
{
	const struct cl_wire_header *const header = &exchange->header;
	struct cl_sessions *const sessions = &exchange->service->sessions;
	const struct rule *const rule =
		&rules[header->type < sizeof(rules) / sizeof(rules[0]) ? header->type : 0];
	struct cl_session *const named =
		rule->session != ANY ? cl_session_find(sessions, header->session) : NULL;
	uint16_t code = 0;

	if (named != NULL && cl_session_owned(named, &exchange->owner)) {
		cl_session_touch(sessions, named);
		exchange->session = named;
		exchange->link->session = named->id;
	}
	if (exchange->session == NULL || exchange->session->shared) {
		code = admit(exchange);
	}
	if (code == 0) {
		code = check(exchange, rule, named != NULL);
	}
	return code == 0 ? rule->handle(exchange) : code;
}

int cl_service_init(struct cl_service *service, const struct cl_platform *platform)
{
	const struct cl_server *const server = platform->server;
	uint32_t engines = 0;
	uint32_t gcm_engines = 0;

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
		gcm_engines |= (uint32_t)cl_gcm_has(platform->engines[i]) << code;
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
	service->strangers.filled_at = service->sessions.counter;
	service->strangers.left = CL_STRANGERS_MOST;
	const uint64_t eighth = platform->session_idle_cycles / 8;

	/*
	 * Check the sessions at least once in INT32_MAX cycles, so that cl_sessions_tick misses no
	 * overflow of the 32-bit cycle counter.
	 */
	service->look_cycles = eighth != 0 && eighth < INT32_MAX ? (uint32_t)eighth : INT32_MAX;
	service->engines = engines;
	service->gcm_engines = gcm_engines;
	return 0;
}

/** Zeroizes a record that the service refuses. */
static void erase(const struct cl_service_place *record, size_t len)
{
	const size_t header = len < CL_WIRE_HEADER_SIZE ? len : CL_WIRE_HEADER_SIZE;

	cl_zeroize(record->header, header);
	cl_zeroize(record->data, len - header);
}

/**
 * Counts and zeroizes a record that the service refuses. Returns the length of the error reply in
 * bytes.
 */
static __attribute__((noinline)) size_t refuse(struct cl_exchange *exchange, int parsed,
					       uint16_t code, const struct cl_service_place *record,
					       size_t len, uint8_t *reply)
{
	struct cl_wire_counters_reply *const counters = &exchange->link->counters;

	if (parsed == -EPROTONOSUPPORT) {
		code = admit(exchange) == 0 ? CL_WIRE_ERROR_VERSION : CL_EXCHANGE_DROP;
		exchange->detail = CL_WIRE_VERSION;
	}
	counters->framing_errors += parsed == -EBADMSG;
	counters->length_errors += parsed == -EMSGSIZE;
	counters->rejected += parsed != -EBADMSG && parsed != -EMSGSIZE;
	erase(record, len);
	if (code == CL_EXCHANGE_DROP) {
		return 0;
	}
	return cl_record_error(reply, exchange->reply_data, &exchange->header, code,
			       exchange->detail);
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
	uint16_t code = CL_EXCHANGE_DROP;

	link->session = 0;
	link->engine_cycles = 0;
	link->copy_cycles = 0;
	if (room < CL_SERVICE_RECORD_MAX((size_t)cl_exchange_max_data(&exchange))) {
		return 0;
	}
	cl_sessions_tick(&service->sessions, service->platform);
	const int parsed = cl_record_parse(header, record->header, len);

	if (parsed == 0) {
		link->counters.received++;
		exchange.owner.peer = link->peer;
		exchange.owner.token = header->token;
		code = carry_out(&exchange);
	}
	if (code != 0) {
		return refuse(&exchange, parsed, code, record, len, reply->header);
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
	const uint32_t cycles = (uint32_t)cost->driver + (uint32_t)cost->copy +
				(uint32_t)cost->stack + (uint32_t)cost->record +
				link->engine_cycles;

	if (session == NULL) {
		cl_service_spend(service, cycles);
		return;
	}
	session->cost.driver += cost->driver;
	session->cost.copy += cost->copy;
	session->cost.stack += cost->stack;
	session->cost.record += cost->record;
	cl_budget_spend(&session->budget, cycles, CL_SESSION_MOST);
}
