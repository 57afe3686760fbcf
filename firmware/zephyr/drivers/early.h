/**
 * @file
 * Records over UDP that do not pass through the net stack, but from slot to slot.
 */
#ifndef CL_EARLY_H
#define CL_EARLY_H

#include <stdbool.h>
#include <stdint.h>

#include <zephyr/net/net_if.h>

#include "service/frames.h"

/**
 * Carries a received frame out, and answers it to where it came from, if it is beyond doubt a
 * record for the service of cl_ethernet_serve: IPv4 without options and in one piece, to the
 * interface's MAC address and an IPv4 address that the net stack has on it, the interface up,
 * checksums right.
 *
 * @param begin cycle counter when the frame was found
 * @return false if it is not: it is as it was, for the net stack
 */
bool cl_early_receive(struct net_if *iface, struct cl_frame *frame, uint32_t begin);

/** Erases what records have left here. */
void cl_early_forget(void);

/** Whether there are cycles for a frame that is left to the net stack; true without a service. */
bool cl_early_admits(void);

/** What that took, or the erasure of what was left, is spent. */
void cl_early_spend(uint32_t cycles);

/** No frame waits. */
void cl_early_pause(void);

#endif
