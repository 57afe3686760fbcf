/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Hash functions in plain C. Like a cipher, each defines cipher_set_key and cipher_run, so that the
 * benchmark can call them. cipher_run pads and hashes a message. The digest overwrites the first
 * bytes of the message.
 *
 * The header of a hash function defines HASH_WORDS (number of words in the state), HASH_START (the
 * initial state) and hash_block(). hash_block() processes a block of 512 bits; the bytes of the
 * block are in the order of the message.
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
 * Hashes a message of 16 * @p pieces bytes. The length of the message must be a multiple of the
 * hash function's block size.
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
	/* Length of the message in bits. One word is enough, because messages are short. */
	padding[15] = cipher_swap((uint32_t)pieces * 128);
	hash_block(state, padding);
	for (unsigned int i = 0; i < HASH_WORDS; i++) {
		out[i] = cipher_swap(state[i]);
	}
}

#endif
