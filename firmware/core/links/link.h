/**
 * @file
 * Where records come from.
 */
#ifndef CL_LINK_H
#define CL_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "cl_wire.h"

/** Of a peer on a network: this, its IPv4 address above its UDP port of 16 bits. */
#define CL_PEER_NETWORK (UINT64_C(1) << 48)

/** A link, zeroed by the port at power-on: a UART, or a network interface. */
struct cl_link {
	/**
	 * Who sent the record being handled: sessions belong to one peer. A UART has one, its
	 * number; on a network it is CL_PEER_NETWORK, set before each record.
	 */
	uint64_t peer;
	/** What the link has seen since power-on, in the fields of record counters. */
	struct cl_wire_counters_reply counters;
	/** Of the record handled last: the session that it named and had, or 0; the engine's
	 * cycles. */
	uint32_t session;
	uint32_t engine_cycles;
	/**
	 * Where data pass on their way to an engine that is slower where they are, in the link's
	 * own memory: max_data bytes, 16-byte aligned; NULL where the link's memory is as good.
	 * Erased by the port when a key is closed. The cycles of these copies, of the record
	 * handled last.
	 */
	uint8_t *staging;
	uint32_t copy_cycles;
	/** The link knows the cl_window_sum of the data of the record to be handled: this. */
	bool summed;
	uint64_t sum;
	/**
	 * Bytes that the board can hold on receive over this link, and most data bytes of a record
	 * (no more than the platform's); 0 where the platform's hold.
	 */
	uint32_t rx_window;
	uint16_t max_data;
	/**
	 * On a network: what the link has seen, kept by link and port; NULL elsewhere. Its cycles
	 * are kept by session: see cl_service_account.
	 */
	struct cl_wire_network_reply *network;
	/**
	 * On a network, the port's: how often it found no frame waiting. The service's: 1 more than
	 * that when a long request was last carried out.
	 */
	uint32_t pauses;
	uint32_t strained;
	/** Brings `network` up to date before it is sent. */
	void (*refresh)(struct cl_link *link);
	/** Describes the fast path on the same network; NULL where there is none. */
	void (*fast_path)(const struct cl_link *link, struct cl_wire_fastpath_reply *reply);
};

#endif
