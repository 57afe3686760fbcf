/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Records over a UART. Each record is followed by its CRC-32, encoded with COBS, and ended by one
 * zero byte.
 */
#ifndef CL_LINK_UART_H
#define CL_LINK_UART_H

#include <stddef.h>
#include <stdint.h>

#include "links/cobs.h"
#include "links/crc32.h"
#include "links/link.h"

struct cl_link_uart {
	struct cl_link *link;
	struct cl_cobs_decoder decoder;
	cl_cobs_put *put;
	void *context;
};

/** Size of a receive buffer for records of up to @p record_max bytes. */
#define CL_LINK_UART_BUFFER(record_max) ((record_max) + CL_CRC32_BYTES)

/**
 * Starts a UART link.
 *
 * @param buffer   buffer for received records, 4-byte aligned, CL_LINK_UART_BUFFER(record_max)
 *                 bytes
 * @param put      transmits bytes, with @p context
 */
void cl_link_uart_init(struct cl_link_uart *uart, struct cl_link *link, uint8_t *buffer,
		       size_t capacity, cl_cobs_put *put, void *context);

/**
 * Checks the frame whose end the decoder has just found, and restarts the decoder. Returns the
 * length of the record in bytes, or 0 if the frame is not valid.
 */
size_t cl_link_uart_frame(struct cl_link_uart *uart, enum cl_cobs_status status);

/**
 * Reads the bytes that the UART has received. If these bytes complete a record, returns the
 * record's length.
 *
 * Frames that are broken, too short or too long, or whose CRC is wrong, are zeroized and counted.
 * Each call reads a limited number of bytes: call the function in a loop. The function is inlined
 * together with @p get, so a program should call it at only one place.
 *
 * @return length in bytes of the record, which is in the buffer until the next call; 0 if no record
 *         is complete yet
 */
static inline __attribute__((always_inline)) size_t
cl_link_uart_receive(struct cl_link_uart *uart, cl_cobs_get *get, void *context)
{
	const enum cl_cobs_status status = cl_cobs_decode(&uart->decoder, get, context);

	return __builtin_expect(status == CL_COBS_MORE, 1) ? 0 : cl_link_uart_frame(uart, status);
}

/**
 * Zeroizes the remains of earlier records in the buffer, that is, all bytes after the record that
 * is arriving now.
 */
void cl_link_uart_forget(struct cl_link_uart *uart);

/** Transmits a record, or nothing if @p len is 0. Returns when `put` has accepted all bytes. */
void cl_link_uart_send(struct cl_link_uart *uart, const uint8_t *record, size_t len);

#endif
