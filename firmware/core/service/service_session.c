/* SPDX-License-Identifier: BSD-2-Clause */
#include "links/copy_sum.h"
#include "service/exchange.h"
#include "zeroize.h"

/**
 * Returns the largest number of data bytes in a record for a session that uses the engine or server
 * with code @p engine. The fast path and the firmware have different limits.
 */
static uint16_t max_data_of_engine(const struct cl_exchange *exchange, uint8_t engine)
{
	const struct cl_server *const server = cl_exchange_server(exchange);
	struct cl_wire_fastpath_reply there = {0};

	if (server == NULL || server->code != engine) {
		return cl_exchange_max_data(exchange);
	}
	exchange->link->fast_path(exchange->link, &there);
	return there.max_data;
}

uint16_t cl_handle_open(struct cl_exchange *exchange)
{
	struct cl_sessions *const sessions = &exchange->service->sessions;
	struct cl_wire_open_request request;
	struct cl_session *session = NULL;
	const uint32_t opened = sessions->opened;
	uint16_t code;

	const uint8_t engine = exchange->data[CL_WIRE_OPEN_REQUEST_ENGINE];
	const bool gcm = (exchange->data[CL_WIRE_OPEN_REQUEST_FLAGS] & CL_WIRE_FLAG_GCM) != 0;
	const uint32_t engines =
		gcm ? exchange->service->gcm_engines : cl_exchange_engines(exchange);

	if (engine >= 32 || (engines >> engine & 1) == 0) {
		cl_zeroize(exchange->data, CL_WIRE_OPEN_REQUEST_SIZE);
		cl_platform_forget(exchange->platform);
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_ENGINE, engine);
	}
	cl_wire_get_open_request(&request, exchange->data);
	cl_zeroize(exchange->data, CL_WIRE_OPEN_REQUEST_SIZE);
	code = cl_session_open(sessions, exchange->platform, &exchange->owner, &request,
			       max_data_of_engine(exchange, engine), &session, &exchange->detail);
	cl_zeroize(&request, sizeof(request));
	exchange->link->counters.sessions_opened += sessions->opened - opened;
	if (code != 0) {
		cl_platform_forget(exchange->platform);
		return code;
	}
	if (sessions->opened != opened && exchange->link->reserve != NULL) {
		session->link = exchange->link;
		session->link->reserve(session->link, cl_session_place(session), true);
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

/**
 * Copies data from the link's memory to its staging buffer or back, and counts the cycles that this
 * takes.
 */
static void copy(const struct cl_exchange *exchange, uint8_t *to, const uint8_t *from, size_t len)
{
	const uint32_t begin = cl_platform_cycles(exchange->platform);

	(void)cl_copy_sum(to, from, len);
	exchange->link->copy_cycles += cl_platform_cycles(exchange->platform) - begin;
}

uint16_t cl_handle_data(struct cl_exchange *exchange)
{
	struct cl_session *const session = exchange->session;
	const uint16_t len = exchange->header.length;

	if (session->server != NULL) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_ELSEWHERE, session->server->code);
	}
	struct cl_link *const link = exchange->link;
	const uint64_t cycles = session->stat.cycles;
	const uint64_t sum = link->summed ? link->sum : cl_window_sum(exchange->data, len);
	const bool staged = link->staging != NULL && !session->anywhere;
	const uint8_t *in = exchange->data;
	uint8_t *out = exchange->reply_data;

	exchange->reply_length = (uint16_t)(len - session->request_tag + session->reply_tag);
	if (staged) {
		in = out = link->staging;
		copy(exchange, out, exchange->data, len);
	}
	const uint16_t code = cl_session_data(session, exchange->platform, exchange->header.offset,
					      sum, exchange->header.type == CL_WIRE_TYPE_DATA_LAST,
					      in, out, len, &exchange->detail);
	if (code != 0) {
		cl_zeroize(out, len);
	} else if (staged) {
		copy(exchange, exchange->reply_data, out, exchange->reply_length);
	}
	link->engine_cycles = (uint32_t)(session->stat.cycles - cycles);
	return code;
}

uint16_t cl_handle_data_last(struct cl_exchange *exchange)
{
	if (!cl_session_is_gcm(exchange->session)) {
		return cl_exchange_refuse(exchange, CL_WIRE_ERROR_TYPE, CL_WIRE_TYPE_DATA_LAST);
	}
	return cl_handle_data(exchange);
}

uint16_t cl_handle_close(struct cl_exchange *exchange)
{
	/* If the session is closed already, the host has repeated its request: report success. */
	if (exchange->session == NULL) {
		return 0;
	}
	cl_session_close(exchange->session, exchange->platform);
	cl_zeroize(exchange->reply_data, exchange->reply_room);
	return 0;
}

uint16_t cl_handle_stat(struct cl_exchange *exchange)
{
	cl_session_update(&exchange->service->sessions, exchange->session);
	struct cl_wire_stat_reply reply = exchange->session->stat;

	if (exchange->session->shared) {
		reply.cycles = reply.key_cycles = 0;
	}
	cl_wire_put_stat_reply(exchange->reply_data, &reply);
	exchange->reply_length = CL_WIRE_STAT_REPLY_SIZE;
	return 0;
}

uint16_t cl_handle_reset(struct cl_exchange *exchange)
{
	cl_sessions_close_owner(&exchange->service->sessions, exchange->platform, &exchange->owner);
	cl_zeroize(exchange->reply_data, exchange->reply_room);
	return 0;
}
