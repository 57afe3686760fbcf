/* SPDX-License-Identifier: BSD-2-Clause */
#include "links/link_uart.h"

#include "cl_wire.h"
#include "zeroize.h"

void cl_link_uart_init(struct cl_link_uart *uart, struct cl_link *link, uint8_t *buffer,
		       size_t capacity, cl_cobs_put *put, void *context)
{
	uart->link = link;
	uart->decoder.buffer = buffer;
	uart->decoder.capacity = capacity;
	cl_cobs_restart(&uart->decoder);
	uart->put = put;
	uart->context = context;
}

size_t cl_link_uart_frame(struct cl_link_uart *uart, enum cl_cobs_status status)
{
	struct cl_wire_counters_reply *const counters = &uart->link->counters;
	uint8_t *const frame = uart->decoder.buffer;
	const size_t length = uart->decoder.length;

	cl_cobs_restart(&uart->decoder);
	if (status != CL_COBS_FRAME || length < CL_WIRE_HEADER_SIZE + CL_CRC32_BYTES) {
		counters->framing_errors++;
		cl_zeroize(frame, length);
		return 0;
	}
	const size_t len = length - CL_CRC32_BYTES;

	if (cl_crc32(0, frame, len) != cl_load_u32(frame + len)) {
		counters->crc_errors++;
		cl_zeroize(frame, length);
		return 0;
	}
	return len;
}

void cl_link_uart_send(struct cl_link_uart *uart, const uint8_t *record, size_t len)
{
	struct cl_cobs_encoder encoder;
	uint8_t crc[CL_CRC32_BYTES];

	if (len == 0) {
		return;
	}
	cl_store_u32(crc, cl_crc32(0, record, len));
	cl_cobs_begin(&encoder, uart->put, uart->context);
	cl_cobs_encode(&encoder, record, len);
	cl_cobs_encode(&encoder, crc, sizeof(crc));
	cl_cobs_end(&encoder);
	cl_zeroize(encoder.chunk, sizeof(encoder.chunk));
}

void cl_link_uart_forget(struct cl_link_uart *uart)
{
	const struct cl_cobs_decoder *const decoder = &uart->decoder;

	cl_zeroize(decoder->buffer + decoder->length, decoder->capacity - decoder->length);
}
