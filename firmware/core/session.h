/**
 * @file
 * Sessions: who may use a key, with which initial counter block, and what it was used for.
 */
#ifndef CL_SESSION_H
#define CL_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl_wire.h"
#include "engine.h"
#include "platform.h"

/** Sessions that can be open at once. */
#define CL_SESSIONS 8u
/** Encryptions that are remembered, to refuse the same counter blocks a second time. */
#define CL_USED 64u
/** Flag of record open: the host resumes an encryption. */
#define CL_OPEN_RESUME 1u

/** Who a session belongs to. */
struct cl_session_owner {
	/** As in struct cl_link. */
	uint64_t peer;
	/** Chosen by the host at open. */
	uint64_t token;
};

struct cl_session {
	struct cl_engine_key key;
	uint8_t iv[CL_BLOCK_BYTES];
	/** Stands for key and initial counter block, see cl_session_open. */
	uint64_t fingerprint;
	struct cl_session_owner owner;
	struct cl_wire_stat_reply stat;
	/** NULL while the session is free. */
	const struct cl_engine *engine;
	/** Number on the wire, never 0 and not given again within 2^24 sessions. */
	uint32_t id;
	uint32_t flags;
	/**
	 * Cycle counter when it was last used; where the engine serves by itself, when it was last
	 * seen to have done anything.
	 */
	uint32_t used_at;
	uint8_t direction;
};

/** Every session of a board, and what it remembers of closed ones. Zero at power-on. */
struct cl_sessions {
	struct cl_session session[CL_SESSIONS];
	/** Ring of the fingerprints of the last CL_USED encryptions. */
	uint64_t used[CL_USED];
	/** Fingerprints ever put into the ring. */
	uint32_t used_count;
	/** Sessions ever opened. */
	uint32_t opened;
};

/**
 * Opens a session, or finds it again if the same request was carried out before for this owner.
 *
 * An encryption under a key and initial counter block that were used for encryption before is
 * refused, unless the request has CL_OPEN_RESUME. What is remembered of key K and block T is a
 * fingerprint: 64 bits of E_K(E_K(0) + T), the CBC-MAC of two blocks. It may be kept after the
 * session is closed, and is never sent: it tells neither K nor T, being the output of a
 * pseudo-random function of T under K. It equals no keystream that was sent but by chance, as the
 * counter block that would give it, E_K(0) + T, is unknown to anyone without K. The memory is of
 * CL_USED encryptions and forgets the oldest; it compares initial blocks, and does not see that two
 * sessions of different initial blocks overlap further on.
 *
 * When every session is in use, the one that was idle longest is closed for the new one, if it is
 * another peer's and platform->session_idle_cycles have passed: a host that was killed closes none.
 *
 * @param request   a request whose values have not been checked; the caller zeroizes it
 * @param[out] session the session, if opened or found
 * @param[out] detail  what an error reply tells beside its code
 * @return 0 or CL_WIRE_ERROR_*
 */
uint16_t cl_session_open(struct cl_sessions *sessions, const struct cl_platform *platform,
			 const struct cl_session_owner *owner,
			 const struct cl_wire_open_request *request, struct cl_session **session,
			 uint32_t *detail);

/** The open session of number @p id, whoever owns it; NULL if there is none. */
struct cl_session *cl_session_find(struct cl_sessions *sessions, uint32_t id);

/** True if @p session belongs to @p owner. */
bool cl_session_owned(const struct cl_session *session, const struct cl_session_owner *owner);

/**
 * Encrypts or decrypts data of the session's stream, and counts them.
 *
 * @param offset byte offset of @p in in the stream, a multiple of 16
 * @return what the engine's ctr returned
 */
int cl_session_data(struct cl_session *session, const struct cl_platform *platform, uint64_t offset,
		    const uint8_t *in, uint8_t *out, size_t len);

/** Brings up to date what is known of a session whose records its engine serves by itself. */
void cl_session_update(struct cl_session *session, const struct cl_platform *platform);

/** Closes a session: its key and initial counter block are zeroized. */
void cl_session_close(struct cl_session *session, const struct cl_platform *platform);

/** Closes every session of @p peer. */
void cl_session_close_peer(struct cl_sessions *sessions, const struct cl_platform *platform,
			   uint64_t peer);

#endif
