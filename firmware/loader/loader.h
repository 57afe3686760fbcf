/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Handles the loader's records, which write an image into the code memory. Also decides whether the
 * image is allowed to start. The only hardware that this code accesses is the code memory.
 *
 * In the code memory, a header precedes the image. The header is zero during a transfer, so an
 * interrupted transfer leaves no valid image. The loader writes the header last. Then it reads back
 * and checks the whole image.
 */
#ifndef LOADER_H
#define LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl_wire.h"

/** Largest number of data bytes in a record that the loader accepts. */
#define LOADER_DATA_BYTES 1024u
/** Size in bytes of the longest record that the loader accepts, with its header. */
#define LOADER_RECORD_MAX (CL_WIRE_HEADER_SIZE + LOADER_DATA_BYTES)

struct loader {
	/** The code memory, its size in bytes, and the address at which images must be linked. */
	uint32_t *memory;
	size_t size;
	uint32_t origin;
	/** Invalidates the data cache, so that later reads come from the memory. */
	void (*flush)(void);
	/**
	 * Values that the loader reports: the kind of board (CL_WIRE_KIND_*), the cause of the last
	 * reset (CL_WIRE_CAUSE_*), the board's name, and the loader's build id.
	 */
	uint8_t kind;
	uint8_t cause;
	const char *board;
	const uint8_t *build_id;
	/**
	 * True while the loader waits for a first request before it starts the firmware. A request
	 * for the loader sets `passing` to false. While `passing` is true, the loader does not
	 * answer requests for the firmware. The host repeats its request until the firmware has
	 * started and answers.
	 */
	bool passing;
	/** True while an image with the header `header` is being transferred. */
	bool begun;
	struct cl_wire_image header;
};

/** Returns the state of the image in the code memory: CL_WIRE_IMAGE_STATE_*. */
uint8_t loader_state(const struct loader *loader);

/**
 * Processes a record for the loader.
 *
 * @param record as received, @p len bytes, 4-byte aligned
 * @param reply buffer of LOADER_RECORD_MAX bytes; it can be equal to @p record
 * @param start set to true if the caller must start the image in the code memory after it has sent
 *              the reply
 * @return bytes of the reply; 0 if there is none
 */
size_t loader_handle(struct loader *loader, const uint8_t *record, size_t len, uint8_t *reply,
		     bool *start);

#endif
