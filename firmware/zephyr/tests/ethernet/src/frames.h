/**
 * @file
 * Frames that the suites have the driver send or receive.
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

/** RFC 1071, byte by byte; @p sum is that of what else is counted. */
uint32_t checksum(uint32_t sum, const uint8_t *from, size_t len);

/** The checksum of the datagram of @p len bytes at @p frame + UDP, with its checksum or without. */
uint32_t udp_checksum(const uint8_t *frame, size_t len);

/** The slot that the driver sends from next. */
const uint8_t *next_slot(void);

/** Says that it has sent from there. */
void count_sent(void);

#endif
