/* SPDX-License-Identifier: BSD-2-Clause */
#include "gcm/ghash.h"

#include <string.h>

#define WORDS (CL_BLOCK_BYTES / 4u)

/**
 * Multiplies two polynomials over GF(2).
 *
 * Each factor is split into four parts that have every fourth bit. The product of two parts, as
 * integers, has up to eight ones in a sum, which three zeros above it take up. Its lowest bit is
 * the sum modulo 2.
 */
static uint64_t multiply_words(uint32_t a, uint32_t b)
{
	const uint32_t ones = 0x11111111u;
	const uint32_t a0 = a & ones;
	const uint32_t a1 = a & ones << 1;
	const uint32_t a2 = a & ones << 2;
	const uint32_t a3 = a & ones << 3;
	const uint64_t b0 = b & ones;
	const uint64_t b1 = b & ones << 1;
	const uint64_t b2 = b & ones << 2;
	const uint64_t b3 = b & ones << 3;
	const uint64_t places = UINT64_C(0x1111111111111111);

	return ((a0 * b0 ^ a1 * b3 ^ a2 * b2 ^ a3 * b1) & places) |
	       ((a0 * b1 ^ a1 * b0 ^ a2 * b3 ^ a3 * b2) & places << 1) |
	       ((a0 * b2 ^ a1 * b1 ^ a2 * b0 ^ a3 * b3) & places << 2) |
	       ((a0 * b3 ^ a1 * b2 ^ a2 * b1 ^ a3 * b0) & places << 3);
}

/** Prepares an operand for Karatsuba's method with two levels. */
static inline void spread(uint32_t operand[CL_GHASH_OPERAND_WORDS], const uint32_t words[WORDS])
{
	memcpy(operand, words, CL_BLOCK_BYTES);
	operand[4] = words[0] ^ words[1];
	operand[5] = words[2] ^ words[3];
	operand[6] = words[0] ^ words[2];
	operand[7] = words[1] ^ words[3];
	operand[8] = operand[6] ^ operand[7];
}

/** Adds up to 16 bytes to the hash, the first one at its upper end. */
static __attribute__((noinline)) void add(struct cl_ghash *ghash, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		ghash->hash[WORDS - 1 - i / 4] ^= (uint32_t)data[i] << (24 - i % 4 * 8);
	}
}

/** Multiplies the hash by the hash subkey (SP 800-38D, 6.3). */
static __attribute__((noinline)) void multiply(struct cl_ghash *ghash)
{
	/* Bit n: the partial product is added to the product at word n. */
	static const uint8_t places[CL_GHASH_OPERAND_WORDS] = {0x0f, 0x1e, 0x3c, 0x78, 0x0a,
							       0x28, 0x0c, 0x18, 0x08};
	uint32_t *const product = ghash->product;

	spread(ghash->operand, ghash->hash);
	memset(product, 0, sizeof(ghash->product));
	for (size_t i = 0; i < CL_GHASH_OPERAND_WORDS; i++) {
		const uint64_t part = multiply_words(ghash->operand[i], ghash->subkey[i]);
		uint32_t *to = product;

		for (unsigned int rest = places[i]; rest != 0; rest >>= 1, to++) {
			if ((rest & 1) != 0) {
				to[0] ^= (uint32_t)part;
				to[1] ^= (uint32_t)(part >> 32);
			}
		}
	}
	/*
	 * The most significant bit of a block is the coefficient of x^0. So a product of two blocks
	 * is at the upper end of 256 bits, one bit higher than the product of the numbers.
	 */
	for (size_t i = 2 * WORDS - 1; i > 0; i--) {
		product[i] = product[i] << 1 | product[i - 1] >> 31;
	}
	product[0] <<= 1;
	/* x^128 = x^7 + x^2 + x + 1 */
	for (size_t i = 0; i < WORDS; i++) {
		const uint32_t word = product[i];

		product[i + 4] ^= word ^ word >> 1 ^ word >> 2 ^ word >> 7;
		product[i + 3] ^= word << 31 ^ word << 30 ^ word << 25;
	}
	memcpy(ghash->hash, product + WORDS, CL_BLOCK_BYTES);
}

void cl_ghash_begin(struct cl_ghash *ghash, const uint8_t subkey[CL_BLOCK_BYTES])
{
	memset(ghash->hash, 0, sizeof(ghash->hash));
	add(ghash, subkey, CL_BLOCK_BYTES);
	spread(ghash->subkey, ghash->hash);
	memset(ghash->hash, 0, sizeof(ghash->hash));
}

void cl_ghash_update(struct cl_ghash *ghash, const uint8_t *data, size_t len)
{
	while (len > 0) {
		const size_t bytes = len < CL_BLOCK_BYTES ? len : CL_BLOCK_BYTES;

		add(ghash, data, bytes);
		multiply(ghash);
		data += bytes;
		len -= bytes;
	}
}

void cl_ghash_end(struct cl_ghash *ghash, size_t aad_len, size_t len, uint8_t hash[CL_BLOCK_BYTES])
{
	const uint64_t aad_bits = (uint64_t)aad_len * 8;
	const uint64_t bits = (uint64_t)len * 8;

	ghash->hash[3] ^= (uint32_t)(aad_bits >> 32);
	ghash->hash[2] ^= (uint32_t)aad_bits;
	ghash->hash[1] ^= (uint32_t)(bits >> 32);
	ghash->hash[0] ^= (uint32_t)bits;
	multiply(ghash);
	for (size_t i = 0; i < CL_BLOCK_BYTES; i++) {
		hash[i] = (uint8_t)(ghash->hash[WORDS - 1 - i / 4] >> (24 - i % 4 * 8));
	}
}
