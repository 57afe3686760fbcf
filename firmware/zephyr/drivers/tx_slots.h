/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The slots from which LiteEth's Ethernet MAC transmits. A lock ensures that only one thread at a
 * time uses them.
 */
#ifndef CL_TX_SLOTS_H
#define CL_TX_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Locks the transmit slots for the calling thread, and waits until the next slot is free. The slot
 * is free when the Ethernet MAC has sent the earlier frame in it.
 *
 * @return address of the next slot; the caller must unlock the slots with cl_tx_end. NULL after a
 *         time-out, if the Ethernet MAC does not free a slot; then the slots are not locked
 */
uint8_t *cl_tx_begin(void);

/**
 * Tells the Ethernet MAC to send the first @p len bytes of the slot that cl_tx_begin returned, and
 * unlocks the slots.
 *
 * @param len length of the frame in bytes; if 0, nothing is sent
 * @param with_udp_checksum true if the Ethernet MAC must compute the UDP checksum, and write it to
 * its field in the frame
 */
void cl_tx_end(size_t len, bool with_udp_checksum);

/**
 * Waits until the Ethernet MAC has sent the frames in all slots, then zeroizes the slots. Leaves
 * the slots unchanged if the Ethernet MAC does not send all frames in time.
 */
void cl_tx_erase(void);

#endif
