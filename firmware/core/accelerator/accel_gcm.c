/* SPDX-License-Identifier: BSD-2-Clause */
#include "accelerator/accel_gcm.h"

#include <errno.h>

#include "accelerator/accel_access.h"

#define IV_BYTES 12u

int cl_accel_gcm_submit(const struct cl_accel *accel, const struct cl_accel_gcm *message,
			uint16_t *number)
{
	const uintptr_t iv = (uintptr_t)message->iv;
	const uintptr_t aad = (uintptr_t)message->aad;
	const uintptr_t source = (uintptr_t)message->in;
	const uintptr_t destination = (uintptr_t)message->out;
	const uintptr_t tag = (uintptr_t)message->tag;
	const bool hash_iv = message->iv_length != IV_BYTES;
	uint32_t words[4] = {(uint32_t)iv, message->iv_length, 0, (uint32_t)tag};

	if (message->slot >= CL_ACCEL_SLOTS || message->mode == CL_ACCEL_OPTIONS_MODE_CTR ||
	    message->mode > CL_ACCEL_OPTIONS_MODE_VERIFY || message->tag_length > 16) {
		return -EINVAL;
	}
	if (aad > UINT32_MAX || source > UINT32_MAX || destination > UINT32_MAX ||
	    tag > UINT32_MAX || (hash_iv && iv > UINT32_MAX)) {
		return -EFAULT;
	}
	if (!hash_iv) {
		__builtin_memcpy(words, message->iv, IV_BYTES);
	}
	for (uint32_t i = 0; i < 4; i++) {
		CL_ACCEL_WRITE(accel, CL_ACCEL_IV0 + i * (CL_ACCEL_IV1 - CL_ACCEL_IV0), words[i]);
	}
	CL_ACCEL_WRITE(accel, CL_ACCEL_INDEX_LO, (uint32_t)aad);
	CL_ACCEL_WRITE(accel, CL_ACCEL_INDEX_HI, message->aad_length);
	CL_ACCEL_WRITE(accel, CL_ACCEL_SOURCE, (uint32_t)source);
	CL_ACCEL_WRITE(accel, CL_ACCEL_DESTINATION, (uint32_t)destination);
	CL_ACCEL_WRITE(accel, CL_ACCEL_LENGTH, message->length);
	CL_ACCEL_WRITE(accel, CL_ACCEL_OPTIONS,
		       (uint32_t)message->slot << CL_ACCEL_OPTIONS_SLOT_SHIFT |
			       (uint32_t)message->interrupt << CL_ACCEL_OPTIONS_INTERRUPT_SHIFT |
			       (uint32_t)message->ordered << CL_ACCEL_OPTIONS_ORDERED_SHIFT |
			       (uint32_t)message->mode << CL_ACCEL_OPTIONS_MODE_SHIFT |
			       (uint32_t)hash_iv << CL_ACCEL_OPTIONS_HASH_IV_SHIFT |
			       (uint32_t)message->tag_length << CL_ACCEL_OPTIONS_TAG_LENGTH_SHIFT);
	return cl_accel_start(accel, number);
}

static int run(const struct cl_accel *accel, const struct cl_accel_gcm *message)
{
	uint16_t number;
	const int refused = cl_accel_gcm_submit(accel, message, &number);
	/*
	 * The time limit depends on the sum of the text's length and `aad`, the length of the
	 * additional data. If the sum would not fit in 32 bits, `aad` is reduced.
	 */
	const uint32_t more = UINT32_MAX - message->length;
	const uint32_t aad = message->aad_length < more ? message->aad_length : more;

	if (refused != 0) {
		return refused;
	}
	return cl_accel_finish(accel, number, message->length + aad, message->uncached);
}

int cl_accel_gcm_run(const struct cl_accel *accel, const struct cl_accel_gcm *message)
{
	int result = run(accel, message);

	if (result != -EMSGSIZE || message->mode != CL_ACCEL_OPTIONS_MODE_DECRYPT ||
	    message->iv_length != IV_BYTES) {
		return result;
	}
	struct cl_accel_gcm first = *message;
	struct cl_accel_descriptor second = {
		.in = message->in,
		.out = message->out,
		.length = message->length,
		.uncached = message->uncached,
		.slot = message->slot,
		.width = CL_ACCEL_OPTIONS_WIDTH_32,
		.index = 1,
	};

	first.mode = CL_ACCEL_OPTIONS_MODE_VERIFY;
	result = run(accel, &first);
	if (result != 0) {
		return result;
	}
	__builtin_memcpy(second.counter, message->iv, IV_BYTES);
	second.counter[15] = 1; /* J0 */
	return cl_accel_run(accel, &second);
}
