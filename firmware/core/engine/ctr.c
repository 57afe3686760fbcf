/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/ctr.h"

void cl_ctr_counter(uint8_t counter[CL_BLOCK_BYTES], const uint8_t iv[CL_BLOCK_BYTES],
		    uint64_t block)
{
	uint32_t carry = 0;

	for (int i = CL_BLOCK_BYTES - 4; i >= 0; i -= 4) {
		const uint32_t addend = (uint32_t)block + carry;
		const uint32_t word = (uint32_t)iv[i] << 24 | (uint32_t)iv[i + 1] << 16 |
				      (uint32_t)iv[i + 2] << 8 | iv[i + 3];
		const uint32_t sum = word + addend;

		/*
		 * At most one of the two additions overflows. If the first addition,
		 * `(uint32_t)block + carry`, overflows, its result `addend` is 0. The second
		 * addition is then `word` + 0, and cannot overflow.
		 */
		carry = (addend < carry) | (sum < word);
		block >>= 32;
		counter[i] = (uint8_t)(sum >> 24);
		counter[i + 1] = (uint8_t)(sum >> 16);
		counter[i + 2] = (uint8_t)(sum >> 8);
		counter[i + 3] = (uint8_t)sum;
	}
}

void cl_ctr_xor_bytes(uint8_t *out, const uint8_t *in, const uint32_t keystream[4], size_t bytes)
{
	const uint8_t *const keystream_bytes = (const uint8_t *)keystream;

	for (size_t i = 0; i < bytes; i++) {
		out[i] = in[i] ^ keystream_bytes[i];
	}
}
