/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Copies frames between the Ethernet MAC's slots and the net stack's buffers. A packet is in one
 * buffer, or in a chain of smaller buffers.
 */
#ifndef CL_FRAME_PARTS_H
#define CL_FRAME_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include <zephyr/net_buf.h>
#include <zephyr/net/net_pkt.h>

#include <cipherlane/ethernet.h>

/** Length in bytes of the longest frame. */
#define CL_FRAME_MAX (NET_ETH_MTU + sizeof(struct net_eth_hdr))

/**
 * Copies a received frame and checks the checksums that it contains.
 *
 * @param slot   the frame, 4-byte aligned
 * @param counts the function adds the copy's cycles and the checksum errors to these counters
 *
 * @return the buffers, which the caller must free. NULL if the frame is damaged or too long, if it
 *         must not be answered because of its source, or if there is not enough memory
 */
struct net_buf *cl_frame_parts_take(const uint8_t *slot, size_t len,
				    struct cl_ethernet_counters *counts);

/**
 * Copies a packet of at most CL_FRAME_MAX bytes into a slot. For each checksum field that contains
 * 0, computes the checksum.
 *
 * @param counts the function adds the copy's cycles to these counters
 *
 * @return length of the frame in bytes
 */
size_t cl_frame_parts_assemble(uint8_t *slot, const struct net_pkt *pkt,
			       struct cl_ethernet_counters *counts);

/** Zeroizes the free buffers of the net stack. */
void cl_frame_parts_forget(void);

#endif
