/* SPDX-License-Identifier: BSD-2-Clause */
#include "accelerator/engine_accel_gcm.h"

#include <errno.h>
#include <string.h>

#include "accelerator/accel_gcm.h"
#include "zeroize.h"

/** The part of the bounce buffer that is still free. */
struct space {
	uint8_t *next;
	size_t bytes;
};

/**
 * Returns @p buffer if the DMA reaches it or @p len is 0. Otherwise reserves a part of the bounce
 * buffer and returns its address; returns NULL if the free part of the bounce buffer is too short.
 */
static uint8_t *reached(const struct cl_accel_device *device, struct space *space,
			const uint8_t *buffer, size_t len)
{
	uint8_t *const part = space->next;

	if (len == 0 || cl_engine_accel_reaches(device, buffer, len)) {
		return (uint8_t *)(uintptr_t)buffer;
	}
	if (len > space->bytes) {
		return NULL;
	}
	space->next += len;
	space->bytes -= len;
	return part;
}

static bool is_cached(const struct cl_accel_device *device, const uint8_t *buffer)
{
	return (uintptr_t)buffer - device->uncached_origin >= device->uncached_bytes;
}

static int accel_gcm(const struct cl_engine *engine, const struct cl_engine_key *key,
		     const struct cl_gcm_message *message)
{
	const struct cl_accel_device *device = engine->hw;
	struct space space = {.next = device->bounce, .bytes = device->bounce_bytes};
	const int refused = cl_engine_accel_check_key(device, key);

	if (refused != 0) {
		return refused;
	}
	if (message->len > UINT32_MAX || message->aad_len > UINT32_MAX) {
		return -EINVAL;
	}
	uint8_t *const tag = reached(device, &space, message->tag, CL_BLOCK_BYTES);
	uint8_t *const aad = reached(device, &space, message->aad, message->aad_len);
	const bool direct = cl_engine_accel_reaches(device, message->in, message->len) &&
			    cl_engine_accel_reaches(device, message->out, message->len);
	uint8_t *const in =
		direct || message->len == 0 ? (uint8_t *)(uintptr_t)message->in : space.next;
	uint8_t *const out = in == message->in ? message->out : in;

	if (tag == NULL || (aad == NULL && message->aad_len > 0) ||
	    (in != message->in && message->len > space.bytes)) {
		return -ENOMEM;
	}
	if (aad != message->aad) {
		memcpy(aad, message->aad, message->aad_len);
	}
	if (in != message->in) {
		memcpy(in, message->in, message->len);
	}
	if (tag != message->tag && message->decrypt) {
		memcpy(tag, message->tag, CL_BLOCK_BYTES);
	}
	const struct cl_accel_gcm descriptor = {
		.mode = message->decrypt ? CL_ACCEL_OPTIONS_MODE_DECRYPT
					 : CL_ACCEL_OPTIONS_MODE_ENCRYPT,
		.slot = key->slot,
		.tag_length = CL_BLOCK_BYTES,
		.uncached = !is_cached(device, out) && !is_cached(device, tag),
		.iv = message->nonce,
		.iv_length = CL_GCM_NONCE_BYTES,
		.aad = aad,
		.aad_length = (uint32_t)message->aad_len,
		.in = in,
		.out = out,
		.length = (uint32_t)message->len,
		.tag = tag,
	};
	const int result = cl_accel_gcm_run(&device->accel, &descriptor);

	if (result == 0 && out != message->out) {
		memcpy(message->out, out, message->len);
	}
	if (result == 0 && tag != message->tag && !message->decrypt) {
		memcpy(message->tag, tag, CL_BLOCK_BYTES);
	}
	/* Zeroize everything that was copied into the bounce buffer. */
	cl_zeroize(device->bounce,
		   (size_t)(space.next - device->bounce) + (in != message->in ? message->len : 0));
	return result;
}

/**
 * Implements cl_accel_device.pass: encrypts the bounce buffer in place, as one GCM message. Nothing
 * uses the result, so the tag is allowed to overwrite the first bytes of the ciphertext.
 */
static void pass(const struct cl_accel_device *device, unsigned int slot, size_t len)
{
	static const uint8_t iv[CL_GCM_NONCE_BYTES];
	const struct cl_accel_gcm message = {
		.mode = CL_ACCEL_OPTIONS_MODE_ENCRYPT,
		.slot = (uint8_t)slot,
		.tag_length = CL_BLOCK_BYTES,
		.iv = iv,
		.iv_length = sizeof(iv),
		.in = device->bounce,
		.out = device->bounce,
		.length = (uint32_t)len,
		.tag = device->bounce,
	};

	(void)cl_accel_gcm_run(&device->accel, &message);
}

struct cl_engine cl_engine_accel_gcm(struct cl_accel_device *device)
{
	struct cl_engine engine = cl_engine_accel(device);

	device->pass = pass;
	engine.gcm = accel_gcm;
	return engine;
}
