/**
 * @file
 * The slots that LiteEth's MAC transmits from, for one thread at a time.
 */
#ifndef CL_TX_SLOTS_H
#define CL_TX_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Takes the next slot for the calling thread, when the MAC has sent what was in it.
 *
 * @return the slot, to be given back by cl_tx_end; NULL if the MAC does not free one
 */
uint8_t *cl_tx_begin(void);

/**
 * Has the MAC send the @p len bytes in the slot that cl_tx_begin gave, and gives it back.
 *
 * @param len 0: nothing is sent
 * @param with_udp_checksum the MAC makes UDP's checksum, of what is in its place
 */
void cl_tx_end(size_t len, bool with_udp_checksum);

/** Erases what was sent, once it is, but what the MAC does not send. */
void cl_tx_erase(void);

#endif
