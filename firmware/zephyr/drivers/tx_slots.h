/**
 * @file
 * The slots that LiteEth's MAC transmits from; one thread at a time uses them.
 */
#ifndef CL_TX_SLOTS_H
#define CL_TX_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Takes the next slot for the calling thread, once the MAC has sent its old content.
 *
 * @return the slot, to be returned with cl_tx_end; NULL if the MAC does not free one
 */
uint8_t *cl_tx_begin(void);

/**
 * Has the MAC send @p len bytes of the slot that cl_tx_begin returned, and gives the slot back.
 *
 * @param len 0: nothing is sent
 * @param with_udp_checksum the MAC computes UDP's checksum, and replaces the content of that field
 */
void cl_tx_end(size_t len, bool with_udp_checksum);

/** Waits until all slots are sent and zeroizes them. If the MAC does not send them, it does not. */
void cl_tx_erase(void);

#endif
