/* SPDX-License-Identifier: BSD-2-Clause */
#include "service/session.h"

#include "engine/ctr.h"
#include "zeroize.h"

struct cl_session *cl_session_find(struct cl_sessions *sessions, uint32_t id)
{
	const uint32_t place = (id & ((1u << CL_SESSION_PLACE_BITS) - 1)) - 1;

	if (place >= CL_SESSIONS) {
		return NULL;
	}
	struct cl_session *const session = &sessions->session[place];

	return session->id == id ? session : NULL;
}

bool cl_session_owned(const struct cl_session *session, const struct cl_session_owner *owner)
{
	return ((session->owner.peer ^ owner->peer) | (session->owner.token ^ owner->token)) == 0;
}

uint32_t cl_sessions_of_others(const struct cl_sessions *sessions, uint64_t peer)
{
	uint32_t count = 0;

	for (size_t i = 0; i < CL_SESSIONS; i++) {
		const struct cl_session *const session = &sessions->session[i];

		count += cl_session_is_open(session) && session->owner.peer != peer;
	}
	return count;
}

static bool is_active(const struct cl_sessions *sessions, const struct cl_session *session)
{
	return cl_session_is_open(session) &&
	       sessions->now - session->used_at < CL_SESSION_ACTIVE_CYCLES;
}

/**
 * Returns the IPv4 address of the session's peer, which is part of the peer's number. Returns 0 if
 * the peer is on a UART.
 */
static uint32_t address_of(const struct cl_session *session)
{
	return (uint32_t)(session->owner.peer >> 16);
}

bool cl_session_may_spend(const struct cl_sessions *sessions, struct cl_session *session)
{
	const struct cl_session *const all = sessions->session;
	uint32_t addresses = 0;
	uint32_t own = 0;

	for (size_t i = 0; i < CL_SESSIONS; i++) {
		size_t first = 0;

		if (!is_active(sessions, &all[i])) {
			continue;
		}
		while (!is_active(sessions, &all[first]) ||
		       address_of(&all[first]) != address_of(&all[i])) {
			first++;
		}
		addresses += first == i;
		own += address_of(&all[i]) == address_of(session);
	}
	return cl_budget_fill(&session->budget, sessions->counter, addresses * own,
			      CL_SESSION_MOST) ||
	       addresses == 1;
}

static uint16_t refuse(uint32_t *detail, uint16_t code, uint32_t value)
{
	*detail = value;
	return code;
}

uint16_t cl_session_data(struct cl_session *session, const struct cl_platform *platform,
			 uint64_t offset, uint64_t sum, bool last, const uint8_t *in, uint8_t *out,
			 size_t len, uint32_t *detail)
{
	struct cl_window *const window = &session->stream->window;
	const uint32_t record_bytes = session->request.record_bytes;
	const uint64_t length = session->request.length;
	const bool gcm = cl_session_is_gcm(session);
	/*
	 * Number of data bytes, without the tag of a record to decrypt. The number is negative if
	 * the data of such a record are shorter than a tag.
	 */
	const int32_t text = (int32_t)(len - session->request_tag);
	const uint64_t rest = length - offset;
	const uint32_t most = rest < record_bytes ? (uint32_t)rest : record_bytes;
	uint8_t counter[CL_BLOCK_BYTES];

	/* A record at the end of the stream must be empty, and is allowed only in GCM. */
	if (offset >= length + gcm || text > (int32_t)most || offset % CL_BLOCK_BYTES != 0) {
		return refuse(detail, CL_WIRE_ERROR_OFFSET, record_bytes);
	}
	/*
	 * A stream has at most 2^36 bytes, so block numbers are less than 2^32. A 32-bit division
	 * is therefore enough, and the CPU has an instruction for it.
	 */
	const uint32_t block = (uint32_t)(offset / CL_BLOCK_BYTES);
	const uint32_t record = block / (record_bytes / CL_BLOCK_BYTES);

	if (record * (record_bytes / CL_BLOCK_BYTES) != block) {
		return refuse(detail, CL_WIRE_ERROR_OFFSET, record_bytes);
	}
	if (gcm) {
		return cl_session_message(session, platform, offset, sum, 2 * record + last, in,
					  out, text, detail);
	}
	const enum cl_window_verdict verdict = cl_window_judge(window, record, sum);

	if (verdict == CL_WINDOW_OUTSIDE) {
		return refuse(detail, CL_WIRE_ERROR_WINDOW, window->records);
	}
	if (verdict == CL_WINDOW_OTHER) {
		return refuse(detail, CL_WIRE_ERROR_OTHER_DATA, 0);
	}
	cl_ctr_counter(counter, session->iv, block);
	const uint32_t begin = cl_platform_cycles(platform);
	const int status =
		session->engine->ctr(session->engine, &session->key, counter, in, out, len);
	const uint32_t cycles = cl_platform_cycles(platform) - begin;

	if (status != 0) {
		return refuse(detail, CL_WIRE_ERROR_HARDWARE, (uint32_t)-status);
	}
	if (verdict == CL_WINDOW_NEW) {
		cl_window_accept(window, record, sum);
	}
	session->stat.bytes += len;
	session->stat.blocks += (len + CL_BLOCK_BYTES - 1) / CL_BLOCK_BYTES;
	session->stat.cycles += cycles;
	session->stat.records++;
	return 0;
}

void cl_session_touch(struct cl_sessions *sessions, struct cl_session *session)
{
	session->used_at = sessions->now;
}

void cl_session_update(struct cl_sessions *sessions, struct cl_session *session)
{
	struct cl_server_work work;

	if (!session->served) {
		return;
	}
	session->server->report(session->server, &session->key, &work);
	if (work.records != session->stat.records) {
		cl_session_touch(sessions, session);
	}
	session->stat.bytes = work.bytes;
	session->stat.blocks = work.blocks;
	session->stat.records = work.records;
}

void cl_session_close(struct cl_session *session, const struct cl_platform *platform)
{
	bool known = true;

	if (session->served) {
		known = session->server->finish(session->server, &session->key,
						&session->stream->window) == 0;
	}
	if (session->server != NULL) {
		session->server->clear(session->server, &session->key);
	} else {
		session->engine->clear(session->engine, &session->key);
	}
	if (session->stream != NULL) {
		cl_streams_end(platform->streams, session->stream, known);
	}
	if (session->link != NULL) {
		session->link->reserve(session->link, cl_session_place(session), false);
	}
	cl_zeroize(session, sizeof(*session));
	cl_platform_forget(platform);
}

void cl_sessions_close_owner(struct cl_sessions *sessions, const struct cl_platform *platform,
			     const struct cl_session_owner *owner)
{
	for (size_t i = 0; i < CL_SESSIONS; i++) {
		struct cl_session *const session = &sessions->session[i];

		if (cl_session_is_open(session) && cl_session_owned(session, owner)) {
			cl_session_close(session, platform);
		}
	}
}

void cl_sessions_tick(struct cl_sessions *sessions, const struct cl_platform *platform)
{
	const uint32_t counter = cl_platform_cycles(platform);

	sessions->now += counter - sessions->counter;
	sessions->counter = counter;
}

void cl_sessions_close_idle(struct cl_sessions *sessions, const struct cl_platform *platform)
{
	for (size_t i = 0; platform->session_idle_cycles != 0 && i < CL_SESSIONS; i++) {
		struct cl_session *const session = &sessions->session[i];

		if (!cl_session_is_open(session)) {
			continue;
		}
		cl_session_update(sessions, session);
		if (sessions->now - session->used_at >= platform->session_idle_cycles) {
			cl_session_close(session, platform);
		}
	}
}
