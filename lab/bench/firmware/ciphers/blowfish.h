/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Blowfish (Schneier 1993), encryption with a key of 128 bits. It has 16 rounds. Each round looks
 * up four table entries of 32 bits. The initial values of the tables P and S are digits of pi; the
 * build computes them and writes blowfish_pi.h.
 */
#ifndef BLOWFISH_H
#define BLOWFISH_H

#include <string.h>

#include "cipher.h"

/** Initial values: the 18 words of P, then the words of the four tables S. */
static const uint32_t blowfish_pi[18 + 4 * 256] = {
#include "blowfish_pi.h"
};
static uint32_t blowfish_p[18];
static uint32_t blowfish_s[4][256];

/**
 * Computes the round function. If @p ptlu is true, looks up the tables with `ptlu`, otherwise in
 * memory. The key schedule passes false, because it computes the tables in memory.
 */
CIPHER_INLINE uint32_t blowfish_f(bool ptlu, uint32_t x)
{
	if (ptlu) {
		return ((PTLU_WORD(0, 3, x) + PTLU_WORD(1, 2, x)) ^ PTLU_WORD(2, 1, x)) +
		       PTLU_WORD(3, 0, x);
	}
	return ((blowfish_s[0][x >> 24] + blowfish_s[1][x >> 16 & 0xff]) ^
		blowfish_s[2][x >> 8 & 0xff]) +
	       blowfish_s[3][x & 0xff];
}

CIPHER_INLINE void blowfish_block(bool ptlu, uint32_t *left, uint32_t *right)
{
	uint32_t l = *left;
	uint32_t r = *right;

#pragma GCC unroll 8
	for (unsigned int i = 0; i < 16; i += 2) {
		l ^= blowfish_p[i];
		r ^= blowfish_f(ptlu, l);
		r ^= blowfish_p[i + 1];
		l ^= blowfish_f(ptlu, r);
	}
	*left = r ^ blowfish_p[17];
	*right = l ^ blowfish_p[16];
}

CIPHER_APART void blowfish_step(uint32_t block[2])
{
	blowfish_block(false, &block[0], &block[1]);
}

static void cipher_set_key(const uint8_t *key)
{
	uint32_t block[2] = {0, 0};

	memcpy(blowfish_p, blowfish_pi, sizeof(blowfish_p));
	memcpy(blowfish_s, blowfish_pi + 18, sizeof(blowfish_s));
	for (unsigned int i = 0; i < 18; i++) {
		blowfish_p[i] ^= cipher_load(key + 4 * (i % 4));
	}
	for (unsigned int i = 0; i < 18; i += 2) {
		blowfish_step(block);
		memcpy(blowfish_p + i, block, 8);
	}
	for (unsigned int i = 0; i < 4 * 256; i += 2) {
		blowfish_step(block);
		memcpy(&blowfish_s[i / 256][i % 256], block, 8);
	}
	for (unsigned int i = 0; BENCH_PTLU && i < 256; i++) {
		PTLU_WRITE(0, i, blowfish_s[0][i]);
		PTLU_WRITE(1, i, blowfish_s[1][i]);
		PTLU_WRITE(2, i, blowfish_s[2][i]);
		PTLU_WRITE(3, i, blowfish_s[3][i]);
	}
}

CIPHER_APART void cipher_run(const uint32_t *in, uint32_t *out, size_t pieces)
{
	for (const uint32_t *const end = in + 4 * pieces; in != end; in += 2, out += 2) {
		uint32_t left = cipher_swap(in[0]);
		uint32_t right = cipher_swap(in[1]);

		blowfish_block(BENCH_PTLU, &left, &right);
		out[0] = cipher_swap(left);
		out[1] = cipher_swap(right);
	}
}

#endif
