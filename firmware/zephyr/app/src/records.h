/* SPDX-License-Identifier: BSD-2-Clause */
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
 * Starts the link on the UART that the devicetree selects.
 *
 * @param buffer see cl_link_uart_init
 * @retval 0 done
 * @retval -ENODEV the UART is not ready
 */
int records_init(uint8_t *buffer, size_t capacity);

/**
 * Decodes the bytes that have arrived on the UART. If there are none, waits for bytes. Call this
 * function in a loop.
 *
 * @return length in bytes of the record that is now complete, or 0 if no record is complete. The
 *         record stays in the buffer until the next call
 */
size_t records_receive(k_timeout_t timeout);

/** Makes records_receive return if it is waiting for bytes. */
void records_wake(void);

/** Transmits a record. */
void records_send(const uint8_t *record, size_t len);

/**
 * Zeroizes the data that earlier records left in the buffer. Only the thread that receives records
 * is allowed to call this function.
 */
void records_forget(void);

/** Returns the description of the UART link, for the argument `link` of cl_service_handle. */
struct cl_link *records_link(void);

#endif
