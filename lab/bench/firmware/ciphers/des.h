/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * DES (FIPS 46-3), only encryption. If BENCH_DES_KEYS is 3, the code computes Triple DES with two
 * keys. Each of the eight tables has 64 entries. An entry is the output of an S-box after the
 * permutation P.
 *
 * The two halves of a block are stored rotated to the left by one bit. DES's function E expands a
 * half to eight groups of six bits. Each byte of the stored half contains an even-numbered group.
 * After a rotation to the right by four bits, each byte contains an odd-numbered group. The
 * instruction `ptlu` uses whole bytes as indices. So its tables contain each entry four times, and
 * the code does not mask out the other two bits.
 */
#ifndef DES_H
#define DES_H

#include "cipher.h"

/**
 * Each word is a row of an S-box. Each hexadecimal digit of the word is an entry of the row; the
 * highest digit is entry 0.
 */
static const uint64_t des_sboxes[8][4] = {
	{0xE4D12FB83A6C5907u, 0x0F74E2D1A6CB9538u, 0x41E8D62BFC973A50u, 0xFC8249175B3EA06Du},
	{0xF18E6B34972DC05Au, 0x3D47F28EC01A69B5u, 0x0E7BA4D158C6932Fu, 0xD8A13F42B67C05E9u},
	{0xA09E63F51DC7B428u, 0xD709346A285ECBF1u, 0xD6498F30B12C5AE7u, 0x1AD069874FE3B52Cu},
	{0x7DE3069A1285BC4Fu, 0xD8B56F03472C1AE9u, 0xA690CB7DF13E5284u, 0x3F06A1D8945BC72Eu},
	{0x2C417AB6853FD0E9u, 0xEB2C47D150FA3986u, 0x421BAD78F9C5630Eu, 0xB8C71E2D6F09A453u},
	{0xC1AF92680D34E75Bu, 0xAF427C9561DE0B38u, 0x9EF528C3704A1DB6u, 0x432C95FABE17608Du},
	{0x4B2EF08D3C975A61u, 0xD0B7491AE35C2F86u, 0x14BDC37EAF680592u, 0x6BD814A7950FE23Cu},
	{0xD2846FB1A93E50C7u, 0x1FD8A374C56B0E92u, 0x7B419CE206ADF358u, 0x21E74A8DFC90356Bu},
};
/**
 * The entries of this table and of the next two tables are bit numbers. Bit 1 is the most
 * significant bit.
 */
static const uint8_t des_p[32] = {16, 7, 20, 21, 29, 12, 28, 17, 1,  15, 23, 26, 5,  18, 31, 10,
				  2,  8, 24, 14, 32, 27, 3,  9,  19, 13, 30, 6,  22, 11, 4,  25};
static const uint8_t des_pc1[56] = {57, 49, 41, 33, 25, 17, 9,  1,  58, 50, 42, 34, 26, 18,
				    10, 2,  59, 51, 43, 35, 27, 19, 11, 3,  60, 52, 44, 36,
				    63, 55, 47, 39, 31, 23, 15, 7,  62, 54, 46, 38, 30, 22,
				    14, 6,  61, 53, 45, 37, 29, 21, 13, 5,  28, 20, 12, 4};
static const uint8_t des_pc2[48] = {14, 17, 11, 24, 1,  5,  3,  28, 15, 6,  21, 10, 23, 19, 12, 4,
				    26, 8,  16, 7,  27, 20, 13, 2,  41, 52, 31, 37, 47, 55, 30, 40,
				    51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32};

#ifndef BENCH_DES_KEYS
#define BENCH_DES_KEYS 1
#endif
#define DES_PASSES (BENCH_DES_KEYS == 3 ? 3 : 1)

static uint32_t des_tables[8][64];
/**
 * The round keys: two words for each round, with six bits in each byte. The function E expands half
 * a block to eight groups of six bits, numbered from 1. The first word is XORed with the
 * odd-numbered groups, the second word with the even-numbered groups.
 */
static uint32_t des_keys[DES_PASSES * 32];

/** Returns bit @p n of @p bytes; bit 1 is the most significant bit. */
CIPHER_INLINE uint32_t des_bit(const uint8_t *bytes, unsigned int n)
{
	return bytes[(n - 1) / 8] >> (7 - (n - 1) % 8) & 1;
}

static void des_make_tables(void)
{
	for (unsigned int g = 0; g < 8; g++) {
		for (unsigned int x = 0; x < 64; x++) {
			const uint64_t row = des_sboxes[g][(x >> 4 & 2) | (x & 1)];
			const uint32_t before = (uint32_t)(row >> (60 - 4 * (x >> 1 & 15)) & 15)
						<< (28 - 4 * g);
			uint32_t after = 0;

			for (unsigned int n = 0; n < 32; n++) {
				after = after << 1 | (before >> (32 - des_p[n]) & 1);
			}
			des_tables[g][x] = cipher_rotl(after, 1);
		}
	}
}

/**
 * Writes the round keys of one DES encryption or decryption to @p keys. For decryption, the round
 * keys are in reverse order.
 */
static void des_schedule(uint32_t *keys, const uint8_t *key, bool decrypt)
{
	uint8_t bits[56];

	for (unsigned int n = 0; n < 56; n++) {
		bits[n] = (uint8_t)des_bit(key, des_pc1[n]);
	}
	for (unsigned int round = 0, shift = 0; round < 16; round++) {
		uint32_t *const words = keys + 2 * (decrypt ? 15 - round : round);

		shift += round == 0 || round == 1 || round == 8 || round == 15 ? 1 : 2;
		words[0] = 0;
		words[1] = 0;
		for (unsigned int n = 0; n < 48; n++) {
			const unsigned int from = des_pc2[n] - 1u;
			const unsigned int half = from / 28 * 28;
			const unsigned int group = n / 6;

			words[group % 2] |= (uint32_t)bits[half + (from - half + shift) % 28]
					    << (24 - 8 * (group / 2) + 5 - n % 6);
		}
	}
}

static void cipher_set_key(const uint8_t *key)
{
	des_make_tables();
	for (unsigned int pass = 0; pass < DES_PASSES; pass++) {
		des_schedule(des_keys + 32 * pass, key + 8 * (pass % 2), pass == 1);
	}
	for (uint32_t x = 0; BENCH_PTLU && x < 256; x++) {
		PTLU_WRITE(0, x, des_tables[0][x % 64]);
		PTLU_WRITE(1, x, des_tables[1][x % 64]);
		PTLU_WRITE(2, x, des_tables[2][x % 64]);
		PTLU_WRITE(3, x, des_tables[3][x % 64]);
		PTLU_WRITE(4, x, des_tables[4][x % 64]);
		PTLU_WRITE(5, x, des_tables[5][x % 64]);
		PTLU_WRITE(6, x, des_tables[6][x % 64]);
		PTLU_WRITE(7, x, des_tables[7][x % 64]);
	}
}

#define DES_LOOKUP(group, byte, word)                                                              \
	(BENCH_PTLU ? PTLU_WORD(group, byte, word) : des_tables[group][(word) >> 8 * (byte)&0x3f])

CIPHER_INLINE uint32_t des_f(uint32_t half, const uint32_t *k)
{
	const uint32_t odd = cipher_rotl(half, 28) ^ k[0];
	const uint32_t even = half ^ k[1];

	return DES_LOOKUP(0, 3, odd) ^ DES_LOOKUP(2, 2, odd) ^ DES_LOOKUP(4, 1, odd) ^
	       DES_LOOKUP(6, 0, odd) ^ DES_LOOKUP(1, 3, even) ^ DES_LOOKUP(3, 2, even) ^
	       DES_LOOKUP(5, 1, even) ^ DES_LOOKUP(7, 0, even);
}

/** For each bit n that is set in @p mask, exchanges bit n of @p b and bit n + @p shift of @p a. */
#define DES_EXCHANGE(a, b, shift, mask)                                                            \
	do {                                                                                       \
		const uint32_t differ = ((a) >> (shift) ^ (b)) & (mask);                           \
                                                                                                   \
		(b) ^= differ;                                                                     \
		(a) ^= differ << (shift);                                                          \
	} while (0)

CIPHER_APART void cipher_run(const uint32_t *in, uint32_t *out, size_t pieces)
{
	for (const uint32_t *const end = in + 4 * pieces; in != end; in += 2, out += 2) {
		uint32_t l = cipher_swap(in[0]);
		uint32_t r = cipher_swap(in[1]);
		const uint32_t *k = des_keys;

		/* Apply the initial permutation, and rotate both halves to the left by one bit. */
		DES_EXCHANGE(l, r, 4, 0x0f0f0f0fu);
		DES_EXCHANGE(l, r, 16, 0x0000ffffu);
		DES_EXCHANGE(r, l, 2, 0x33333333u);
		DES_EXCHANGE(r, l, 8, 0x00ff00ffu);
		r = cipher_rotl(r, 1);
		DES_EXCHANGE(r, l, 0, 0xaaaaaaaau);
		l = cipher_rotl(l, 1);
		for (unsigned int pass = 0; pass < DES_PASSES; pass++) {
			const uint32_t *const last = k + 32;

			if (pass > 0) {
				const uint32_t half = l;

				l = r;
				r = half;
			}
			for (; k != last; k += 4) {
				l ^= des_f(r, k);
				r ^= des_f(l, k + 2);
			}
		}
		/* Exchange the halves, and invert the rotation and the initial permutation. */
		r = cipher_rotl(r, 31);
		DES_EXCHANGE(r, l, 0, 0xaaaaaaaau);
		l = cipher_rotl(l, 31);
		DES_EXCHANGE(l, r, 8, 0x00ff00ffu);
		DES_EXCHANGE(l, r, 2, 0x33333333u);
		DES_EXCHANGE(r, l, 16, 0x0000ffffu);
		DES_EXCHANGE(r, l, 4, 0x0f0f0f0fu);
		out[0] = cipher_swap(r);
		out[1] = cipher_swap(l);
	}
}

#endif
