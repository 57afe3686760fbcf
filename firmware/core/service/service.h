/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The record service: processes a record and writes the reply, independent of the transport.
 */
#ifndef CL_SERVICE_H
#define CL_SERVICE_H

#include <stddef.h>
#include <stdint.h>

#include "cl_wire.h"
#include "links/link.h"
#include "service/platform.h"
#include "service/session.h"

/** Magic number in the reply to a record of type `info`: the bytes CLNE. */
#define CL_SERVICE_MAGIC 0x454e4c43u

/**
 * Size in bytes of a buffer for any record or reply, if a record has at most @p max_data data
 * bytes.
 */
#define CL_SERVICE_RECORD_MAX(max_data)                                                            \
	(CL_WIRE_HEADER_SIZE +                                                                     \
	 ((max_data) > CL_WIRE_MACSEC_REPLY_SIZE ? (max_data) : CL_WIRE_MACSEC_REPLY_SIZE))
_Static_assert(CL_WIRE_MACSEC_REPLY_SIZE >= CL_WIRE_FASTPATH_REPLY_SIZE, "macsec is the longest");
_Static_assert(CL_WIRE_MACSEC_REPLY_SIZE >= CL_WIRE_INFO_REPLY_SIZE, "macsec is the longest");
_Static_assert(CL_WIRE_MACSEC_REPLY_SIZE >= CL_WIRE_OPEN_REQUEST_SIZE, "macsec is the longest");
_Static_assert(CL_WIRE_MACSEC_REPLY_SIZE >= CL_WIRE_PROTECT_REQUEST_SIZE, "macsec is the longest");
_Static_assert(CL_WIRE_MACSEC_REPLY_SIZE >= CL_WIRE_STAT_REPLY_SIZE, "macsec is the longest");
_Static_assert(CL_WIRE_MACSEC_REPLY_SIZE >= CL_WIRE_NETWORK_REPLY_SIZE, "macsec is the longest");

struct cl_service {
	const struct cl_platform *platform;
	struct cl_sessions sessions;
	/** Budget for work that belongs to no session. */
	struct cl_budget strangers;
	/**
	 * `looked_at`: value of the cycle counter when cl_service_poll last checked the sessions.
	 * `look_cycles`: number of cycles from one check to the next.
	 */
	uint32_t looked_at;
	uint32_t look_cycles;
	/**
	 * Bit N is set if the board has an engine with code N. The server (platform->server) is not
	 * an engine: the bit for its code is 0.
	 */
	uint32_t engines;
	/** Bit N is set if sessions in GCM can use the board's engine with code N. */
	uint32_t gcm_engines;
};

/**
 * Starts the service, with no session open.
 *
 * @param platform must outlive the service
 * @retval 0 done
 * @retval -EINVAL a required member of @p platform is NULL; max_data is 0 or no multiple of 16; a
 *                 code is above 31; two engines, or an engine and the server, have the same code;
 *                 or the server's window size is not allowed
 */
int cl_service_init(struct cl_service *service, const struct cl_platform *platform);

/**
 * Addresses of the header and of the data of a record or reply. The data need not follow the
 * header.
 */
struct cl_service_place {
	uint8_t *header;
	uint8_t *data;
};

/**
 * Processes one record.
 *
 * The function zeroizes a key in the record's buffer, even if it refuses the record. After a
 * refusal, the reply's buffer contains only the error reply. @p reply can be equal to @p record, so
 * one buffer is enough. After a record of type `close` or `reset`, this single buffer contains no
 * data. A caller with two buffers must itself zeroize the record's buffer.
 *
 * @param link   the record's link, with its counters
 * @param record as received, its CRC checked and removed
 * @param len    bytes of its header and its data
 * @param reply  @p record, or buffers that do not overlap it
 * @param room   bytes for the reply's header and data, at least CL_SERVICE_RECORD_MAX(max_data)
 *               with the link's max_data
 * @return bytes of the reply; 0 if the record is dropped without a reply: it is shorter than a
 *         header, is a reply, or its length field is wrong; or @p room is too small; or the budget
 *         has no cycles left for the record
 */
size_t cl_service_carry_out(struct cl_service *service, struct cl_link *link,
			    const struct cl_service_place *record, size_t len,
			    const struct cl_service_place *reply, size_t room);

/**
 * Returns true if the service is allowed to do work for @p peer that belongs to no session. Always
 * returns true while no other peer has a session. Otherwise returns true while the budget for work
 * outside sessions has cycles left. Before this call, update the time with cl_sessions_tick.
 */
bool cl_service_admits(struct cl_service *service, uint64_t peer);

/**
 * Subtracts @p cycles from the budget that cl_service_admits checks. @p cycles is the number of
 * cycles that work outside sessions took.
 */
static inline void cl_service_spend(struct cl_service *service, uint32_t cycles)
{
	cl_budget_spend(&service->strangers, cycles, CL_STRANGERS_MOST);
}

/**
 * Subtracts the cycles of a zeroization from the budget for work outside sessions. Does nothing if
 * no peer on a network has a session. For example, a refused request to open a session causes a
 * zeroization. While the budget has no cycles left, the service drops records outside sessions.
 */
void cl_service_owe(struct cl_service *service, uint32_t cycles);

/**
 * Calls cl_service_carry_out for a record whose data follow its header in the same buffer. The
 * reply has the same layout.
 */
static inline size_t cl_service_handle(struct cl_service *service, struct cl_link *link,
				       uint8_t *record, size_t len, uint8_t *reply, size_t room)
{
	const struct cl_service_place from = {record, record + CL_WIRE_HEADER_SIZE};
	const struct cl_service_place to = {reply, reply + CL_WIRE_HEADER_SIZE};

	return cl_service_carry_out(service, link, &from, len, &to, room);
}

/** Does the periodic work of cl_service_poll: updates the time and closes idle sessions. */
void cl_service_look(struct cl_service *service);

/**
 * Closes sessions that were not used for session_idle_cycles, and zeroizes their keys. A session
 * can be closed late, by up to an eighth of session_idle_cycles. The main loop must call this
 * function at least once in 2^31 cycles.
 */
static inline void cl_service_poll(struct cl_service *service)
{
	if (cl_platform_cycles(service->platform) - service->looked_at >= service->look_cycles) {
		cl_service_look(service);
	}
}

/**
 * Accounts for the CPU cycles of the last record: the engine's cycles, plus @p cost, the cycles
 * outside the engine. If the record's session is still open, subtracts the total from the session's
 * budget, and adds @p cost to the session's counts. Otherwise subtracts the total from the budget
 * for work outside sessions. The driver of a network link calls this function after each record.
 */
void cl_service_account(struct cl_service *service, const struct cl_link *link,
			const struct cl_session_cost *cost);

#endif
