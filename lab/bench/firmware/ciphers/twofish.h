/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Twofish (Schneier et al. 1998), encryption with a key of 128 bits. It has 16 rounds, and each
 * round computes the function g twice. The function g replaces each of four bytes by an entry of a
 * key-dependent S-box. Then it multiplies the four bytes by the matrix MDS.
 *
 * With `ptlu`, byte i of each table entry belongs to the key-dependent S-box i. So one instruction
 * looks up all four bytes for g; then the code multiplies by MDS. With BENCH_TWOFISH_MDS, each
 * table entry is the product of an S-box entry and MDS, a word of 32 bits. Then g consists of four
 * lookups and three XORs.
 */
#ifndef TWOFISH_H
#define TWOFISH_H

#include "cipher.h"

#ifndef BENCH_TWOFISH_MDS
#define BENCH_TWOFISH_MDS 0
#endif

/**
 * The tables of nibbles (4 bits) that define the permutations q0 and q1. Each hexadecimal digit is
 * an entry; the highest digit is entry 0.
 */
static const uint64_t twofish_nibbles[2][4] = {
	{0x817D6F320B59ECA4u, 0xECB81235F4A6709Du, 0xBA5E6D90C8F32471u, 0xD7F4126E9B3085CAu},
	{0x28BDF76E31940AC5u, 0x1E2B4C376DA5F908u, 0x4C75169A0ED82B3Fu, 0xB951C3DE647F208Au},
};
static const uint8_t twofish_rs[4][8] = {
	{0x01, 0xa4, 0x55, 0x87, 0x5a, 0x58, 0xdb, 0x9e},
	{0xa4, 0x56, 0x82, 0xf3, 0x1e, 0xc6, 0x68, 0xe5},
	{0x02, 0xa1, 0xfc, 0xc1, 0x47, 0xae, 0x3d, 0x19},
	{0xa4, 0x55, 0x87, 0x5a, 0x58, 0xdb, 0x9e, 0x03},
};
#define TWOFISH_RS_POLYNOMIAL 0x14du
/*
 * One entry for each step of the function h, from the last step to the first. Bit i of the entry
 * selects the permutation that the step applies to byte i: 0 is q0, 1 is q1.
 */
static const uint8_t twofish_order[3] = {0x5, 0xc, 0xa};

static uint8_t twofish_q[2][256];
static uint32_t twofish_keys[40];
#if BENCH_TWOFISH_MDS
static uint32_t twofish_s[4][256];
#else
static uint8_t twofish_s[4][256];
#endif

CIPHER_INLINE uint32_t twofish_nibble(const uint64_t *permutations, unsigned int n, uint32_t x)
{
	return (uint32_t)(permutations[n] >> (60 - 4 * x)) & 15;
}

static void twofish_make_q(void)
{
	for (unsigned int q = 0; q < 2; q++) {
		const uint64_t *const t = twofish_nibbles[q];

		for (uint32_t x = 0; x < 256; x++) {
			uint32_t a = x >> 4;
			uint32_t b = x & 15;

			for (unsigned int n = 0; n < 4; n += 2) {
				const uint32_t sum = a ^ b;
				const uint32_t other = (a ^ b >> 1 ^ b << 3 ^ a << 3) & 15;

				a = twofish_nibble(t, n, sum);
				b = twofish_nibble(t, n + 1, other);
			}
			twofish_q[q][x] = (uint8_t)(b << 4 | a);
		}
	}
}

/** Divides each byte by x in the field GF(2^8) modulo x^8 + x^6 + x^5 + x^3 + 1. */
CIPHER_INLINE uint32_t twofish_halves(uint32_t bytes)
{
	const uint32_t odd = bytes & 0x01010101u;

	return (bytes >> 1 & 0x7f7f7f7fu) ^ (odd << 7 | odd << 5 | odd << 4 | odd << 2);
}

/**
 * Multiplies the matrix MDS by a vector of four bytes. The matrix elements are 0x01, 0x5b = 1 +
 * x^-2, and 0xef = 1 + x^-1 + x^-2.
 */
CIPHER_INLINE uint32_t twofish_mds(uint32_t y)
{
	const uint32_t half = twofish_halves(y);
	const uint32_t quarter = twofish_halves(half);
	const uint32_t both = half ^ quarter;
	/*
	 * Byte j of the product is the sum of four terms: bytes j, j + 1, j + 2 and j + 3 (modulo
	 * 4) of y, each times an element of MDS. For byte j + 1, the element is 0xef in every row.
	 */
	const uint32_t same = y ^ (both & 0x0000ff00u) ^ (quarter & 0xff000000u);
	const uint32_t second = y ^ (both & 0x000000ffu) ^ (quarter & 0x00ff0000u);
	const uint32_t third = y ^ quarter ^ (half & 0x00ff0000u);

	return same ^ cipher_rotl(y ^ both, 24) ^ cipher_rotl(second, 16) ^ cipher_rotl(third, 8);
}

/**
 * Computes byte @p i of the function h, without the multiplication by MDS. The key words @p l0 and
 * @p l1 are the list L of the Twofish paper.
 */
static uint32_t twofish_byte(unsigned int i, uint32_t x, uint32_t l0, uint32_t l1)
{
	const uint32_t words[2] = {l1, l0};

	for (unsigned int n = 0; n < 2; n++) {
		x = twofish_q[twofish_order[2 - n] >> i & 1][x] ^ (words[n] >> 8 * i & 0xff);
	}
	return twofish_q[twofish_order[0] >> i & 1][x];
}

/**
 * Returns h(X), where X is a word whose four bytes are all equal to @p x. The key words @p l0 and
 * @p l1 are the list L of the Twofish paper.
 */
static uint32_t twofish_h(uint32_t x, uint32_t l0, uint32_t l1)
{
	uint32_t y = 0;

	for (unsigned int i = 0; i < 4; i++) {
		y |= twofish_byte(i, x, l0, l1) << 8 * i;
	}
	return twofish_mds(y);
}

/** Returns a word of Twofish's key vector S: the matrix RS times eight bytes of the key. */
static uint32_t twofish_s_word(const uint8_t *key)
{
	uint32_t word = 0;

	for (unsigned int i = 0; i < 4; i++) {
		for (unsigned int j = 0; j < 8; j++) {
			uint32_t product = 0;

			for (uint32_t a = twofish_rs[i][j], b = key[j]; b != 0; b >>= 1) {
				product ^= b & 1 ? a : 0;
				a = a << 1 ^ (a & 0x80 ? TWOFISH_RS_POLYNOMIAL : 0);
			}
			word ^= product << 8 * i;
		}
	}
	return word;
}

static void cipher_set_key(const uint8_t *key)
{
	uint32_t m[4];
	const uint32_t s0 = twofish_s_word(key);
	const uint32_t s1 = twofish_s_word(key + 8);

	twofish_make_q();
	for (unsigned int i = 0; i < 4; i++) {
		m[i] = cipher_swap(cipher_load(key + 4 * i));
	}
	for (unsigned int i = 0; i < 40; i += 2) {
		const uint32_t a = twofish_h(i, m[0], m[2]);
		const uint32_t b = cipher_rotl(twofish_h(i + 1, m[1], m[3]), 8);

		twofish_keys[i] = a + b;
		twofish_keys[i + 1] = cipher_rotl(a + 2 * b, 9);
	}
	for (uint32_t x = 0; x < 256; x++) {
		uint32_t entries[4];

		for (unsigned int i = 0; i < 4; i++) {
			const uint32_t byte = twofish_byte(i, x, s1, s0) << 8 * i;

			entries[i] = BENCH_TWOFISH_MDS ? twofish_mds(byte) : byte;
#if BENCH_TWOFISH_MDS
			twofish_s[i][x] = entries[i];
#else
			twofish_s[i][x] = (uint8_t)(entries[i] >> 8 * i);
#endif
		}
		if (BENCH_PTLU && BENCH_TWOFISH_MDS) {
			PTLU_WRITE(0, x, entries[0]);
			PTLU_WRITE(1, x, entries[1]);
			PTLU_WRITE(2, x, entries[2]);
			PTLU_WRITE(3, x, entries[3]);
		} else if (BENCH_PTLU) {
			PTLU_WRITE(0, x, entries[0] | entries[1] | entries[2] | entries[3]);
		}
	}
}

/**
 * Looks up S-box i; byte @p byte of @p x is the index. Returns a word with the entry in byte i and
 * zeros in all other bytes. With BENCH_TWOFISH_MDS, returns the matrix MDS times this word.
 */
#define TWOFISH_LOOKUP(i, byte, x)                                                                 \
	(BENCH_PTLU ? PTLU_WORD(i, byte, x)                                                        \
		    : (uint32_t)twofish_s[i][(x) >> 8 * (byte)&0xff]                               \
			      << (BENCH_TWOFISH_MDS ? 0 : 8 * (i)))

/** Returns g(y), where y is @p x rotated to the left by @p turn bytes, a compile-time constant. */
CIPHER_INLINE uint32_t twofish_g(uint32_t x, unsigned int turn)
{
	if (BENCH_PTLU && !BENCH_TWOFISH_MDS) {
		return twofish_mds(PTLU_BYTES(0, (4 - turn) % 4, x));
	}
	const uint32_t y =
		TWOFISH_LOOKUP(0, (4 - turn) % 4, x) ^ TWOFISH_LOOKUP(1, (5 - turn) % 4, x) ^
		TWOFISH_LOOKUP(2, (6 - turn) % 4, x) ^ TWOFISH_LOOKUP(3, (7 - turn) % 4, x);

	return BENCH_TWOFISH_MDS ? y : twofish_mds(y);
}

/**
 * Computes a round without the final exchange of the block's halves. For every second round, the
 * caller exchanges the arguments instead.
 */
CIPHER_INLINE void twofish_round(uint32_t a, uint32_t b, uint32_t *c, uint32_t *d,
				 const uint32_t *k)
{
	const uint32_t t0 = twofish_g(a, 0);
	const uint32_t t1 = twofish_g(b, 1);

	*c = cipher_rotl(*c ^ (t0 + t1 + k[0]), 31);
	*d = cipher_rotl(*d, 1) ^ (t0 + 2 * t1 + k[1]);
}

CIPHER_APART void cipher_run(const uint32_t *in, uint32_t *out, size_t pieces)
{
	for (const uint32_t *const end = in + 4 * pieces; in != end; in += 4, out += 4) {
		uint32_t a = in[0] ^ twofish_keys[0];
		uint32_t b = in[1] ^ twofish_keys[1];
		uint32_t c = in[2] ^ twofish_keys[2];
		uint32_t d = in[3] ^ twofish_keys[3];

		for (const uint32_t *k = twofish_keys + 8; k != twofish_keys + 40; k += 4) {
			twofish_round(a, b, &c, &d, k);
			twofish_round(c, d, &a, &b, k + 2);
		}
		out[0] = c ^ twofish_keys[4];
		out[1] = d ^ twofish_keys[5];
		out[2] = a ^ twofish_keys[6];
		out[3] = b ^ twofish_keys[7];
	}
}

#endif
