/**
 * @file
 * Consistent Overhead Byte Stuffing (Cheshire and Baker 1999): frames without zero bytes, each
 * ended by one zero.
 *
 * A frame is a chain of blocks. A block is a code n, 1 to 255, and n - 1 bytes that are not zero;
 * it stands for these bytes and a zero after them, which a block of code 255 and the last block of
 * a frame do not have.
 */
#ifndef CL_COBS_H
#define CL_COBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zeroize.h"

/** Most data bytes of a block. */
#define CL_COBS_RUN 254u

/** Bytes on the wire of a frame of @p size bytes, at most: codes and the delimiter included. */
#define CL_COBS_MAX(size) ((size) + (size) / CL_COBS_RUN + 2u)

/** Gives the next byte received, or a negative number when there is none at present. */
typedef int cl_cobs_get(void *context);

/** Takes @p size bytes to transmit, and returns when it has them. */
typedef void cl_cobs_put(void *context, const uint8_t *bytes, size_t size);

/** A frame being received. */
struct cl_cobs_decoder {
	/** Where the decoded frame goes. */
	uint8_t *buffer;
	size_t capacity;
	/** Bytes decoded. */
	size_t length;
	/** Data bytes of the present block still to come. */
	uint8_t left;
	/** The present block ends with a zero, if another one follows. */
	bool zero;
	/** The frame did not fit; what is left of it is ignored. */
	bool too_long;
};

enum cl_cobs_status {
	/** No more bytes at present, or enough of them for one call: call again. */
	CL_COBS_MORE,
	/** A frame is in the buffer, `length` bytes. */
	CL_COBS_FRAME,
	/** A frame ended that was too long or broken; the buffer is zeroized. */
	CL_COBS_BAD,
};

/** Prepares for the next frame. The caller has consumed the last. */
static inline void cl_cobs_restart(struct cl_cobs_decoder *decoder)
{
	decoder->length = 0;
	decoder->left = 0;
	decoder->zero = false;
	decoder->too_long = false;
}

/**
 * Decodes what has been received, up to the end of a frame; an empty frame is passed over. Takes a
 * bounded number of bytes, so that a sender that never pauses cannot hold the caller.
 *
 * Inlined with @p get: the state is in registers for as long as bytes are at hand. After
 * CL_COBS_FRAME or CL_COBS_BAD the caller restarts the decoder.
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
		if (out == end) { /* stays inside the buffer, whatever comes */
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
	/** Where in `chunk` the code of the present block goes. */
	size_t code;
	/** Closed blocks and the present one: they are put together, in few calls. */
	uint8_t chunk[2 * (CL_COBS_RUN + 1)];
};

/** Begins a frame. */
void cl_cobs_begin(struct cl_cobs_encoder *encoder, cl_cobs_put *put, void *context);

/** Adds data to the frame. */
void cl_cobs_encode(struct cl_cobs_encoder *encoder, const uint8_t *data, size_t size);

/** Ends the frame with its delimiter. */
void cl_cobs_end(struct cl_cobs_encoder *encoder);

#endif
