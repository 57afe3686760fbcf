/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The slots from which LiteEth's Ethernet MAC transmits. They are locked, so that only one thread
 * at a time uses them.
 */
#ifndef CL_TX_SLOTS_H
#define CL_TX_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Waits until the Ethernet MAC has sent the next slot's old content, and locks this slot for the
 * calling thread.
 *
 * @return the slot, which the caller must unlock with cl_tx_end; NULL after a time-out, if the
 *         Ethernet MAC does not free a slot
 */
uint8_t *cl_tx_begin(void);

/**
 * Tells the Ethernet MAC to send @p len bytes of the slot that cl_tx_begin returned, and unlocks
 * the slots.
 *
 * @param len 0: nothing is sent
 * @param with_udp_checksum the Ethernet MAC computes UDP's checksum, and replaces the content of
 * that field
 */
void cl_tx_end(size_t len, bool with_udp_checksum);

/**
 * Waits until the Ethernet MAC has sent all slots, and zeroizes them. After a time-out, it does not
 * zeroize them.
 */
void cl_tx_erase(void);

#endif
