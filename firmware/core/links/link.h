/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * A link: the transport over which records arrive, a UART or a network interface.
 */
#ifndef CL_LINK_H
#define CL_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "cl_wire.h"

/**
 * Bit 48 of the number that identifies a peer on a network. Bits 47:16 of this number are the
 * peer's IPv4 address, and bits 15:0 are its UDP port.
 */
#define CL_PEER_NETWORK (UINT64_C(1) << 48)

/** A link is a UART or a network interface. The structure is zero at power-on. */
struct cl_link {
	/**
	 * Number of the peer: the host that sent the record being handled. A session belongs to one
	 * peer. A UART's peer has a constant number. On a network, the link computes the number of
	 * each record's sender from CL_PEER_NETWORK and the sender's IPv4 address and UDP port.
	 */
	uint64_t peer;
	/** Counts of link events since power-on, as a record of type `counters` reports them. */
	struct cl_wire_counters_reply counters;
	/**
	 * Both members describe the last record that was handled. `session`: number of the record's
	 * session; 0 if the record belongs to no session of its sender. `engine_cycles`: clock
	 * cycles that the engine took for the record.
	 */
	uint32_t session;
	uint32_t engine_cycles;
	/**
	 * `staging`: 16-byte aligned buffer of max_data bytes. Some engines are slower in the
	 * link's own memory; for them, the service copies a record's data to this buffer. NULL if
	 * no engine is slower in that memory. The buffer is zeroized when a session with a key is
	 * closed.
	 * `copy_cycles`: clock cycles that these copies took for the last record that was handled.
	 */
	uint8_t *staging;
	uint32_t copy_cycles;
	/**
	 * `summed`: true if the link has already computed cl_window_sum of the data of the record
	 * to be handled. `sum` is the result.
	 */
	bool summed;
	uint64_t sum;
	/**
	 * `rx_window`: bytes that the board can buffer while it receives over this link.
	 * `max_data`: largest number of data bytes in a record over this link; at most the
	 * platform's limit. If one of these members is 0, the platform's value applies.
	 */
	uint32_t rx_window;
	uint16_t max_data;
	/**
	 * Counters of a network link and of its driver; NULL on a UART. Clock cycles are not
	 * counted here: struct cl_session_cost counts them for each session (see
	 * cl_service_account).
	 */
	struct cl_wire_network_reply *network;
	/**
	 * Used only on a network. `pauses`: how often the driver checked for a received frame and
	 * found none. `strained`: the value of `pauses` + 1 when the last long request, such as a
	 * benchmark, began; 0 before the first long request (see cl_exchange_begin_long).
	 */
	uint32_t pauses;
	uint32_t strained;
	/**
	 * Function that updates the counters in `network`. The service calls it before it reports
	 * these counters. The driver of the link implements it.
	 */
	void (*refresh)(struct cl_link *link);
	/**
	 * Function that reserves receive buffers for the peer of a session, or ends the
	 * reservation. @p place is the session's index. @p open is true if the record being handled
	 * has opened the session, and false if the session was closed. NULL if the link reserves no
	 * buffers.
	 */
	void (*reserve)(struct cl_link *link, uint32_t place, bool open);
	/**
	 * Function that describes the fast path on the same network; NULL if there is no fast path.
	 */
	void (*fast_path)(const struct cl_link *link, struct cl_wire_fastpath_reply *reply);
};

#endif
