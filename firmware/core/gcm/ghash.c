/* SPDX-License-Identifier: BSD-2-Clause */
#include "gcm/ghash.h"

#include <string.h>

#include "zeroize.h"

#define WORDS (CL_BLOCK_BYTES / 4u)

/**
 * State of a GHASH computation, with all its secret data.
 *
 * A block is stored as a number of 128 bits, in four words, least significant word first. The first
 * byte of the block is the most significant byte of this number.
 */
struct state {
	/**
	 * Words 0 to 3: the hash subkey. For Karatsuba's method, word 4 is the XOR of words 0 and
	 * 2, and word 5 is the XOR of words 1 and 3.
	 */
	uint32_t subkey[6];
	/**
	 * Space for a product of two blocks. Between multiplications, words 4 to 7 contain the
	 * hash.
	 */
	uint32_t product[12];
};

/**
 * Multiplies two polynomials over GF(2).
 *
 * Each factor is split into four parts. Each part contains every fourth bit of the factor. Each
 * part of one factor is multiplied by each part of the other factor, as integers. Every fourth bit
 * of such a product is the lowest bit of a sum of at most eight bits. The three bits above hold the
 * sum's carries. GCC's first pass of instruction scheduling is disabled for this function, because
 * it would make the function save more registers.
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
 * XORs up to 16 bytes of data into a block. The function calls memcpy only for an incomplete block,
 * because memcpy's code evicts code of this file from the instruction cache.
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
static __attribute__((noinline)) void multiply(struct state *state)
{
	uint32_t *const product = state->product;

	/*
	 * Compute three products of 64-bit numbers: lower half times lower half, upper half times
	 * upper half, and sum times sum. Each sum is the lower half plus the upper half of one
	 * factor.
	 */
	product[8] = product[4] ^ product[6];
	product[9] = product[5] ^ product[7];
	for (size_t i = 0; i < 3; i++) {
		const uint32_t *const a = product + WORDS + 2 * i;
		const uint32_t *const b = state->subkey + 2 * i;
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
	 * In GHASH, the most significant bit of a block is the coefficient of x^0. In a product of
	 * 256 bits, this coefficient must therefore be bit 255. The code above computes it as bit
	 * 254, so shift the product left by one bit.
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

static int hash_in_c(void *hw, const uint8_t subkey[CL_BLOCK_BYTES], uint8_t hash[CL_BLOCK_BYTES],
		     const uint8_t *data, size_t len)
{
	struct state state = {0};
	uint32_t *const words = state.product + WORDS;

	(void)hw;
	add(state.subkey, subkey, CL_BLOCK_BYTES);
	state.subkey[4] = state.subkey[0] ^ state.subkey[2];
	state.subkey[5] = state.subkey[1] ^ state.subkey[3];
	add(words, hash, CL_BLOCK_BYTES);
	while (len > 0) {
		const size_t bytes = len < CL_BLOCK_BYTES ? len : CL_BLOCK_BYTES;

		add(words, data, bytes);
		multiply(&state);
		data += bytes;
		len -= bytes;
	}
	for (size_t i = 0; i < CL_BLOCK_BYTES; i++) {
		hash[i] = (uint8_t)(words[WORDS - 1 - i / 4] >> (24 - 8 * (i % 4)));
	}
	cl_zeroize(&state, sizeof(state));
	return 0;
}

const struct cl_hasher cl_hasher_c = {.hash = hash_in_c};
