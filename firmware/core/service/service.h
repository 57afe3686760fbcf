/**
 * @file
 * The record service: a record in, its reply out, over any transport.
 */
#ifndef CL_SERVICE_H
#define CL_SERVICE_H

#include <stddef.h>
#include <stdint.h>

#include "cl_wire.h"
#include "links/link.h"
#include "service/platform.h"
#include "service/session.h"

/** Magic of record info: the bytes CLNE. */
#define CL_SERVICE_MAGIC 0x454e4c43u

/** Room that a record and its reply need, where a record carries up to @p max_data bytes. */
#define CL_SERVICE_RECORD_MAX(max_data)                                                            \
	(CL_WIRE_HEADER_SIZE +                                                                     \
	 ((max_data) > CL_WIRE_FASTPATH_REPLY_SIZE ? (max_data) : CL_WIRE_FASTPATH_REPLY_SIZE))
_Static_assert(CL_WIRE_FASTPATH_REPLY_SIZE >= CL_WIRE_INFO_REPLY_SIZE, "fastpath is the longest");
_Static_assert(CL_WIRE_FASTPATH_REPLY_SIZE >= CL_WIRE_OPEN_REQUEST_SIZE, "fastpath is the longest");
_Static_assert(CL_WIRE_FASTPATH_REPLY_SIZE >= CL_WIRE_STAT_REPLY_SIZE, "fastpath is the longest");
_Static_assert(CL_WIRE_FASTPATH_REPLY_SIZE >= CL_WIRE_NETWORK_REPLY_SIZE,
	       "fastpath is the longest");

struct cl_service {
	const struct cl_platform *platform;
	struct cl_sessions sessions;
	/** For what does not belong to a session. */
	struct cl_budget strangers;
	/** Cycle counter when cl_service_poll looked at the sessions, and how long until it does
	 * again. */
	uint32_t looked_at;
	uint32_t look_cycles;
	/** Bit N: engine of code N is present; without the server's. */
	uint32_t engines;
};

/**
 * Starts the service, with no session open.
 *
 * @param platform must outlive the service
 * @retval 0 done
 * @retval -EINVAL the platform lacks something, max_data is 0 or no multiple of 16, two engines
 *                 have one code, or the server has an engine's or windows that do not exist
 */
int cl_service_init(struct cl_service *service, const struct cl_platform *platform);

/** Where a record or a reply is: its header, and its data, behind it or elsewhere. */
struct cl_service_place {
	uint8_t *header;
	uint8_t *data;
};

/**
 * Carries out one record.
 *
 * Once handled, the buffer of a record that carried a key holds no key, whether the record was
 * carried out or refused; that of the reply to a record that was refused holds nothing else.
 * @p reply may be @p record: a port then needs one buffer, and nothing is left in it after a close
 * or reset. A port with two zeroizes its receive buffer itself.
 *
 * @param link   where the record came from; its counters are kept here
 * @param record as received, its CRC checked and cut off
 * @param len    bytes of its header and its data
 * @param reply  @p record, or what does not overlap it
 * @param room   for the reply's header and data, at least CL_SERVICE_RECORD_MAX(max_data) with the
 *               link's max_data
 * @return bytes of the reply; 0 if the record is dropped without one: shorter than a header, a
 *         reply, a length that is not the record's, too little @p room, or no cycles left for it
 */
size_t cl_service_carry_out(struct cl_service *service, struct cl_link *link,
			    const struct cl_service_place *record, size_t len,
			    const struct cl_service_place *reply, size_t room);

/**
 * Whether there are cycles for work that does not belong to a session: as many as it takes while no
 * other peer than @p peer has one, then what the budget has left. The time is up to date since
 * cl_sessions_tick.
 */
bool cl_service_admits(struct cl_service *service, uint64_t peer);

/** Takes from that budget what was done outside the service. */
static inline void cl_service_spend(struct cl_service *service, uint32_t cycles)
{
	cl_budget_spend(&service->strangers, cycles, CL_STRANGERS_MOST);
}

/** As cl_service_carry_out, where the data are behind the headers. */
static inline size_t cl_service_handle(struct cl_service *service, struct cl_link *link,
				       uint8_t *record, size_t len, uint8_t *reply, size_t room)
{
	const struct cl_service_place from = {record, record + CL_WIRE_HEADER_SIZE};
	const struct cl_service_place to = {reply, reply + CL_WIRE_HEADER_SIZE};

	return cl_service_carry_out(service, link, &from, len, &to, room);
}

/** What cl_service_poll does now and then: brings the time up to date, closes idle sessions. */
void cl_service_look(struct cl_service *service);

/**
 * To be called by a port's main loop, at least once in 2^31 cycles: closes sessions that were not
 * used for session_idle_cycles, at most an eighth later, and zeroizes their keys.
 */
static inline void cl_service_poll(struct cl_service *service)
{
	if (cl_platform_cycles(service->platform) - service->looked_at >= service->look_cycles) {
		cl_service_look(service);
	}
}

/**
 * Adds what the record handled last cost outside the engine to its session, if it had one that is
 * still open, and takes the cycles from its budget, or from the strangers'. For ports of a network,
 * before the next record is handled.
 */
void cl_service_account(struct cl_service *service, const struct cl_link *link,
			const struct cl_session_cost *cost);

#endif
