/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Sessions: they define who is allowed to use a key, and with which counter blocks.
 *
 * Each session has a stream (streams.h), which reserves a range of counter blocks under the
 * session's key. A used counter block stays marked as used until the power is switched off, and
 * serves only one record. So no two pieces of data are encrypted or decrypted with the same counter
 * block and key, in any session, direction or engine. The board does not know which blocks were
 * used before the power was switched on.
 */
#ifndef CL_SESSION_H
#define CL_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl_wire.h"
#include "engine/engine.h"
#include "links/link.h"
#include "service/budget.h"
#include "service/platform.h"
#include "streams/streams.h"

/** Number of sessions that can be open at once. */
#define CL_SESSIONS 8u
_Static_assert(CL_STREAMS >= CL_SESSIONS + 8, "windows of eight sessions are kept");
/**
 * Number of low bits of a session's number that contain the session's index in the table, plus 1.
 * The other bits of a session's number count the opened sessions.
 */
#define CL_SESSION_PLACE_BITS 8
_Static_assert(CL_SESSIONS <= 1u << CL_SESSION_PLACE_BITS, "every place has a number");
/**
 * A session is active if it was used during the last CL_SESSION_ACTIVE_CYCLES cycles. Active
 * sessions share the CPU.
 */
#define CL_SESSION_ACTIVE_CYCLES (1u << 23)
/** Largest length of a stream in bytes. */
#define CL_STREAM_BYTES_MAX (UINT64_C(1) << 36)
/**
 * In GCM, a stream has at most 2^30 records. The nonces of its records begin with the stream's
 * prefix of 8 bytes.
 */
#define CL_SESSION_GCM_RECORD_BITS 30
#define CL_SESSION_PREFIX_BYTES    8u

/** Identifies the owner of a session. */
struct cl_session_owner {
	/** As in struct cl_link. */
	uint64_t peer;
	/** Number that the host chose when it opened the session. */
	uint64_t token;
};

/**
 * Numbers of clock cycles that a session's records took outside the engine. The reply to a record
 * of type `network` reports them.
 */
struct cl_session_cost {
	uint64_t driver;
	uint64_t copy;
	uint64_t stack;
	uint64_t record;
};

struct cl_session {
	struct cl_engine_key key;
	/** The request that opened the session; the key in this copy is zeroized. */
	struct cl_wire_open_request request;
	/** Initial counter block; in GCM the nonce prefix and zeros. */
	uint8_t iv[CL_BLOCK_BYTES];
	/**
	 * Number that identifies the key and the mode, as in struct cl_range. The bit CL_RANGE_GCM
	 * is set in GCM, and all other bits identify the key.
	 */
	uint64_t key_identity;
	struct cl_session_owner owner;
	struct cl_wire_stat_reply stat;
	struct cl_session_cost cost;
	/**
	 * The session uses either an engine or a server. `engine`: the engine that processes the
	 * session's data. `server`: the server that receives the session's records from the
	 * network. One of these pointers is NULL.
	 */
	const struct cl_engine *engine;
	const struct cl_server *server;
	struct cl_stream *stream;
	/**
	 * The link that reserves receive buffers for the session's peer; NULL if no link does
	 * this.
	 */
	struct cl_link *link;
	/** Value of `first` in the stream's window at the time when the session was opened. */
	uint64_t first;
	/**
	 * Time when the session was last used. If a server processes the session's records,
	 * firmware reads the server's counters. If the number of records has grown, the session
	 * counts as used.
	 */
	uint64_t used_at;
	/** Time when the session was opened. */
	uint64_t opened_at;
	/**
	 * Budget of CPU cycles for this session. It applies while sessions of hosts with other IP
	 * addresses are active.
	 */
	struct cl_budget budget;
	/**
	 * Number that identifies the session in records; 0 if this entry is free. A number is
	 * reused only after 2^24 more sessions.
	 */
	uint32_t id;
	/**
	 * Number of bytes of the tag in a record's data (`request_tag`) and in a reply's data
	 * (`reply_tag`). In GCM, one of these numbers is 0; in CTR, both are 0.
	 */
	uint8_t request_tag;
	uint8_t reply_tag;
	/**
	 * In CTR: copy of the member `anywhere` of the session's engine; false if the session uses
	 * a server. In GCM: always false, because GHASH in C is slow in memory that the CPU does
	 * not cache.
	 */
	bool anywhere;
	/** True while the server processes the session's records. */
	bool served;
	/** True if, at some time while this session was open, another peer had a session too. */
	bool shared;
};

/** All sessions of a board. Zero at power-on. */
struct cl_sessions {
	struct cl_session session[CL_SESSIONS];
	/**
	 * `now`: clock cycles since power-on. `counter`: the value of the cycle counter when `now`
	 * was last updated.
	 */
	uint64_t now;
	uint32_t counter;
	/** Number of sessions opened since power-on. */
	uint32_t opened;
};

/**
 * Opens a session. If the owner has already opened a session with the same request, returns that
 * session instead.
 *
 * @param request   the request. The caller has checked that this owner is allowed to use the
 *                  engine, and zeroizes the request afterwards; this function checks the other
 *                  values
 * @param max_data  largest number of data bytes in a record of this session
 * @param[out] session the session, if opened or found
 * @param[out] detail  detail of an error reply
 * @return 0 or CL_WIRE_ERROR_*
 */
uint16_t cl_session_open(struct cl_sessions *sessions, const struct cl_platform *platform,
			 const struct cl_session_owner *owner,
			 const struct cl_wire_open_request *request, uint32_t max_data,
			 struct cl_session **session, uint32_t *detail);

/** Returns the open session with number @p id, whoever owns it; NULL if there is none. */
struct cl_session *cl_session_find(struct cl_sessions *sessions, uint32_t id);

/** Returns true if this entry of the table is an open session, false if it is free. */
static inline bool cl_session_is_open(const struct cl_session *session)
{
	return session->id != 0;
}

/** Returns the index of an open session in the table. */
static inline uint32_t cl_session_place(const struct cl_session *session)
{
	return (session->id & ((1u << CL_SESSION_PLACE_BITS) - 1)) - 1;
}

/** Returns true if the session is in GCM. */
static inline bool cl_session_is_gcm(const struct cl_session *session)
{
	return (session->request.flags & CL_WIRE_FLAG_GCM) != 0;
}

/** Returns true if @p session belongs to @p owner. */
bool cl_session_owned(const struct cl_session *session, const struct cl_session_owner *owner);

/** Returns the number of open sessions of peers other than @p peer. */
uint32_t cl_sessions_of_others(const struct cl_sessions *sessions, uint64_t peer);

/**
 * Encrypts or decrypts a record of the session's stream, and marks the record as received. If the
 * record has arrived before, processes it again if the data are the same, but refuses it if the
 * data differ.
 *
 * @param offset byte offset of @p in in the stream
 * @param sum    cl_window_sum of @p in
 * @param last   the record is the last one of a stream in GCM
 * @param out    buffer for the result; in GCM, with room for the tag
 * @param len    bytes of @p in, including the tag of a record to decrypt
 * @param[out] detail detail of an error reply
 * @return 0, or CL_WIRE_ERROR_*; after an error, the content of @p out is undefined
 */
uint16_t cl_session_data(struct cl_session *session, const struct cl_platform *platform,
			 uint64_t offset, uint64_t sum, bool last, const uint8_t *in, uint8_t *out,
			 size_t len, uint32_t *detail);

/**
 * Does the work of cl_session_data for a session in GCM. Each record is one GCM message.
 *
 * @param number 2n for record number n, or 2n + 1 if it is the last record; part of the nonce
 * @param text   bytes of plaintext, which fit the stream; negative if the record is shorter than a
 *               tag
 */
uint16_t cl_session_message(struct cl_session *session, const struct cl_platform *platform,
			    uint64_t offset, uint64_t sum, uint32_t number, const uint8_t *in,
			    uint8_t *out, int32_t text, uint32_t *detail);

/**
 * Returns true if the session's share of the CPU allows another record now. Each IP address with
 * active sessions gets an equal part of the CPU. The active sessions of one address share this part
 * equally. While all active sessions have the same address, every record is allowed.
 */
bool cl_session_may_spend(const struct cl_sessions *sessions, struct cl_session *session);

/** Sets the time of the session's last use to the present time. */
void cl_session_touch(struct cl_sessions *sessions, struct cl_session *session);

/**
 * Copies the counters of the session's server to the session. If the number of records has changed,
 * also updates the time of the session's last use. Does nothing if the session has no server.
 */
void cl_session_update(struct cl_sessions *sessions, struct cl_session *session);

/** Closes a session: zeroizes its key, and removes the unused counter blocks from its range. */
void cl_session_close(struct cl_session *session, const struct cl_platform *platform);

/** Closes every session of @p owner. */
void cl_sessions_close_owner(struct cl_sessions *sessions, const struct cl_platform *platform,
			     const struct cl_session_owner *owner);

/** Updates the time from the cycle counter. */
void cl_sessions_tick(struct cl_sessions *sessions, const struct cl_platform *platform);

/** Closes every session that was idle for session_idle_cycles or longer, whoever owns it. */
void cl_sessions_close_idle(struct cl_sessions *sessions, const struct cl_platform *platform);

#endif
