/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * A hash function in plain C, which the benchmark runs like a cipher. cipher_run hashes the data
 * and the padding, and overwrites the first bytes of the data with the digest. The header of the
 * hash defines HASH_WORDS, the words of its state, HASH_START, and hash_block, which takes a block
 * of 512 bits as it lies in memory.
 */
#ifndef HASH_H
#define HASH_H

#include <string.h>

#include "cipher.h"

#define HASH_BLOCK 64

CIPHER_APART void hash_block(uint32_t state[HASH_WORDS], const uint32_t message[16]);

static void cipher_set_key(const uint8_t *key)
{
	(void)key;
}

/**
 * Hashes @p pieces pieces of 16 bytes. Their total length must be a multiple of the hash's block
 * size.
 */
CIPHER_APART void cipher_run(const uint32_t *in, uint32_t *out, size_t pieces)
{
	static const uint32_t start[HASH_WORDS] = HASH_START;
	uint32_t padding[16] = {0x80};
	uint32_t state[HASH_WORDS];

	memcpy(state, start, sizeof(state));
	for (size_t done = 0; done < pieces; done += HASH_BLOCK / 16) {
		hash_block(state, in + 4 * done);
	}
	/* Length of the message in bits: one word is enough, as messages are short. */
	padding[15] = cipher_swap((uint32_t)pieces * 128);
	hash_block(state, padding);
	for (unsigned int i = 0; i < HASH_WORDS; i++) {
		out[i] = cipher_swap(state[i]);
	}
}

#endif
