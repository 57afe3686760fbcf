/**
 * @file
 * What the driver of LiteEth's MAC tells beside Zephyr's interfaces.
 */
#ifndef CIPHERLANE_ETHERNET_H
#define CIPHERLANE_ETHERNET_H

#include <stdint.h>

#include "service/service.h"

/** What the driver has seen and done since power-on. */
struct cl_ethernet_counters {
	/**
	 * Of the frame that was received last: the cycle counter when it was found, and the cycles
	 * since then in the driver itself; of these, on copies from and to the MAC's slots.
	 */
	uint32_t frame_begin;
	uint32_t frame_driver_cycles;
	uint32_t frame_copy_cycles;
	/** Frames received. */
	uint32_t frames;
	/** Of these, dropped: damaged, too long, from nobody who may be answered, no memory, or no
	 * cycles left for what belongs to no session.
	 */
	uint32_t dropped;
	/** Of these, for the checksum of IPv4, UDP or ICMP. */
	uint32_t checksum_errors;
	/** Dropped by the MAC because all its slots were taken. */
	uint32_t overflows;
	/** Dropped by the MAC for their frame check sequence or preamble. */
	uint32_t fcs_errors;
};

/**
 * Has the driver's thread erase what frames have left before it takes the next one: the MAC's
 * slots, the net stack's free buffers, what cl_soc_forget erases. The slot that the MAC writes
 * next, and a buffer that is in use, keep theirs until the frame that comes there is done with.
 */
void cl_ethernet_forget(void);

/** A record service whose records need not pass through the net stack. */
struct cl_ethernet_service {
	/** As cl_link_udp has it. */
	struct cl_link *link;
	/** UDP port. */
	uint16_t port;
	/** Takes the service, and `link`, for the calling thread; gives them back. */
	struct cl_service *(*lock)(void);
	void (*unlock)(void);
};

/**
 * Has the driver's thread carry out itself what is beyond doubt a record for @p service, from now
 * on and for ever; all other frames go to the net stack, which must serve the same port
 * (CONFIG_CIPHERLANE_ETHERNET_EARLY).
 */
void cl_ethernet_serve(const struct cl_ethernet_service *service);

void cl_ethernet_count(struct cl_ethernet_counters *counters);

#endif
