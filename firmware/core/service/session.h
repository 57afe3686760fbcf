/**
 * @file
 * Sessions: who may use a key, and which counter blocks under it.
 *
 * A session has a stream (streams.h): its range of counter blocks is its own while it is open, what
 * was used of it stays used until power is cycled, and a block serves one record. So no two data
 * are encrypted or decrypted under one block and key, whatever sessions, directions and engines;
 * what is not known any more is what was used before power was cycled.
 */
#ifndef CL_SESSION_H
#define CL_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl_wire.h"
#include "engine/engine.h"
#include "service/budget.h"
#include "service/platform.h"
#include "streams/streams.h"

/** Sessions that can be open at once. */
#define CL_SESSIONS 8u
_Static_assert(CL_STREAMS >= CL_SESSIONS + 8, "windows of eight sessions are kept");
/** A session's place in the table is in the low bits of its number. */
#define CL_SESSION_PLACE_BITS 8
_Static_assert(CL_SESSIONS <= 1u << CL_SESSION_PLACE_BITS, "every place has a number");
/** A session that was used within so many cycles counts where the CPU is shared out. */
#define CL_SESSION_ACTIVE_CYCLES (1u << 23)
/** Most bytes of a stream. */
#define CL_STREAM_BYTES_MAX (UINT64_C(1) << 36)

/** Who a session belongs to. */
struct cl_session_owner {
	/** As in struct cl_link. */
	uint64_t peer;
	/** Chosen by the host at open. */
	uint64_t token;
};

/** Clock cycles that its records cost outside the engine, by the fields of record network. */
struct cl_session_cost {
	uint64_t driver;
	uint64_t copy;
	uint64_t stack;
	uint64_t record;
};

struct cl_session {
	struct cl_engine_key key;
	/** The request that opened it, without its key. */
	struct cl_wire_open_request request;
	/** Initial counter block, and what the key is recognised by. */
	uint8_t iv[CL_BLOCK_BYTES];
	uint64_t key_identity;
	struct cl_session_owner owner;
	struct cl_wire_stat_reply stat;
	struct cl_session_cost cost;
	/** What ciphers its records, or what takes them from the network: the other is NULL. */
	const struct cl_engine *engine;
	const struct cl_server *server;
	struct cl_stream *stream;
	/** Record that the window began with when the session was opened. */
	uint64_t first;
	/**
	 * Time when it was last used; where a server takes its records, when that was last seen to
	 * have done anything.
	 */
	uint64_t used_at;
	/** Time when it was opened. */
	uint64_t opened_at;
	/** What it may spend of the CPU while sessions of other addresses are active. */
	struct cl_budget budget;
	/** Number on the wire, not given again within 2^24 sessions; 0 while it is free. */
	uint32_t id;
	/** The server takes its records. */
	bool served;
	/** Another peer has had a session at the same time. */
	bool shared;
};

/** Every session of a board. Zero at power-on. */
struct cl_sessions {
	struct cl_session session[CL_SESSIONS];
	/** Cycles since power-on, and the cycle counter when they were brought up to date. */
	uint64_t now;
	uint32_t counter;
	/** Sessions ever opened. */
	uint32_t opened;
};

/**
 * Opens a session, or finds it again if the same request was carried out before for this owner.
 *
 * @param request   of an engine that this owner may have, its other values not checked; the caller
 *                  zeroizes it
 * @param max_data  most data bytes of a record where the session's records go
 * @param[out] session the session, if opened or found
 * @param[out] detail  what an error reply tells beside its code
 * @return 0 or CL_WIRE_ERROR_*
 */
uint16_t cl_session_open(struct cl_sessions *sessions, const struct cl_platform *platform,
			 const struct cl_session_owner *owner,
			 const struct cl_wire_open_request *request, uint32_t max_data,
			 struct cl_session **session, uint32_t *detail);

/** The open session of number @p id, whoever owns it; NULL if there is none. */
struct cl_session *cl_session_find(struct cl_sessions *sessions, uint32_t id);

/** Whether it is a session; if not, its place is free. */
static inline bool cl_session_is_open(const struct cl_session *session)
{
	return session->id != 0;
}

/** True if @p session belongs to @p owner. */
bool cl_session_owned(const struct cl_session *session, const struct cl_session_owner *owner);

/** How many sessions are open that belong to others than @p peer. */
uint32_t cl_sessions_of_others(const struct cl_sessions *sessions, uint64_t peer);

/**
 * Encrypts or decrypts a record of the session's stream, and counts it: once, and again only with
 * the same data.
 *
 * @param offset byte offset of @p in in the stream
 * @param sum    cl_window_sum of @p in
 * @param[out] detail what an error reply tells beside its code
 * @return 0 or CL_WIRE_ERROR_*; @p out is then undefined
 */
uint16_t cl_session_data(struct cl_session *session, const struct cl_platform *platform,
			 uint64_t offset, uint64_t sum, const uint8_t *in, uint8_t *out, size_t len,
			 uint32_t *detail);

/**
 * Whether a session may have another record carried out. While sessions of other addresses are
 * active each address has an equal part of the CPU, and each active session of one an equal part
 * of that.
 */
bool cl_session_may_spend(const struct cl_sessions *sessions, struct cl_session *session);

/** The session is in use. */
void cl_session_touch(struct cl_sessions *sessions, struct cl_session *session);

/** Brings up to date what is known of a session whose records a server takes. */
void cl_session_update(struct cl_sessions *sessions, struct cl_session *session);

/** Closes a session: its key is zeroized, and its range shrinks to what was used. */
void cl_session_close(struct cl_session *session, const struct cl_platform *platform);

/** Closes every session of @p owner. */
void cl_sessions_close_owner(struct cl_sessions *sessions, const struct cl_platform *platform,
			     const struct cl_session_owner *owner);

/** Brings the time up to date. */
void cl_sessions_tick(struct cl_sessions *sessions, const struct cl_platform *platform);

/** Closes every session that was idle for too long, whoever owns it. */
void cl_sessions_close_idle(struct cl_sessions *sessions, const struct cl_platform *platform);

#endif
