/**
 * @file
 * The loader's records: they write an image into the code memory, and decide whether the image
 * there may be started. Of the hardware, this code knows only the memory.
 *
 * While an image is being written, the header in front of it is zero. So a transfer that ends early
 * leaves no valid image. The header is written last, and then the whole image is read back.
 */
#ifndef LOADER_H
#define LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl_wire.h"

/** Most data bytes in a record that the loader accepts. */
#define LOADER_DATA_BYTES 1024u
/** Size in bytes of such a record with its header. */
#define LOADER_RECORD_MAX (CL_WIRE_HEADER_SIZE + LOADER_DATA_BYTES)

struct loader {
	/** The code memory, its size in bytes, and the address that images are linked for. */
	uint32_t *memory;
	size_t size;
	uint32_t origin;
	/** Makes later reads come from the memory instead of the data cache. */
	void (*flush)(void);
	/** CL_WIRE_KIND_*, CL_WIRE_CAUSE_*, the board's name and the loader's own build id. */
	uint8_t kind;
	uint8_t cause;
	const char *board;
	const uint8_t *build_id;
	/**
	 * No request for the loader has come, and the firmware is about to start. Records for the
	 * firmware get no answer meanwhile, and their sender repeats them.
	 */
	bool passing;
	/** An image with this header is being transferred. */
	bool begun;
	struct cl_wire_image header;
};

/** Returns the state of the image in the code memory: CL_WIRE_IMAGE_STATE_*. */
uint8_t loader_state(const struct loader *loader);

/**
 * Carries out a record.
 *
 * @param record as received, @p len bytes, 4-byte aligned
 * @param reply buffer of LOADER_RECORD_MAX bytes; it may be @p record
 * @param start set to true if the image in the code memory must be started once the reply is sent
 * @return bytes of the reply; 0 if there is none
 */
size_t loader_handle(struct loader *loader, const uint8_t *record, size_t len, uint8_t *reply,
		     bool *start);

#endif
