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
 * Handles a received frame and answers its sender, if the frame is certainly a record for the
 * service of cl_ethernet_serve. This requires that the interface is up, that the packet is IPv4
 * without options and not fragmented, that it was sent to the MAC address and to an IPv4 address of
 * the interface, and that all checksums are right.
 *
 * @param begin value of the cycle counter when the frame was found
 * @return false if it is no such record. The frame is then unchanged, and must go to the net stack
 */
bool cl_early_receive(struct net_if *iface, struct cl_frame *frame, uint32_t begin);

/**
 * Implemented in ethernet.c: makes the Ethernet MAC reserve receive slots for a station, by an
 * entry in row @p row of its table of known stations.
 *
 * @param station the station; NULL removes the entry, which ends the reservation
 */
void cl_ethernet_reserve(uint32_t row, const struct cl_station *station);

/** Zeroizes data of earlier records in this module's memory. */
void cl_early_forget(void);

/**
 * Returns true if the budget has cycles for a frame that goes to the net stack, or if there is no
 * record service.
 */
bool cl_early_admits(void);

/** Reduces the budget by the cycles that a frame for the net stack took. */
void cl_early_spend(uint32_t cycles);

/**
 * Subtracts the cycles of a zeroization from the budget, even if the budget is used up: see
 * cl_service_owe.
 */
void cl_early_owe(uint32_t cycles);

/** Tells the service that no frame is waiting now. */
void cl_early_pause(void);

#endif
