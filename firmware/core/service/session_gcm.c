/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handles records of sessions in GCM. The section "GCM sessions" of wire.toml defines the nonces
 * and tags of these records.
 */
#include <errno.h>
#include <string.h>

#include "engine/ctr.h"
#include "gcm/gcm.h"
#include "service/session.h"

static uint16_t refuse(uint32_t *detail, uint16_t code, uint32_t value)
{
	*detail = value;
	return code;
}

/** Encrypts or decrypts a record as a GCM message. The tag follows the ciphertext. */
static int run(const struct cl_session *session, uint32_t number, const uint8_t *in, uint8_t *out,
	       size_t len)
{
	const bool decrypt = session->request.direction != 0;
	const uint32_t blocks = session->request.record_bytes / CL_BLOCK_BYTES;
	const uint32_t swapped = cl_ctr_swap(number);
	uint8_t nonce[CL_GCM_NONCE_BYTES];
	uint8_t aad[CL_BLOCK_BYTES] = "CLGC\1";
	const struct cl_gcm_message message = {
		.nonce = nonce,
		.aad = aad,
		.aad_len = sizeof(aad),
		.in = in,
		.out = out,
		.len = len,
		.tag = decrypt ? (uint8_t *)(uintptr_t)in + len : out + len,
		.decrypt = decrypt,
	};

	aad[5] = (uint8_t)(session->request.key_bits / 8);
	aad[6] = (uint8_t)(blocks >> 8);
	aad[7] = (uint8_t)blocks;
	memcpy(aad + 8, session->iv, CL_SESSION_PREFIX_BYTES);
	memcpy(nonce, session->iv, CL_SESSION_PREFIX_BYTES);
	memcpy(nonce + CL_SESSION_PREFIX_BYTES, &swapped, sizeof(swapped));
	return cl_gcm_run(session->engine, &session->key, &message);
}

/**
 * Checks a record in GCM against the records that have already arrived: no record is allowed to
 * follow the last record of a stream. Returns true if the record obeys this rule. @p last is true
 * if the record is marked as the last one. @p end is the record's number plus 1.
 */
static bool may_end(const struct cl_stream *stream, uint32_t end, bool last)
{
	if (stream->end == 0) {
		return !last || end > cl_window_end(&stream->window);
	}
	return end <= stream->end && last == (end == stream->end);
}

uint16_t cl_session_message(struct cl_session *session, const struct cl_platform *platform,
			    uint64_t offset, uint64_t sum, uint32_t number, const uint8_t *in,
			    uint8_t *out, int32_t text, uint32_t *detail)
{
	struct cl_stream *const stream = session->stream;
	struct cl_wire_stat_reply *const stat = &session->stat;
	const bool last = (number & 1) != 0;
	const uint32_t record = number / 2;
	const int32_t least = last ? offset != 0 : (int32_t)session->request.record_bytes;

	if (text < least) {
		return refuse(detail, CL_WIRE_ERROR_LENGTH, (uint32_t)least + session->request_tag);
	}
	if (!may_end(stream, record + 1, last)) {
		return refuse(detail, CL_WIRE_ERROR_OFFSET, session->request.record_bytes);
	}
	const enum cl_window_verdict verdict = cl_window_judge(&stream->window, record, sum);

	if (verdict == CL_WINDOW_OUTSIDE) {
		return refuse(detail, CL_WIRE_ERROR_WINDOW, stream->window.records);
	}
	if (verdict == CL_WINDOW_OTHER) {
		return refuse(detail, CL_WIRE_ERROR_OTHER_DATA, 0);
	}
	const uint32_t begin = cl_platform_cycles(platform);
	const int status = run(session, number, in, out, (size_t)text);
	const uint32_t cycles = cl_platform_cycles(platform) - begin;

	if (status == -EBADMSG) {
		return refuse(detail, CL_WIRE_ERROR_TAG, ++stat->tag_errors);
	}
	if (status != 0) {
		return refuse(detail, CL_WIRE_ERROR_HARDWARE, (uint32_t)-status);
	}
	if (verdict == CL_WINDOW_NEW) {
		cl_window_accept(&stream->window, record, sum);
	}
	if (last) {
		stream->end = record + 1;
	}
	stat->bytes += (uint32_t)text;
	stat->blocks += ((uint32_t)text + CL_BLOCK_BYTES - 1) / CL_BLOCK_BYTES;
	stat->cycles += cycles;
	stat->records++;
	return 0;
}
