/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Checks the headers of received records, and writes the headers of replies. This code does not
 * check sessions.
 */
#ifndef CL_RECORD_H
#define CL_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "cl_wire.h"

/**
 * Reads and checks the header of a record.
 *
 * @param header the header, as read from @p record
 * @param record as received, @p len bytes at any alignment
 * @retval 0 the record is a request in our version, with a length field that fits @p len
 * @retval -EBADMSG the record is shorter than a header; @p header is then zero
 * @retval -EINVAL the record is a reply, not a request
 * @retval -EPROTONOSUPPORT the header has another version than ours, so its fields after the
 *                          version can have other meanings
 * @retval -EMSGSIZE the length field does not fit @p len
 */
int cl_record_parse(struct cl_wire_header *header, const uint8_t *record, size_t len);

/**
 * Writes the header of the reply to @p request, with the session, offset and token of the request.
 *
 * @param length bytes of the reply's data
 * @return bytes of the whole reply
 */
size_t cl_record_reply(uint8_t *reply, const struct cl_wire_header *request, uint16_t length);

/**
 * Writes the error reply to @p request.
 *
 * @param data buffer for the reply's data
 * @param code CL_WIRE_ERROR_*
 * @return bytes of the whole reply
 */
size_t cl_record_error(uint8_t *reply, uint8_t *data, const struct cl_wire_header *request,
		       uint16_t code, uint32_t detail);

#endif
