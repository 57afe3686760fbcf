/**
 * @file
 * What the driver of LiteEth's MAC tells beside Zephyr's interfaces.
 */
#ifndef CIPHERLANE_ETHERNET_H
#define CIPHERLANE_ETHERNET_H

#include <stdint.h>

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
	/** Of these, dropped: damaged, too long, from a group of stations, or no memory. */
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

void cl_ethernet_count(struct cl_ethernet_counters *counters);

#endif
