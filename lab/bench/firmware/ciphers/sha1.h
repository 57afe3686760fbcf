/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * SHA-1 (FIPS 180-4, 6.1). hash.h describes the interface. In each round, the standard moves the
 * working variables a to e by one position. The code renames the variables instead of moving words.
 * After five rounds, the names repeat, so the loop body contains five rounds. All rounds fit into
 * an instruction cache of 4 KB.
 */
#ifndef SHA1_H
#define SHA1_H

#define HASH_WORDS 5
#define HASH_START                                                                                 \
	{                                                                                          \
		0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0                         \
	}

#include "hash.h"

/**
 * Computes the logical function of a round. The argument @p quarter, a compile-time constant,
 * selects the function: 0 is Ch (rounds 0 to 19), 1 is Parity (20 to 39), 2 is Maj (40 to 59), 3 is
 * Parity (60 to 79).
 */
CIPHER_INLINE uint32_t sha1_f(unsigned int quarter, uint32_t x, uint32_t y, uint32_t z)
{
	if (quarter == 0) {
		return z ^ (x & (y ^ z));
	}
	return quarter == 2 ? (x & y) | (z & (x | y)) : x ^ y ^ z;
}

#define SHA1_ROUND(a, b, c, d, e, word)                                                            \
	do {                                                                                       \
		(e) += cipher_rotl(a, 5) + sha1_f(quarter, b, c, d) + k + (word);                  \
		(b) = cipher_rotl(b, 30);                                                          \
	} while (0)

/** Computes the twenty rounds that use the same logical function. */
CIPHER_INLINE void sha1_quarter(unsigned int quarter, uint32_t k, uint32_t s[5], const uint32_t *w)
{
	uint32_t a = s[0];
	uint32_t b = s[1];
	uint32_t c = s[2];
	uint32_t d = s[3];
	uint32_t e = s[4];
	const uint32_t *const end = w + 20;

#pragma GCC unroll 1
	for (; w != end; w += 5) {
		SHA1_ROUND(a, b, c, d, e, w[0]);
		SHA1_ROUND(e, a, b, c, d, w[1]);
		SHA1_ROUND(d, e, a, b, c, w[2]);
		SHA1_ROUND(c, d, e, a, b, w[3]);
		SHA1_ROUND(b, c, d, e, a, w[4]);
	}
	s[0] = a;
	s[1] = b;
	s[2] = c;
	s[3] = d;
	s[4] = e;
}

CIPHER_APART void hash_block(uint32_t state[HASH_WORDS], const uint32_t message[16])
{
	static const uint32_t k[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
	uint32_t w[80];
	uint32_t s[HASH_WORDS];

	for (unsigned int t = 0; t < 16; t++) {
		w[t] = cipher_swap(message[t]);
	}
#pragma GCC unroll 4
	for (unsigned int t = 16; t < 80; t++) {
		w[t] = cipher_rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
	}
	memcpy(s, state, sizeof(s));
	sha1_quarter(0, k[0], s, w);
	sha1_quarter(1, k[1], s, w + 20);
	sha1_quarter(2, k[2], s, w + 40);
	sha1_quarter(3, k[3], s, w + 60);
	for (unsigned int i = 0; i < HASH_WORDS; i++) {
		state[i] += s[i];
	}
}

#endif
