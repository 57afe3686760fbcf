/* SPDX-License-Identifier: BSD-2-Clause */
#include "links/cobs.h"

/** Ends the current block at index `fill` of `chunk`, and begins the next block. */
static void next_block(struct cl_cobs_encoder *encoder)
{
	encoder->chunk[encoder->code] = (uint8_t)(encoder->fill - encoder->code);
	/* If another block of full length would not fit, transmit the contents of `chunk`. */
	if (encoder->fill + 1 + CL_COBS_RUN > sizeof(encoder->chunk)) {
		encoder->put(encoder->context, encoder->chunk, encoder->fill);
		encoder->fill = 0;
	}
	encoder->code = encoder->fill++;
}

void cl_cobs_begin(struct cl_cobs_encoder *encoder, cl_cobs_put *put, void *context)
{
	encoder->put = put;
	encoder->context = context;
	encoder->code = 0;
	encoder->fill = 1;
}

void cl_cobs_encode(struct cl_cobs_encoder *encoder, const uint8_t *data, size_t size)
{
	const uint8_t *const end = data + size;

	while (data != end) {
		uint8_t *out = encoder->chunk + encoder->fill;
		const uint8_t *const full = encoder->chunk + encoder->code + 1 + CL_COBS_RUN;

		/* The current block is full, and more data follow: end this block. */
		if (out == full) {
			next_block(encoder);
			continue;
		}
		while (data != end && *data != 0 && out != full) {
			*out++ = *data++;
		}
		encoder->fill = (size_t)(out - encoder->chunk);
		if (data != end && *data == 0 && out != full) {
			data++;
			next_block(encoder);
		}
	}
}

void cl_cobs_end(struct cl_cobs_encoder *encoder)
{
	encoder->chunk[encoder->code] = (uint8_t)(encoder->fill - encoder->code);
	encoder->put(encoder->context, encoder->chunk, encoder->fill);
	encoder->chunk[0] = 0;
	encoder->put(encoder->context, encoder->chunk, 1);
}
