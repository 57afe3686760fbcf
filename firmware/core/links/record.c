/* SPDX-License-Identifier: BSD-2-Clause */
#include "links/record.h"

#include <errno.h>

int cl_record_parse(struct cl_wire_header *header, const uint8_t *record, size_t len)
{
	if (len < CL_WIRE_HEADER_SIZE) {
		memset(header, 0, sizeof(*header));
		return -EBADMSG;
	}
	cl_wire_get_header(header, record);
	/*
	 * Drop replies before checking the version. Otherwise two boards with different versions
	 * would answer each other's error replies for ever.
	 */
	if ((header->type & CL_WIRE_REPLY) != 0) {
		return -EINVAL;
	}
	if (header->version != CL_WIRE_VERSION) {
		return -EPROTONOSUPPORT;
	}
	if (header->length != len - CL_WIRE_HEADER_SIZE) {
		return -EMSGSIZE;
	}
	return 0;
}

static size_t put_header(uint8_t *reply, const struct cl_wire_header *request, uint8_t type,
			 uint16_t length)
{
	struct cl_wire_header header = *request;

	header.version = CL_WIRE_VERSION;
	header.type = type;
	header.length = length;
	cl_wire_put_header(reply, &header);
	return CL_WIRE_HEADER_SIZE + (size_t)length;
}

size_t cl_record_reply(uint8_t *reply, const struct cl_wire_header *request, uint16_t length)
{
	return put_header(reply, request, request->type | CL_WIRE_REPLY, length);
}

size_t cl_record_error(uint8_t *reply, uint8_t *data, const struct cl_wire_header *request,
		       uint16_t code, uint32_t detail)
{
	const struct cl_wire_error_reply error = {
		.code = code, .request = request->type, .reserved = 0, .detail = detail};

	cl_wire_put_error_reply(data, &error);
	return put_header(reply, request, CL_WIRE_TYPE_ERROR, CL_WIRE_ERROR_REPLY_SIZE);
}
