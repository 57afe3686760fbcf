/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Consistent Overhead Byte Stuffing (Cheshire and Baker 1999). It encodes each frame without zero
 * bytes, and ends the frame with one zero byte.
 *
 * An encoded frame is a sequence of blocks. A block is a code byte n, 1 to 255, and n - 1 bytes
 * that are not zero. The block represents these bytes and one zero byte after them. A block with
 * n = 255, and the last block of a frame, represent no zero byte.
 */
#ifndef CL_COBS_H
#define CL_COBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zeroize.h"

/** Largest number of data bytes in a block. */
#define CL_COBS_RUN 254u

/**
 * Upper bound of the bytes on the wire for a frame of @p size bytes, including codes and delimiter.
 */
#define CL_COBS_MAX(size) ((size) + (size) / CL_COBS_RUN + 2u)

/** Returns the next byte received, or a negative number if there is none at present. */
typedef int cl_cobs_get(void *context);

/** Transmits @p size bytes; returns when the caller is free to overwrite @p bytes. */
typedef void cl_cobs_put(void *context, const uint8_t *bytes, size_t size);

/** A frame being received. */
struct cl_cobs_decoder {
	/** Buffer for the decoded frame. */
	uint8_t *buffer;
	size_t capacity;
	/** Bytes decoded so far. */
	size_t length;
	/** Number of data bytes of the current block that the decoder has not received yet. */
	uint8_t left;
	/**
	 * True if a zero byte follows the data bytes of the current block in the decoded frame. The
	 * decoder drops this zero byte if the block is the last block of the frame.
	 */
	bool zero;
	/** True if the frame is longer than the buffer; the rest of the frame is then ignored. */
	bool too_long;
};

enum cl_cobs_status {
	/**
	 * The frame is not complete: either no more bytes are available at present, or this call
	 * has reached its limit. Call the function again.
	 */
	CL_COBS_MORE,
	/** A frame of `length` bytes is in the buffer. */
	CL_COBS_FRAME,
	/** The frame has ended, but it was broken or too long. The buffer is zeroized. */
	CL_COBS_BAD,
};

/** Prepares the decoder for the next frame. Call it when the decoded frame is no longer needed. */
static inline void cl_cobs_restart(struct cl_cobs_decoder *decoder)
{
	decoder->length = 0;
	decoder->left = 0;
	decoder->zero = false;
	decoder->too_long = false;
}

/**
 * Decodes received bytes up to the end of a frame; skips empty frames. One call reads at most
 * `capacity` bytes, so a sender that never pauses cannot block the caller.
 *
 * The function is inlined together with @p get, so that the decoder's state stays in CPU registers
 * as long as bytes are available. After CL_COBS_FRAME or CL_COBS_BAD the caller restarts the
 * decoder.
 */
static inline __attribute__((always_inline)) enum cl_cobs_status
cl_cobs_decode(struct cl_cobs_decoder *decoder, cl_cobs_get *get, void *context)
{
	uint8_t *out = decoder->buffer + decoder->length;
	const uint8_t *const end = decoder->buffer + decoder->capacity;
	unsigned int left = decoder->left;
	bool zero = decoder->zero;
	enum cl_cobs_status status = CL_COBS_MORE;

	for (size_t budget = decoder->capacity; budget > 0; budget--) {
		const int byte = get(context);
		int decoded = byte;

		if (byte < 0) {
			break;
		}
		if (byte == 0) {
			if (left != 0 || decoder->too_long) {
				status = CL_COBS_BAD;
				break;
			}
			if (zero || out != decoder->buffer) {
				status = CL_COBS_FRAME;
				break;
			}
			continue;
		}
		if (left != 0) {
			left--;
		} else {
			const bool pending = zero;

			left = (unsigned int)byte - 1;
			zero = byte != 0xff;
			if (!pending) {
				continue;
			}
			decoded = 0;
		}
		/* Without this check, the store below could write past the end of the buffer. */
		if (out == end) {
			decoder->too_long = true;
			out = decoder->buffer;
		}
		*out++ = (uint8_t)decoded;
	}
	decoder->length = (size_t)(out - decoder->buffer);
	decoder->left = (uint8_t)left;
	decoder->zero = zero;
	if (status == CL_COBS_BAD) {
		cl_zeroize(decoder->buffer, decoder->capacity);
	}
	return status;
}

/** A frame being transmitted. */
struct cl_cobs_encoder {
	cl_cobs_put *put;
	void *context;
	/** Bytes in `chunk`. */
	size_t fill;
	/** Index in `chunk` at which the code of the current block is stored. */
	size_t code;
	/**
	 * Data to transmit: finished blocks and the current block. They are collected so that `put`
	 * is called less often.
	 */
	uint8_t chunk[2 * (CL_COBS_RUN + 1)];
};

/** Begins a frame. */
void cl_cobs_begin(struct cl_cobs_encoder *encoder, cl_cobs_put *put, void *context);

/** Adds data to the frame. */
void cl_cobs_encode(struct cl_cobs_encoder *encoder, const uint8_t *data, size_t size);

/** Ends the frame with its delimiter. */
void cl_cobs_end(struct cl_cobs_encoder *encoder);

#endif
