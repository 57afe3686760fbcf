/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Counter blocks of SP 800-38A, and the CTR loop that the engines in plain C share.
 */
#ifndef CL_CTR_H
#define CL_CTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "zeroize.h"

/**
 * Computes the counter block of block number @p block: @p counter = @p iv + @p block modulo 2^128.
 * @p iv and @p counter are big-endian numbers (SP 800-38A, B.1 with m = 128).
 */
void cl_ctr_counter(uint8_t counter[CL_BLOCK_BYTES], const uint8_t iv[CL_BLOCK_BYTES],
		    uint64_t block);

static inline uint32_t cl_ctr_swap(uint32_t word)
{
	return word << 24 | (word & 0xff00) << 8 | (word >> 8 & 0xff00) | word >> 24;
}

/** Adds 1 to a counter block that is stored as four little-endian words. */
static inline void cl_ctr_increment(uint32_t counter[4])
{
	/*
	 * The last byte of the counter block is bits 31:24 of the last word, so adding 2^24 to this
	 * word increments the byte. The byte overflows once in 256 blocks. Only then must a carry
	 * be added to the bytes before it.
	 */
	counter[3] += 0x01000000u;
	if (__builtin_expect(counter[3] < 0x01000000u, 0)) {
		uint32_t word = cl_ctr_swap(counter[3]) + 0x100;
		uint32_t carry = word < 0x100;

		counter[3] = cl_ctr_swap(word);
		for (int i = 2; i >= 0; i--) {
			word = cl_ctr_swap(counter[i]) + carry;
			carry = word < carry;
			counter[i] = cl_ctr_swap(word);
		}
	}
}

/** Loads four words from @p from, which is 4-byte aligned. */
static inline void cl_ctr_load_aligned(uint32_t words[4], const uint8_t *from)
{
	__builtin_memcpy(words, __builtin_assume_aligned(from, 4), CL_BLOCK_BYTES);
}

/** Stores four words to @p to, which is 4-byte aligned. */
static inline void cl_ctr_store_aligned(uint8_t *to, const uint32_t words[4])
{
	__builtin_memcpy(__builtin_assume_aligned(to, 4), words, CL_BLOCK_BYTES);
}

/** XORs up to 16 bytes of data with keystream, at any alignment. */
void cl_ctr_xor_bytes(uint8_t *out, const uint8_t *in, const uint32_t keystream[4], size_t bytes);

/** Encrypts one block of four little-endian words. */
typedef void cl_ctr_cipher(const struct cl_engine_key *key, const uint32_t in[4], uint32_t out[4]);

/**
 * Runs CTR mode with the block cipher @p cipher. The other arguments are those of cl_engine.ctr.
 * Callers pass a compile-time constant as @p cipher. This function is inlined, so the compiler
 * replaces the call through the pointer by a direct call.
 */
static inline __attribute__((always_inline)) void
cl_ctr_run(cl_ctr_cipher *cipher, const struct cl_engine_key *key,
	   const uint8_t first[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out, size_t len)
{
	uint32_t counter[4];
	uint32_t keystream[4];

	__builtin_memcpy(counter, first, sizeof(counter));
	const bool aligned = (((uintptr_t)in | (uintptr_t)out) & 3) == 0;

	while (len > 0) {
		size_t bytes = CL_BLOCK_BYTES;

		cipher(key, counter, keystream);
		if (aligned && len >= CL_BLOCK_BYTES) {
			uint32_t block[4];

			cl_ctr_load_aligned(block, in);
			block[0] ^= keystream[0];
			block[1] ^= keystream[1];
			block[2] ^= keystream[2];
			block[3] ^= keystream[3];
			cl_ctr_store_aligned(out, block);
		} else {
			bytes = len < CL_BLOCK_BYTES ? len : CL_BLOCK_BYTES;
			cl_ctr_xor_bytes(out, in, keystream, bytes);
		}
		cl_ctr_increment(counter);
		in += bytes;
		out += bytes;
		len -= bytes;
	}
	cl_zeroize(keystream, sizeof(keystream));
}

#endif
