/* SPDX-License-Identifier: BSD-2-Clause */
#include "aes/aes_inverse.h"

#include "aes/aes_inv_sbox.h"

#define SBOX_ENTRY(s) (s),

const uint8_t cl_aes_inv_sbox[256] = {CL_AES_INV_SBOX(SBOX_ENTRY)};

static uint32_t rotate(uint32_t word, unsigned int bytes)
{
	return word >> 8 * bytes | word << (32 - 8 * bytes);
}

uint32_t cl_aes_inv_mix_column(uint32_t column)
{
	/*
	 * InvMixColumns multiplies by {0e} = {08} + {04} + {02}, {0b} = {08} + {02} + {01}, {0d} =
	 * {08} + {04} + {01} and {09} = {08} + {01}. So the function doubles only three times, and
	 * then adds.
	 */
	const uint32_t by_2 = cl_aes_double(column);
	const uint32_t by_4 = cl_aes_double(by_2);
	const uint32_t by_8 = cl_aes_double(by_4);
	const uint32_t by_9 = by_8 ^ column;

	return by_8 ^ by_4 ^ by_2 ^ rotate(by_9 ^ by_2, 1) ^ rotate(by_9 ^ by_4, 2) ^
	       rotate(by_9, 3);
}

void cl_aes_reverse_round_keys(struct cl_engine_key *key)
{
	uint32_t *first = key->round_key;
	uint32_t *last = key->round_key + 4 * key->rounds;

	for (; first < last; first += 4, last -= 4) {
		for (unsigned int c = 0; c < 4; c++) {
			const uint32_t word = first[c];

			first[c] = last[c];
			last[c] = word;
		}
	}
}

void cl_aes_invert_key(struct cl_engine_key *key)
{
	cl_aes_reverse_round_keys(key);
	for (unsigned int i = 4; i < 4u * key->rounds; i++) {
		key->round_key[i] = cl_aes_inv_mix_column(key->round_key[i]);
	}
}
