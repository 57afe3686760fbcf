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
 * @param buffer as for cl_link_uart_init
 * @retval 0 done
 * @retval -ENODEV the UART is not ready
 */
int records_init(uint8_t *buffer, size_t capacity);

/**
 * Decodes the bytes that have arrived; if there are none, waits for bytes. Call it in a loop.
 *
 * @return bytes of the record that is now complete; it stays in the buffer until the next call.
 *         0 if no record is complete
 */
size_t records_receive(k_timeout_t timeout);

/** Makes a waiting records_receive return. */
void records_wake(void);

/** Transmits a record. */
void records_send(const uint8_t *record, size_t len);

/** Zeroizes the data of earlier records in the buffer. Only the receiving thread may call it. */
void records_forget(void);

/** Returns the link, for cl_service_handle. */
struct cl_link *records_link(void);

#endif
