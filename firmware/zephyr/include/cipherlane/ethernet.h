/**
 * @file
 * Functions of the driver of LiteEth's MAC in addition to Zephyr's interfaces.
 */
#ifndef CIPHERLANE_ETHERNET_H
#define CIPHERLANE_ETHERNET_H

#include <stdint.h>

#include "service/service.h"

/** The driver's counters since power-on. */
struct cl_ethernet_counters {
	/**
	 * For the last received frame: the cycle counter when the driver found it, the cycles since
	 * then in the driver itself, and how many of these went to copies from and to the MAC's
	 * slots.
	 */
	uint32_t frame_begin;
	uint32_t frame_driver_cycles;
	uint32_t frame_copy_cycles;
	/** Frames received. */
	uint32_t frames;
	/**
	 * Received frames that were dropped: damaged, too long, from a sender that must not be
	 * answered, no memory, or no cycles left for frames that belong to no session.
	 */
	uint32_t dropped;
	/** Dropped frames with a wrong checksum of IPv4, UDP or ICMP. */
	uint32_t checksum_errors;
	/** Frames that the MAC dropped because all its slots were full. */
	uint32_t overflows;
	/** Frames that the MAC dropped for their frame check sequence or preamble. */
	uint32_t fcs_errors;
};

/**
 * Has the driver's thread zeroize what frames have left, before it takes the next frame. This
 * covers the MAC's slots, the net stack's free buffers and what cl_soc_forget zeroizes. The slot
 * that the MAC writes next, and buffers in use, keep their contents until the frame there is done
 * with.
 */
void cl_ethernet_forget(void);

/** A record service; its records need not pass through the net stack. */
struct cl_ethernet_service {
	/** The link, as in cl_link_udp. */
	struct cl_link *link;
	/** UDP port. */
	uint16_t port;
	/** Lock the service and `link` for the calling thread, and unlock them. */
	struct cl_service *(*lock)(void);
	void (*unlock)(void);
};

/**
 * Has the driver's thread handle what is beyond doubt a record for @p service, from now on and for
 * ever. All other frames go to the net stack, which must serve the same port
 * (CONFIG_CIPHERLANE_ETHERNET_EARLY).
 */
void cl_ethernet_serve(const struct cl_ethernet_service *service);

void cl_ethernet_count(struct cl_ethernet_counters *counters);

#endif
