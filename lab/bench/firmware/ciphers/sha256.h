/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * SHA-256 (FIPS 180-4, 6.2). hash.h describes the interface. In each round, the standard moves the
 * working variables a to h by one position. The code renames the variables instead of moving words.
 * After eight rounds, the names repeat, so the loop body contains eight rounds.
 */
#ifndef SHA256_H
#define SHA256_H

#define HASH_WORDS 8
#define HASH_START                                                                                 \
	{                                                                                          \
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,            \
			0x1f83d9ab, 0x5be0cd19                                                     \
	}

#include "hash.h"

static const uint32_t sha256_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

/**
 * Returns the XOR of three values: @p x rotated right by @p i bits, @p x rotated right by @p j
 * bits, and @p rest.
 */
CIPHER_INLINE uint32_t sha256_turn(uint32_t x, unsigned int i, unsigned int j, uint32_t rest)
{
	return cipher_rotl(x, 32 - i) ^ cipher_rotl(x, 32 - j) ^ rest;
}

#define SHA256_ROUND(a, b, c, d, e, f, g, h, n)                                                    \
	do {                                                                                       \
		(h) += sha256_turn(e, 6, 11, cipher_rotl(e, 7)) + ((g) ^ ((e) & ((f) ^ (g)))) +    \
		       k[n] + w[n];                                                                \
		(d) += (h);                                                                        \
		(h) += sha256_turn(a, 2, 13, cipher_rotl(a, 10)) +                                 \
		       (((a) & (b)) | ((c) & ((a) | (b))));                                        \
	} while (0)

CIPHER_APART void hash_block(uint32_t state[HASH_WORDS], const uint32_t message[16])
{
	uint32_t words[64];
	uint32_t a = state[0];
	uint32_t b = state[1];
	uint32_t c = state[2];
	uint32_t d = state[3];
	uint32_t e = state[4];
	uint32_t f = state[5];
	uint32_t g = state[6];
	uint32_t h = state[7];

	for (unsigned int t = 0; t < 16; t++) {
		words[t] = cipher_swap(message[t]);
	}
#pragma GCC unroll 2
	for (unsigned int t = 16; t < 64; t++) {
		words[t] = sha256_turn(words[t - 2], 17, 19, words[t - 2] >> 10) + words[t - 7] +
			   sha256_turn(words[t - 15], 7, 18, words[t - 15] >> 3) + words[t - 16];
	}
#pragma GCC unroll 1
	for (const uint32_t *k = sha256_k, *w = words; w != words + 64; k += 8, w += 8) {
		SHA256_ROUND(a, b, c, d, e, f, g, h, 0);
		SHA256_ROUND(h, a, b, c, d, e, f, g, 1);
		SHA256_ROUND(g, h, a, b, c, d, e, f, 2);
		SHA256_ROUND(f, g, h, a, b, c, d, e, 3);
		SHA256_ROUND(e, f, g, h, a, b, c, d, 4);
		SHA256_ROUND(d, e, f, g, h, a, b, c, 5);
		SHA256_ROUND(c, d, e, f, g, h, a, b, 6);
		SHA256_ROUND(b, c, d, e, f, g, h, a, 7);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

#endif
