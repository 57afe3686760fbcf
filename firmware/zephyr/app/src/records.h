/**
 * @file
 * The UART that carries records.
 */
#ifndef RECORDS_H
#define RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include <zephyr/kernel.h>

#include "links/link_uart.h"

/**
 * Starts the link on the UART that the devicetree chooses.
 *
 * @param buffer as for cl_link_uart_init
 * @retval 0 done
 * @retval -ENODEV the UART is not ready
 */
int records_init(uint8_t *buffer, size_t capacity);

/**
 * Takes what has arrived, and waits if that is nothing. Call it in a loop.
 *
 * @return bytes of the record that is complete now, in the buffer until the next call; 0 if none is
 */
size_t records_receive(k_timeout_t timeout);

/** Ends the wait of records_receive. */
void records_wake(void);

/** Transmits a record. */
void records_send(const uint8_t *record, size_t len);

/** Erases what the buffer holds of records before; by the thread that receives. */
void records_forget(void);

/** The link, for cl_service_handle. */
struct cl_link *records_link(void);

#endif
