/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "engine/ctr.h"
#include "service/identity.h"
#include "service/session.h"
#include "zeroize.h"

_Static_assert(sizeof(struct cl_wire_open_request) == CL_WIRE_OPEN_REQUEST_SIZE,
	       "requests are compared whole, so they have no padding");

static uint64_t load_be64(const uint8_t *p)
{
	return (uint64_t)cl_ctr_swap(cl_load_u32(p)) << 32 | cl_ctr_swap(cl_load_u32(p + 4));
}

static uint16_t refuse(uint32_t *detail, uint16_t code, uint32_t value)
{
	*detail = value;
	return code;
}

static bool resumes(const struct cl_wire_open_request *request)
{
	return (request->flags & CL_WIRE_FLAG_RESUME) != 0;
}

static bool is_gcm(const struct cl_wire_open_request *request)
{
	return (request->flags & CL_WIRE_FLAG_GCM) != 0;
}

/** Computes the number of the stream's last record from the stream length in the request. */
static uint32_t last_record(const struct cl_wire_open_request *request)
{
	return request->length == 0 ? 0
				    : (uint32_t)((request->length - 1) / CL_BLOCK_BYTES) /
					      (request->record_bytes / CL_BLOCK_BYTES);
}

/** Checks all values of a request to open a session, except its engine. */
static uint16_t check(const struct cl_wire_open_request *request, uint32_t max_data,
		      uint32_t *detail)
{
	const bool gcm = is_gcm(request);
	uint8_t padding = 0;

	if (request->key_bits != 128 && request->key_bits != 192 && request->key_bits != 256) {
		return refuse(detail, CL_WIRE_ERROR_KEY_BITS, request->key_bits);
	}
	for (size_t i = request->key_bits / 8; i < sizeof(request->key); i++) {
		padding |= request->key[i];
	}
	if (padding != 0) {
		/* Do not report the wrong bytes in `detail`: these bytes could be part of a key. */
		return refuse(detail, CL_WIRE_ERROR_VALUE, 0);
	}
	if (request->direction > 1) {
		return refuse(detail, CL_WIRE_ERROR_VALUE, request->direction);
	}
	if ((request->flags & ~CL_WIRE_FLAG_GCM) > CL_WIRE_FLAG_DRAW) {
		return refuse(detail, CL_WIRE_ERROR_VALUE, request->flags);
	}
	if (request->length + gcm == 0 || request->length > CL_STREAM_BYTES_MAX) {
		return refuse(detail, CL_WIRE_ERROR_VALUE, (uint32_t)request->length);
	}
	if (request->record_bytes == 0 || request->record_bytes % CL_BLOCK_BYTES != 0 ||
	    request->record_bytes + gcm * CL_BLOCK_BYTES > max_data ||
	    request->record_bytes > max_data) {
		return refuse(detail, CL_WIRE_ERROR_VALUE, request->record_bytes);
	}
	if (gcm && request->length > (uint64_t)request->record_bytes
					     << CL_SESSION_GCM_RECORD_BITS) {
		return refuse(detail, CL_WIRE_ERROR_VALUE, (uint32_t)request->length);
	}
	if (gcm && (request->flags & CL_WIRE_FLAG_DRAW) == 0 &&
	    cl_load_u64(request->iv + CL_SESSION_PREFIX_BYTES) != 0) {
		return refuse(detail, CL_WIRE_ERROR_VALUE, 0);
	}
	if (request->reserved != 0) {
		return refuse(detail, CL_WIRE_ERROR_VALUE, request->reserved);
	}
	if (!resumes(request) && request->ticket != 0) {
		return refuse(detail, CL_WIRE_ERROR_VALUE, (uint32_t)request->ticket);
	}
	return 0;
}

/**
 * Returns the session that the owner has already opened with the same request, or NULL if there is
 * none. @p key_identity is the number that identifies the request's key.
 */
static struct cl_session *find_repeated(struct cl_sessions *sessions,
					const struct cl_session_owner *owner,
					const struct cl_wire_open_request *request,
					uint64_t key_identity)
{
	for (size_t i = 0; i < CL_SESSIONS; i++) {
		struct cl_session *const session = &sessions->session[i];

		if (cl_session_is_open(session) && cl_session_owned(session, owner) &&
		    session->key_identity == key_identity &&
		    memcmp(&session->request, request,
			   offsetof(struct cl_wire_open_request, key)) == 0) {
			return session;
		}
	}
	return NULL;
}

/**
 * Closes the session that still uses the stream to be resumed. The sender of @p request knows the
 * key and the ticket, so the sender owns the stream. The old session can still be open, for example
 * because the program that opened it was killed.
 */
static void end_holder(struct cl_sessions *sessions, const struct cl_platform *platform,
		       const struct cl_wire_open_request *request, uint64_t key_identity)
{
	for (size_t i = 0; i < CL_SESSIONS; i++) {
		struct cl_session *const session = &sessions->session[i];

		if (cl_session_is_open(session) && session->key_identity == key_identity &&
		    session->stream->ticket == request->ticket &&
		    session->stream->record_bytes == request->record_bytes &&
		    memcmp(session->iv, request->iv, sizeof(session->iv)) == 0) {
			cl_session_close(session, platform);
		}
	}
}

static struct cl_session *find_free(struct cl_sessions *sessions)
{
	for (size_t i = 0; i < CL_SESSIONS; i++) {
		if (!cl_session_is_open(&sessions->session[i])) {
			return &sessions->session[i];
		}
	}
	return NULL;
}

/** Begins or resumes the session's stream, and sets the session's initial counter block. */
static uint16_t take_stream(struct cl_session *session, const struct cl_platform *platform,
			    const struct cl_wire_open_request *request, uint32_t *detail)
{
	const uint32_t records =
		session->server != NULL ? session->server->window : CL_WINDOW_RECORDS;
	const uint64_t blocks = is_gcm(request)
					? ((uint64_t)last_record(request) + 1) << CL_STREAM_GCM_BITS
					: (request->length + CL_BLOCK_BYTES - 1) / CL_BLOCK_BYTES;
	struct cl_stream_name name = {
		.key = session->key_identity,
		.record_bytes = request->record_bytes,
	};
	uint64_t ticket = 0;
	int status;

	memcpy(session->iv, request->iv, sizeof(session->iv));
	if ((request->flags & CL_WIRE_FLAG_DRAW) != 0) {
		status = cl_identity_draw(platform, request->iv, session->iv);
		if (status != 0) {
			return refuse(detail, CL_WIRE_ERROR_RANDOM, (uint32_t)-status);
		}
		if (is_gcm(request)) {
			memset(session->iv + CL_SESSION_PREFIX_BYTES, 0,
			       CL_BLOCK_BYTES - CL_SESSION_PREFIX_BYTES);
		}
	}
	name.first.high = load_be64(session->iv);
	name.first.low = load_be64(session->iv + 8);
	if (resumes(request)) {
		status = cl_streams_resume(platform->streams, &name, request->ticket, blocks,
					   records, &session->stream);
	} else {
		status = cl_identity_ticket(platform, request->key, request->key_bits, session->iv,
					    session->id, &ticket);
		if (status != 0) {
			return refuse(detail, CL_WIRE_ERROR_HARDWARE, (uint32_t)-status);
		}
		status = cl_streams_begin(platform->streams, &name, blocks, records,
					  &session->stream);
	}
	switch (status) {
	case 0:
		break;
	case -ENOENT:
		return refuse(detail, CL_WIRE_ERROR_TICKET, 0);
	case -ENOSPC:
		return refuse(detail, CL_WIRE_ERROR_RANGES_FULL, CL_RANGES);
	default:
		return refuse(detail, CL_WIRE_ERROR_REUSED, 0);
	}
	if (!resumes(request)) {
		session->stream->ticket = ticket;
	}
	session->first = session->stream->window.first;
	return 0;
}

/**
 * Sets the session's key in the session's engine or server. If the session uses a server, the
 * server then begins to process the session's records.
 */
static int start(struct cl_session *session, const struct cl_platform *platform,
		 const struct cl_wire_open_request *request)
{
	const struct cl_engine *const engine = session->engine;
	const struct cl_server *const server = session->server;
	const uint32_t begin = cl_platform_cycles(platform);
	int status =
		server != NULL
			? server->set_key(server, &session->key, request->key, request->key_bits)
			: engine->set_key(engine, &session->key, request->key, request->key_bits);

	session->stat.key_cycles = cl_platform_cycles(platform) - begin;
	if (status != 0 || server == NULL) {
		return status;
	}
	const struct cl_server_client client = {
		.session = session->id,
		.token = session->owner.token,
		.peer = session->owner.peer,
		.iv = session->iv,
		.length = request->length,
		.record_bytes = request->record_bytes,
		.window = &session->stream->window,
	};

	status = server->serve(server, &session->key, &client);
	session->served = status == 0;
	return status;
}

/**
 * If other peers have sessions, marks the sessions of these peers and the new session as shared.
 * The owner of a shared session gets no cycle counts from the board.
 */
static void share(struct cl_sessions *sessions, struct cl_session *session)
{
	for (size_t i = 0; i < CL_SESSIONS; i++) {
		struct cl_session *const other = &sessions->session[i];

		if (cl_session_is_open(other) && other->owner.peer != session->owner.peer) {
			other->shared = session->shared = true;
		}
	}
}

/** Opens a session in a free entry of the table. */
static uint16_t begin(struct cl_session *session, struct cl_sessions *sessions,
		      const struct cl_platform *platform, const struct cl_session_owner *owner,
		      const struct cl_wire_open_request *request, uint64_t key_identity,
		      uint32_t *detail)
{
	const uint32_t place = (uint32_t)(session - sessions->session);

	session->engine = cl_platform_engine(platform, request->engine);
	session->server = session->engine == NULL ? platform->server : NULL;
	session->anywhere = session->server == NULL && session->engine->anywhere;
	if (is_gcm(request)) {
		session->anywhere = false;
		session->request_tag = request->direction != 0 ? CL_BLOCK_BYTES : 0;
		session->reply_tag = CL_BLOCK_BYTES - session->request_tag;
	}
	session->key_identity = key_identity;
	session->owner = *owner;
	session->used_at = session->opened_at = sessions->now;
	session->budget.filled_at = sessions->counter;
	session->id = (sessions->opened + 1) << CL_SESSION_PLACE_BITS | (place + 1);
	const uint16_t refused = take_stream(session, platform, request, detail);

	if (refused != 0) {
		return refused;
	}
	const int status = start(session, platform, request);

	if (status != 0) {
		return refuse(detail, CL_WIRE_ERROR_HARDWARE, (uint32_t)-status);
	}
	session->request = *request;
	cl_zeroize(session->request.key, sizeof(session->request.key));
	sessions->opened++;
	share(sessions, session);
	return 0;
}

uint16_t cl_session_open(struct cl_sessions *sessions, const struct cl_platform *platform,
			 const struct cl_session_owner *owner,
			 const struct cl_wire_open_request *request, uint32_t max_data,
			 struct cl_session **session, uint32_t *detail)
{
	uint64_t key_identity;
	const uint16_t refused = check(request, max_data, detail);

	if (refused != 0) {
		return refused;
	}
	const int status =
		cl_identity_key(platform, request->key, request->key_bits, &key_identity);

	if (status != 0) {
		return refuse(detail, CL_WIRE_ERROR_HARDWARE, (uint32_t)-status);
	}
	key_identity = (key_identity & ~CL_RANGE_GCM) | (is_gcm(request) ? CL_RANGE_GCM : 0);
	*session = find_repeated(sessions, owner, request, key_identity);
	if (*session != NULL) {
		cl_session_touch(sessions, *session);
		return 0;
	}
	if (resumes(request)) {
		end_holder(sessions, platform, request, key_identity);
	}
	cl_sessions_close_idle(sessions, platform);
	*session = find_free(sessions);
	if (*session == NULL) {
		return refuse(detail, CL_WIRE_ERROR_SESSIONS_FULL, CL_SESSIONS);
	}
	const uint16_t code =
		begin(*session, sessions, platform, owner, request, key_identity, detail);

	if (code != 0) {
		cl_session_close(*session, platform);
	}
	return code;
}
