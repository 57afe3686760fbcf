/**
 * @file
 * The loader's records: what of an image may be written into the code memory, and whether what is
 * there may be started. Of hardware it knows a memory alone.
 *
 * An image is written behind its header, whose place is zero meanwhile: whatever ends a transfer,
 * what is left is no image. The header is written last, and all of it read back.
 */
#ifndef LOADER_H
#define LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl_wire.h"

/** Most data bytes of a record that the loader takes. */
#define LOADER_DATA_BYTES 1024u
/** And the bytes of such a record. */
#define LOADER_RECORD_MAX (CL_WIRE_HEADER_SIZE + LOADER_DATA_BYTES)

struct loader {
	/** The code memory, and its size in bytes; the address that images are linked for. */
	uint32_t *memory;
	size_t size;
	uint32_t origin;
	/** Has what was written read back from memory. */
	void (*flush)(void);
	/** CL_WIRE_KIND_*, CL_WIRE_CAUSE_*, the board's name, the loader's own build id. */
	uint8_t kind;
	uint8_t cause;
	const char *board;
	const uint8_t *build_id;
	/** Nobody has asked for the loader, and the firmware is about to start: what is for that is
	 * left unanswered, and its sender repeats it. */
	bool passing;
	/** An image has begun to come, with this header. */
	bool begun;
	struct cl_wire_image header;
};

/** What the code memory holds: CL_WIRE_IMAGE_STATE_*. */
uint8_t loader_state(const struct loader *loader);

/**
 * Carries out a record.
 *
 * @param record as received, @p len bytes, 4-byte aligned
 * @param reply LOADER_RECORD_MAX bytes, which may be the record's
 * @param start set if the image in the code memory is to be started when the reply is sent
 * @return bytes of the reply; 0 if there is none
 */
size_t loader_handle(struct loader *loader, const uint8_t *record, size_t len, uint8_t *reply,
		     bool *start);

#endif
