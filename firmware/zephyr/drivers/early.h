/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Records over UDP that the driver handles itself, without the net stack: data go from a receive
 * slot directly to a transmit slot.
 */
#ifndef CL_EARLY_H
#define CL_EARLY_H

#include <stdbool.h>
#include <stdint.h>

#include <zephyr/net/net_if.h>

#include "service/frames.h"

/**
 * If a received frame contains a record for the service that was passed to cl_ethernet_serve,
 * handles this record and sends the reply. The interface must be up. All checksums must be right.
 * The packet must be IPv4 without options, and not a fragment. The destination must be the MAC
 * address and an IPv4 address of the interface.
 *
 * @param begin value of the cycle counter when the frame was found
 * @return true if the frame was handled. false if a condition is not met: then the frame is
 *         unchanged, and the caller must pass it to the net stack
 */
bool cl_early_receive(struct net_if *iface, struct cl_frame *frame, uint32_t begin);

/**
 * Writes a station to row @p row of the Ethernet MAC's table of known stations. The MAC reserves
 * receive slots for these stations. Implemented in ethernet.c.
 *
 * @param station the station. If it is NULL, the function empties the row, so that the MAC no
 *                longer reserves slots for the station in this row
 */
void cl_ethernet_reserve(uint32_t row, const struct cl_station *station);

/** Zeroizes the data that earlier records left in this module's memory. */
void cl_early_forget(void);

/**
 * Returns true if the net stack is allowed to handle the next frame. This is the case if there is
 * no record service, or if cl_service_admits allows the service to work outside sessions.
 */
bool cl_early_admits(void);

/**
 * Reduces the record service's budget for work outside sessions by @p cycles. This is the time that
 * the driver and the net stack took for a frame (see cl_service_spend).
 */
void cl_early_spend(uint32_t cycles);

/**
 * Reduces the record service's budget for work outside sessions by @p cycles, the time of a
 * zeroization. Does nothing while no host on the network has a session (see cl_service_owe).
 */
void cl_early_owe(uint32_t cycles);

/** Tells the service that no frame is waiting now. */
void cl_early_pause(void);

#endif
