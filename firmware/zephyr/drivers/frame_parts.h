/**
 * @file
 * Frames between the MAC's slots and the net stack's buffers: of a packet in one buffer, or in a
 * chain of smaller ones.
 */
#ifndef CL_FRAME_PARTS_H
#define CL_FRAME_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include <zephyr/net/buf.h>
#include <zephyr/net/net_pkt.h>

#include <cipherlane/ethernet.h>

/** Bytes of a frame, at most. */
#define CL_FRAME_MAX (NET_ETH_MTU + sizeof(struct net_eth_hdr))

/**
 * Copies a received frame and checks what it has of checksums.
 *
 * @param slot   the frame, 4-byte aligned
 * @param counts gets the copy's cycles and checksum errors
 *
 * @return the buffers, the caller's; NULL if the frame is damaged, too long or from nobody who may
 *         be answered, or there is no memory
 */
struct net_buf *cl_frame_parts_take(const uint8_t *slot, size_t len,
				    struct cl_ethernet_counters *counts);

/**
 * Copies a packet of at most CL_FRAME_MAX bytes into a slot, and fills in checksums that are 0.
 *
 * @param counts gets the copy's cycles
 *
 * @return the frame's bytes
 */
size_t cl_frame_parts_assemble(uint8_t *slot, const struct net_pkt *pkt,
			       struct cl_ethernet_counters *counts);

/** Erases the net stack's buffers that are free. */
void cl_frame_parts_forget(void);

#endif
