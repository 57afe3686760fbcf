/* SPDX-License-Identifier: BSD-2-Clause */
#include "loader.h"

#include <errno.h>

#include "links/crc32.h"
#include "links/record.h"

#define MAGIC          UINT32_C(0x57464C43)
#define COVERED_BYTES  CL_WIRE_IMAGE_CRC
#define GATEWARE_BYTES 8u /* the first 8 bytes of a build id identify the gateware */
#define ALIGNMENT      16u

static uint8_t *firmware(const struct loader *loader)
{
	return (uint8_t *)loader->memory + CL_WIRE_IMAGE_SIZE;
}

/*
 * Returns the state of an image (CL_WIRE_IMAGE_STATE_*), judged only by its header: the image's
 * data are not checked.
 */
static uint8_t header_state(const struct loader *loader, const struct cl_wire_image *header)
{
	if (header->magic != MAGIC) {
		return CL_WIRE_IMAGE_STATE_NONE;
	}
	if (header->origin != loader->origin || header->length == 0 || header->length % 4 != 0 ||
	    header->length > loader->size - CL_WIRE_IMAGE_SIZE) {
		return CL_WIRE_IMAGE_STATE_LAYOUT;
	}
	if (memcmp(header->build_id, loader->build_id, GATEWARE_BYTES) != 0) {
		return CL_WIRE_IMAGE_STATE_GATEWARE;
	}
	return CL_WIRE_IMAGE_STATE_WHOLE;
}

uint8_t loader_state(const struct loader *loader)
{
	struct cl_wire_image header;

	loader->flush();
	cl_wire_get_image(&header, (const uint8_t *)loader->memory);

	const uint8_t state = header_state(loader, &header);

	if (state != CL_WIRE_IMAGE_STATE_WHOLE) {
		return state;
	}
	uint32_t crc = cl_crc32(0, (const uint8_t *)&header, COVERED_BYTES);

	crc = cl_crc32(crc, firmware(loader), header.length);
	return crc == header.crc ? CL_WIRE_IMAGE_STATE_WHOLE : CL_WIRE_IMAGE_STATE_DAMAGED;
}

static void put_name(uint8_t to[16], const char *name)
{
	for (size_t i = 0; i < 16 && name[i] != '\0'; i++) {
		to[i] = (uint8_t)name[i];
	}
}

/*
 * Writes the reply to a record of type `loader` into @p data. Returns the reply's length in bytes.
 */
static uint16_t describe(const struct loader *loader, uint8_t *data)
{
	struct cl_wire_loader_reply reply = {
		.kind = loader->kind,
		.cause = loader->cause,
		.image = loader_state(loader),
		.data_bytes = LOADER_DATA_BYTES,
		.capacity = (uint32_t)loader->size,
		.origin = loader->origin,
	};

	put_name(reply.board, loader->board);
	memcpy(reply.build_id, loader->build_id, sizeof(reply.build_id));
	if (reply.image == CL_WIRE_IMAGE_STATE_WHOLE) {
		struct cl_wire_image header;

		cl_wire_get_image(&header, (const uint8_t *)loader->memory);
		memcpy(reply.image_id, header.build_id, sizeof(reply.image_id));
	}
	cl_wire_put_loader_reply(data, &reply);
	return CL_WIRE_LOADER_REPLY_SIZE;
}

/* The fields `code` and `detail` of an error reply. If `code` is 0, there is no error. */
struct refusal {
	uint16_t code;
	uint32_t detail;
};

static struct refusal begin(struct loader *loader, const uint8_t *data)
{
	struct cl_wire_image header;

	cl_wire_get_image(&header, data);

	const uint8_t state = header_state(loader, &header);

	if (state != CL_WIRE_IMAGE_STATE_WHOLE) {
		return (struct refusal){CL_WIRE_ERROR_IMAGE, state};
	}
	memset(loader->memory, 0, CL_WIRE_IMAGE_SIZE);
	loader->header = header;
	loader->begun = true;
	return (struct refusal){0};
}

static struct refusal write(struct loader *loader, uint64_t offset, const uint8_t *data,
			    uint16_t length)
{
	if (!loader->begun) {
		return (struct refusal){CL_WIRE_ERROR_IMAGE, CL_WIRE_IMAGE_STATE_NONE};
	}
	if (length > LOADER_DATA_BYTES || length % 4 != 0) {
		return (struct refusal){CL_WIRE_ERROR_LENGTH, LOADER_DATA_BYTES};
	}
	if (offset % ALIGNMENT != 0 || offset > loader->header.length ||
	    length > loader->header.length - offset) {
		return (struct refusal){CL_WIRE_ERROR_OFFSET, ALIGNMENT};
	}
	memcpy(firmware(loader) + offset, data, length);
	return (struct refusal){0};
}

static struct refusal start(struct loader *loader)
{
	if (loader->begun) {
		cl_wire_put_image((uint8_t *)loader->memory, &loader->header);
	}

	const uint8_t state = loader_state(loader);

	if (state == CL_WIRE_IMAGE_STATE_WHOLE) {
		return (struct refusal){0};
	}
	if (loader->begun) {
		memset(loader->memory, 0, CL_WIRE_IMAGE_SIZE);
	}
	return (struct refusal){CL_WIRE_ERROR_IMAGE, state};
}

/*
 * Returns the number of data bytes that a request of this type must have. A request of type
 * CL_WIRE_TYPE_LOAD_DATA can have different lengths, which write() checks. So for this type, the
 * function returns the length that the header contains.
 */
static uint16_t request_bytes(const struct cl_wire_header *header)
{
	switch (header->type) {
	case CL_WIRE_TYPE_LOAD_BEGIN:
		return CL_WIRE_LOAD_BEGIN_REQUEST_SIZE;
	case CL_WIRE_TYPE_LOAD_DATA:
		return header->length;
	default:
		return 0;
	}
}

size_t loader_handle(struct loader *loader, const uint8_t *record, size_t len, uint8_t *reply,
		     bool *start_image)
{
	struct cl_wire_header header;
	struct refusal refusal = {0};
	uint8_t *const data = reply + CL_WIRE_HEADER_SIZE;
	const uint8_t *const given = record + CL_WIRE_HEADER_SIZE;
	uint16_t length = 0;
	const int status = cl_record_parse(&header, record, len);

	*start_image = false;
	if (status == -EBADMSG || status == -EINVAL) {
		return 0;
	}
	const bool mine =
		header.type >= CL_WIRE_TYPE_LOADER && header.type <= CL_WIRE_TYPE_LOAD_START;

	if (loader->passing && (status != 0 || !mine)) {
		return 0;
	}
	if (status == -EPROTONOSUPPORT) {
		refusal = (struct refusal){CL_WIRE_ERROR_VERSION, CL_WIRE_VERSION};
	} else if (!mine) {
		refusal = (struct refusal){CL_WIRE_ERROR_LOADING, loader->cause};
	} else if (status != 0 || header.length != request_bytes(&header)) {
		refusal = (struct refusal){CL_WIRE_ERROR_LENGTH, request_bytes(&header)};
	} else if (header.type == CL_WIRE_TYPE_LOADER) {
		length = describe(loader, data);
	} else if (header.type == CL_WIRE_TYPE_LOAD_BEGIN) {
		refusal = begin(loader, given);
	} else if (header.type == CL_WIRE_TYPE_LOAD_DATA) {
		refusal = write(loader, header.offset, given, header.length);
	} else {
		refusal = start(loader);
		*start_image = refusal.code == 0;
	}
	loader->passing = false;
	return refusal.code != 0
		       ? cl_record_error(reply, data, &header, refusal.code, refusal.detail)
		       : cl_record_reply(reply, &header, length);
}
