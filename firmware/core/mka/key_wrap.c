/* SPDX-License-Identifier: BSD-2-Clause */
#include "mka/key_wrap.h"

#include <errno.h>
#include <string.h>

#include "zeroize.h"

#define HALF        (CL_BLOCK_BYTES / 2)
#define STEPS       6u
#define IV          0xa6u
#define PARTS(size) ((size) / HALF)

int cl_key_wrap(const struct cl_engine *engine, const uint8_t *kek, unsigned int kek_bits,
		const uint8_t *key, size_t size, uint8_t *wrapped)
{
	static const uint8_t zeros[CL_BLOCK_BYTES];
	struct cl_engine_key expanded = {0};
	uint8_t block[CL_BLOCK_BYTES];
	uint8_t result[CL_BLOCK_BYTES];
	unsigned int t = 1;
	int status = engine->set_key(engine, &expanded, kek, kek_bits);

	memset(wrapped, IV, HALF);
	memcpy(wrapped + HALF, key, size);
	while (status == 0 && t <= STEPS * PARTS(size)) {
		uint8_t *const part = wrapped + HALF * (1 + (t - 1) % PARTS(size));

		memcpy(block, wrapped, HALF);
		memcpy(block + HALF, part, HALF);
		/* With zeros as data, CTR mode outputs the encrypted counter block. */
		status = engine->ctr(engine, &expanded, block, zeros, result, CL_BLOCK_BYTES);
		memcpy(wrapped, result, HALF);
		wrapped[HALF - 1] ^= (uint8_t)t;
		memcpy(part, result + HALF, HALF);
		t++;
	}
	if (status != 0) {
		cl_zeroize(wrapped, size + CL_KEY_WRAP_BYTES);
	}
	engine->clear(engine, &expanded);
	cl_zeroize(block, sizeof(block));
	cl_zeroize(result, sizeof(result));
	return status;
}

int cl_key_unwrap(const struct cl_engine *engine, const struct cl_modes *modes, void *hw,
		  const uint8_t *kek, unsigned int kek_bits, const uint8_t *wrapped, uint8_t *key,
		  size_t size)
{
	struct cl_engine_key expanded = {0};
	uint32_t words[CL_BLOCK_BYTES / sizeof(uint32_t)];
	uint8_t *const block = (uint8_t *)words;
	uint8_t difference = 0;
	int status = modes->set_key(hw, &expanded, kek, kek_bits, true);

	/* In the terms of RFC 3394, the first half of `block` is A, and `key` is R[1] to R[n]. */
	memcpy(block, wrapped, HALF);
	memcpy(key, wrapped + HALF, size);
	for (unsigned int t = STEPS * PARTS(size); status == 0 && t > 0; t--) {
		uint8_t *const part = key + HALF * ((t - 1) % PARTS(size));

		block[HALF - 1] ^= (uint8_t)t;
		memcpy(block + HALF, part, HALF);
		status =
			modes->ecb[1][CL_MODES_KEY(kek_bits)](hw, &expanded, NULL, words, words, 1);
		memcpy(part, block + HALF, HALF);
	}
	for (unsigned int i = 0; i < HALF; i++) {
		difference |= block[i] ^ IV;
	}
	if (status == 0 && difference != 0) {
		status = -EBADMSG;
	}
	if (status != 0) {
		cl_zeroize(key, size);
	}
	engine->clear(engine, &expanded);
	cl_zeroize(words, sizeof(words));
	return status;
}
