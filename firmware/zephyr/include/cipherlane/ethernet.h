/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Functions of the driver of LiteEth's Ethernet MAC in addition to Zephyr's interfaces.
 */
#ifndef CIPHERLANE_ETHERNET_H
#define CIPHERLANE_ETHERNET_H

#include <stdint.h>

#include "service/service.h"

/** The driver's counters since power-on. */
struct cl_ethernet_counters {
	/**
	 * These three values describe the last received frame. `frame_begin`: value of the cycle
	 * counter when the driver found the frame. `frame_driver_cycles`: cycles that the driver
	 * has spent on the frame, without the net stack. `frame_copy_cycles`: the part of
	 * frame_driver_cycles in which data were copied from or to the Ethernet MAC's slots.
	 */
	uint32_t frame_begin;
	uint32_t frame_driver_cycles;
	uint32_t frame_copy_cycles;
	/** Frames received. */
	uint32_t frames;
	/**
	 * Number of received frames that the driver dropped. The driver drops a frame that is
	 * damaged or too long, or has a source that must not be answered. The driver also drops a
	 * frame if no memory is free, or if the budget of cycles for work outside sessions is used
	 * up.
	 */
	uint32_t dropped;
	/** Number of dropped frames with a wrong checksum of IPv4, UDP or ICMP. */
	uint32_t checksum_errors;
	/**
	 * Number of frames that the Ethernet MAC dropped because all its receive slots were full.
	 */
	uint32_t overflows;
	/**
	 * Number of frames that the Ethernet MAC dropped because of a wrong frame check sequence or
	 * preamble.
	 */
	uint32_t fcs_errors;
};

/**
 * Asks the driver's thread to zeroize the data of earlier frames in the Ethernet MAC's slots, in
 * the net stack's free buffers, and in the memory that cl_soc_forget zeroizes. The thread zeroizes
 * the buffers and this memory before it handles the next frame. It zeroizes the receive slots
 * later, while no frame waits. If a frame arrives in a slot before this, the thread zeroizes the
 * slot after it has handled the frame.
 */
void cl_ethernet_forget(void);

/** A record service. The driver handles its records without the net stack. */
struct cl_ethernet_service {
	/** The link over which the records arrive (the value of cl_link_udp.link). */
	struct cl_link *link;
	/** UDP port. */
	uint16_t port;
	/** `lock` locks the service and its `link`. It returns the service. `unlock` unlocks. */
	struct cl_service *(*lock)(void);
	void (*unlock)(void);
};

/**
 * After this call, the driver's thread itself handles ordinary frames with a record for @p service.
 * All other frames go to the net stack, even a frame with a record if the frame is unusual, for
 * example a fragment. So the application must also serve the same UDP port through the net stack.
 * Requires CONFIG_CIPHERLANE_ETHERNET_EARLY.
 */
void cl_ethernet_serve(const struct cl_ethernet_service *service);

void cl_ethernet_count(struct cl_ethernet_counters *counters);

#endif
