/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Checksums, sizes and transmit slots that the tests of sent and received frames use.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include <zephyr/devicetree.h>

#define MAC        DT_NODELABEL(ethernet0)
#define SLOT_BYTES DT_PROP(MAC, slot_bytes)
#define TX_SLOTS   (DT_REG_SIZE_BY_NAME(MAC, tx_slots) / SLOT_BYTES)
#define IP         14
#define UDP        (IP + 20)
#define DATA       (UDP + 8)

/**
 * Returns the checksum (RFC 1071) of @p len bytes at address @p from, computed byte by byte. If the
 * checksum also covers other data, @p sum is the sum of these data, otherwise 0.
 */
uint32_t checksum(uint32_t sum, const uint8_t *from, size_t len);

/**
 * Computes the UDP checksum over the whole datagram in @p frame, which has @p len bytes. If the
 * datagram's checksum field is right, the result is 0.
 */
uint32_t udp_checksum(const uint8_t *frame, size_t len);

/** Returns the slot from which the driver will send the next frame. */
const uint8_t *next_slot(void);

/** Call this after the driver has sent a frame. Then next_slot() returns the following slot. */
void count_sent(void);

#endif
