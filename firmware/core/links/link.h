/**
 * @file
 * Links: the transports over which records come.
 */
#ifndef CL_LINK_H
#define CL_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "cl_wire.h"

/**
 * Number of a peer on a network: this bit, the IPv4 address in bits 47:16, the UDP port in bits
 * 15:0.
 */
#define CL_PEER_NETWORK (UINT64_C(1) << 48)

/** A link is a UART or a network interface. The port zeroes it at power-on. */
struct cl_link {
	/**
	 * The sender of the record being handled; a session belongs to one peer. A UART has one
	 * peer, the UART's number. On a network it is CL_PEER_NETWORK with address and port, set
	 * before each record.
	 */
	uint64_t peer;
	/** Counts of link events since power-on, in the fields of record counters. */
	struct cl_wire_counters_reply counters;
	/**
	 * For the last record handled: the session that it named and was allowed to use, or 0; the
	 * cycles in the engine.
	 */
	uint32_t session;
	uint32_t engine_cycles;
	/**
	 * `staging`: buffer for engines that are slower in the link's own memory; max_data bytes,
	 * 16-byte aligned. NULL if the link's memory is as fast. The port zeroizes it when a key is
	 * closed. `copy_cycles`: cycles of the copies for the last record handled.
	 */
	uint8_t *staging;
	uint32_t copy_cycles;
	/**
	 * `summed`: the link has computed cl_window_sum of the data of the record to be handled; it
	 * is in `sum`.
	 */
	bool summed;
	uint64_t sum;
	/**
	 * Bytes that the board can buffer on receive over this link, and the most data bytes in a
	 * record (at most the platform's limit). 0 if the platform's values apply.
	 */
	uint32_t rx_window;
	uint16_t max_data;
	/**
	 * On a network: counts of the link and the port; NULL otherwise. Cycles are counted per
	 * session: see cl_service_account.
	 */
	struct cl_wire_network_reply *network;
	/**
	 * On a network. `pauses`: how often the port found no frame waiting. `strained`: set by the
	 * service to `pauses` + 1 when it carries out a long request.
	 */
	uint32_t pauses;
	uint32_t strained;
	/** Updates `network` before it is sent. */
	void (*refresh)(struct cl_link *link);
	/** Describes the fast path on the same network; NULL if there is none. */
	void (*fast_path)(const struct cl_link *link, struct cl_wire_fastpath_reply *reply);
};

#endif
