/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * RC4 with a key of 128 bits. For each byte of data, the code looks up three entries of a table of
 * bytes and writes two entries. Each call of cipher_run continues the keystream of the previous
 * call.
 */
#ifndef RC4_H
#define RC4_H

#include "cipher.h"

static uint8_t rc4_s[256];
static uint32_t rc4_i;
static uint32_t rc4_j;

static void cipher_set_key(const uint8_t *key)
{
	uint32_t j = 0;

	for (uint32_t i = 0; i < 256; i++) {
		rc4_s[i] = (uint8_t)i;
	}
	for (uint32_t i = 0; i < 256; i++) {
		const uint8_t x = rc4_s[i];

		j = (j + x + key[i % 16]) & 0xff;
		rc4_s[i] = rc4_s[j];
		rc4_s[j] = x;
	}
	for (uint32_t i = 0; BENCH_PTLU && i < 256; i++) {
		PTLU_WRITE(0, i, rc4_s[i]);
	}
	rc4_i = 0;
	rc4_j = 0;
}

/** Returns one byte of keystream. Table lookups use only the low byte of the index. */
CIPHER_INLINE uint32_t rc4_byte(uint32_t *i, uint32_t *j)
{
	if (BENCH_PTLU) {
		*i += 1;
		const uint32_t x = PTLU_CHANGING_WORD(0, *i);

		*j += x;
		const uint32_t y = PTLU_CHANGING_WORD(0, *j);

		PTLU_WRITE(0, *i, y);
		PTLU_WRITE(0, *j, x);
		return PTLU_CHANGING_WORD(0, x + y);
	}
	*i = (*i + 1) & 0xff;
	const uint32_t x = rc4_s[*i];

	*j = (*j + x) & 0xff;
	const uint32_t y = rc4_s[*j];

	rc4_s[*i] = (uint8_t)y;
	rc4_s[*j] = (uint8_t)x;
	return rc4_s[(x + y) & 0xff];
}

CIPHER_APART void cipher_run(const uint32_t *in, uint32_t *out, size_t pieces)
{
	uint32_t i = rc4_i;
	uint32_t j = rc4_j;

	for (const uint32_t *const end = in + 4 * pieces; in != end; in++, out++) {
		uint32_t word = *in;

#pragma GCC unroll 4
		for (unsigned int n = 0; n < 4; n++) {
			word ^= rc4_byte(&i, &j) << 8 * n;
		}
		*out = word;
	}
	rc4_i = i;
	rc4_j = j;
}

#endif
