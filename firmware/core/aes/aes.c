/* SPDX-License-Identifier: BSD-2-Clause */
#include "aes/aes.h"

#include <errno.h>
#include <string.h>

#include "aes/aes_sbox.h"

#define SBOX_ENTRY(s) (s),

const uint8_t cl_aes_sbox[256] = {CL_AES_SBOX(SBOX_ENTRY)};

/** SubWord (FIPS-197, 5.2). */
static uint32_t substitute_word(uint32_t word)
{
	return (uint32_t)cl_aes_sbox[word & 0xff] | (uint32_t)cl_aes_sbox[word >> 8 & 0xff] << 8 |
	       (uint32_t)cl_aes_sbox[word >> 16 & 0xff] << 16 |
	       (uint32_t)cl_aes_sbox[word >> 24] << 24;
}

/** RotWord (FIPS-197, 5.2): the first byte, here in bits 7:0, becomes the last byte. */
static uint32_t rotate_word(uint32_t word)
{
	return word >> 8 | word << 24;
}

int cl_aes_expand_key(struct cl_engine_key *key, const uint8_t *key_bytes, unsigned int key_bits)
{
	if (key_bits != 128 && key_bits != 192 && key_bits != 256) {
		return -EINVAL;
	}
	const unsigned int key_words = key_bits / 32;
	const unsigned int rounds = key_words + 6;
	const unsigned int words = 4 * (rounds + 1);
	uint32_t *const w = key->round_key;

	memset(w, 0, sizeof(key->round_key));
	memcpy(w, key_bytes, key_bits / 8);
	uint32_t rcon = 0x01;
	unsigned int position = 0; /* i modulo key_words */
	for (unsigned int i = key_words; i < words; i++) {
		uint32_t word = w[i - 1];
		if (position == 0) {
			word = substitute_word(rotate_word(word)) ^ rcon;
			rcon = rcon << 1 ^ (rcon >> 7) * 0x11b;
		} else if (key_words == 8 && position == 4) {
			word = substitute_word(word);
		}
		w[i] = w[i - key_words] ^ word;
		position = position + 1 == key_words ? 0 : position + 1;
	}
	key->key_bits = (uint16_t)key_bits;
	key->rounds = (uint8_t)rounds;
	return 0;
}
