/**
 * @file
 * Records over UDP that the driver answers from slot to slot, without the net stack.
 */
#ifndef CL_EARLY_H
#define CL_EARLY_H

#include <stdbool.h>
#include <stdint.h>

#include <zephyr/net/net_if.h>

#include "service/frames.h"

/**
 * Handles a received frame and answers its sender, if the frame is beyond doubt a record for the
 * service of cl_ethernet_serve. That is: IPv4 without options and not fragmented; sent to the
 * interface's MAC address and to an IPv4 address that the net stack has on it; the interface is up;
 * all checksums are right.
 *
 * @param begin cycle counter when the frame was found
 * @return false if it is no such record; then the frame is unchanged, for the net stack
 */
bool cl_early_receive(struct net_if *iface, struct cl_frame *frame, uint32_t begin);

/** Zeroizes what records have left in this module. */
void cl_early_forget(void);

/** Returns whether cycles remain for a frame that goes to the net stack; true without a service. */
bool cl_early_admits(void);

/** Charges the cycles that a frame for the net stack, or zeroization, took. */
void cl_early_spend(uint32_t cycles);

/** Tells the service that no frame waits. */
void cl_early_pause(void);

#endif
