/**
 * @file
 * What the driver of LiteEth's MAC tells beside Zephyr's interfaces.
 */
#ifndef CIPHERLANE_ETHERNET_H
#define CIPHERLANE_ETHERNET_H

#include <stdint.h>

/** What the driver has seen and done since power-on. */
struct cl_ethernet_counters {
	/** Clock cycles from a frame's arrival until its receiver has done with it, answer
	 * included. */
	uint64_t cycles;
	/** Of these, in the driver itself; and of these, on copies from and to the MAC's slots. */
	uint64_t driver_cycles;
	uint64_t copy_cycles;
	/** Frames received. */
	uint32_t frames;
	/** Of these, dropped: damaged, too long, or no memory. */
	uint32_t dropped;
	/** Of these, for the checksum of IPv4, UDP or ICMP. */
	uint32_t checksum_errors;
	/** Dropped by the MAC because all its slots were taken. */
	uint32_t overflows;
	/** Dropped by the MAC for their frame check sequence or preamble. */
	uint32_t fcs_errors;
};

void cl_ethernet_count(struct cl_ethernet_counters *counters);

#endif
