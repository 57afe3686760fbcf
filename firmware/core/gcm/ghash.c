/* SPDX-License-Identifier: BSD-2-Clause */
#include "gcm/ghash.h"

#include <string.h>

#include "cl_wire.h"
#include "engine/ctr.h"

#define WORDS (CL_BLOCK_BYTES / 4u)

/**
 * Multiplies two polynomials over GF(2).
 *
 * Each factor is split into four parts; a part contains every fourth bit of the factor. Two parts
 * are multiplied as integers. Every fourth bit of this product is a sum of at most eight bits,
 * modulo 2. The three bits above each sum have room for its carry. GCC's first pass of instruction
 * scheduling is disabled for this function, so that the function must save fewer registers.
 */
#ifdef __clang__
#define UNSCHEDULED
#else
#define UNSCHEDULED , optimize("no-schedule-insns")
#endif
static __attribute__((noinline UNSCHEDULED)) uint64_t multiply_words(uint32_t a, uint32_t b)
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

/**
 * XORs up to 16 bytes into a block. Does not call memcpy for whole blocks, because that would evict
 * code of this file from the instruction cache.
 */
static __attribute__((noinline)) void add(uint32_t words[WORDS], const uint8_t *data, size_t len)
{
	uint8_t padded[CL_BLOCK_BYTES] = {0};

	if (len < CL_BLOCK_BYTES) {
		memcpy(padded, data, len);
		data = padded;
	}
	for (size_t i = WORDS; i-- > 0; data += 4) {
		words[i] ^= (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 |
			    (uint32_t)data[2] << 8 | data[3];
	}
}

/** Multiplies the hash by the hash subkey (SP 800-38D, 6.3), by Karatsuba's method in two levels.
 */
static __attribute__((noinline)) void multiply(struct cl_ghash *ghash)
{
	uint32_t *const product = ghash->product;

	/*
	 * Compute three products of 64-bit numbers. Multiply the lower halves of both factors, then
	 * their upper halves. Then multiply the sums: in each factor, the lower half plus the upper
	 * half.
	 */
	product[8] = product[4] ^ product[6];
	product[9] = product[5] ^ product[7];
	for (size_t i = 0; i < 3; i++) {
		const uint32_t *const a = product + WORDS + 2 * i;
		const uint32_t *const b = ghash->subkey + 2 * i;
		const uint64_t low = multiply_words(a[0], b[0]);
		const uint64_t high = multiply_words(a[1], b[1]);
		const uint64_t middle = multiply_words(a[0] ^ a[1], b[0] ^ b[1]) ^ low ^ high;

		product[4 * i] = (uint32_t)low;
		product[4 * i + 1] = (uint32_t)(low >> 32) ^ (uint32_t)middle;
		product[4 * i + 2] = (uint32_t)high ^ (uint32_t)(middle >> 32);
		product[4 * i + 3] = (uint32_t)(high >> 32);
	}
	for (size_t i = 0; i < WORDS; i++) {
		product[8 + i] ^= product[i] ^ product[4 + i];
	}
	for (size_t i = 0; i < WORDS; i++) {
		product[2 + i] ^= product[8 + i];
	}
	/*
	 * The most significant bit of a block is the coefficient of x^0. So a product of two blocks
	 * is at the upper end of 256 bits, one bit higher than the product of the numbers.
	 */
	for (size_t i = 2 * WORDS - 1; i > 0; i--) {
		product[i] = product[i] << 1 | product[i - 1] >> 31;
	}
	product[0] <<= 1;
	/* Reduce the product, with x^128 = x^7 + x^2 + x + 1. */
	for (size_t i = 0; i < WORDS; i++) {
		const uint32_t word = product[i];

		product[i + 4] ^= word ^ word >> 1 ^ word >> 2 ^ word >> 7;
		product[i + 3] ^= word << 31 ^ word << 30 ^ word << 25;
	}
}

void cl_ghash_begin(struct cl_ghash *ghash, const uint8_t subkey[CL_BLOCK_BYTES])
{
	uint32_t *const words = ghash->subkey;

	memset(ghash, 0, sizeof(*ghash));
	add(words, subkey, CL_BLOCK_BYTES);
	words[4] = words[0] ^ words[2];
	words[5] = words[1] ^ words[3];
}

void cl_ghash_update(struct cl_ghash *ghash, const uint8_t *data, size_t len)
{
	while (len > 0) {
		const size_t bytes = len < CL_BLOCK_BYTES ? len : CL_BLOCK_BYTES;

		add(ghash->product + WORDS, data, bytes);
		multiply(ghash);
		data += bytes;
		len -= bytes;
	}
}

void cl_ghash_read(const struct cl_ghash *ghash, uint8_t hash[CL_BLOCK_BYTES])
{
	for (size_t i = 0; i < WORDS; i++) {
		cl_store_u32(hash + 4 * i, cl_ctr_swap(ghash->product[2 * WORDS - 1 - i]));
	}
}

void cl_ghash_end(struct cl_ghash *ghash, size_t aad_len, size_t len, uint8_t hash[CL_BLOCK_BYTES])
{
	const uint64_t aad_bits = (uint64_t)aad_len * 8;
	const uint64_t bits = (uint64_t)len * 8;
	uint32_t *const words = ghash->product + WORDS;

	words[3] ^= (uint32_t)(aad_bits >> 32);
	words[2] ^= (uint32_t)aad_bits;
	words[1] ^= (uint32_t)(bits >> 32);
	words[0] ^= (uint32_t)bits;
	multiply(ghash);
	cl_ghash_read(ghash, hash);
}
