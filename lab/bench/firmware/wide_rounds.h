/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * AES with the instruction sets on registers wider than 32 bits. This file compiles only for the
 * board's CPU; see wide_sets.h. BENCH_WIDE selects WIDE_PTLU_64, WIDE_PTLU_128 or WIDE_ZVKNED. The
 * rounds are unrolled. wide_set_key() writes the round keys to the unit, and for `ptlu` also the
 * tables.
 *
 * For decryption, `ptlu` uses the equivalent inverse cipher. Zvkned's instructions use the inverse
 * cipher, with the round keys of encryption; they also compute the round keys of AES-128 and
 * AES-256.
 */
#ifndef WIDE_ROUNDS_H
#define WIDE_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "c_modes.h"
#include "vector/ise_words.h"
#include "wide_sets.h"

#ifndef BENCH_WIDE
#define BENCH_WIDE 0u
#endif

/** The head of a loop over @p s from 0 to @p blocks - 1. The compiler unrolls the loop. */
#define WIDE_EACH(s, blocks) _Pragma("GCC unroll 8") for (unsigned int s = 0; s < (blocks); s++)

CL_C_INLINE void wide_move_in(unsigned int s, const uint32_t *in)
{
	if (BENCH_WIDE == WIDE_PTLU_64) {
		WIDE_MOVE_IN(0, 0, in[0], in[1]);
		WIDE_MOVE_IN(1, 0, in[2], in[3]);
	} else {
		WIDE_MOVE_IN(s, 0, in[0], in[1]);
		WIDE_MOVE_IN(s, 1, in[2], in[3]);
	}
}

CL_C_INLINE void wide_move_out(unsigned int s, uint32_t *out)
{
	if (BENCH_WIDE == WIDE_PTLU_64) {
		out[0] = WIDE_MOVE_OUT(0, 0);
		out[1] = WIDE_MOVE_OUT(0, 1);
		out[2] = WIDE_MOVE_OUT(1, 0);
		out[3] = WIDE_MOVE_OUT(1, 1);
	} else {
		out[0] = WIDE_MOVE_OUT(s, 0);
		out[1] = WIDE_MOVE_OUT(s, 1);
		out[2] = WIDE_MOVE_OUT(s, 2);
		out[3] = WIDE_MOVE_OUT(s, 3);
	}
}

/**
 * Writes round key number @p k to the unit. A 128-bit unit stores it in key register k. A 64-bit
 * unit (WIDE_PTLU_64) stores it in two key registers, 2k and 2k + 1.
 */
CL_C_INLINE void wide_write_key(unsigned int k, const uint32_t *round_key)
{
	if (BENCH_WIDE == WIDE_PTLU_64) {
		WIDE_KEY_WRITE(2 * k, 0, round_key[0], round_key[1]);
		WIDE_KEY_WRITE(2 * k + 1, 0, round_key[2], round_key[3]);
	} else {
		WIDE_KEY_WRITE(k, 0, round_key[0], round_key[1]);
		WIDE_KEY_WRITE(k, 1, round_key[2], round_key[3]);
	}
}

/**
 * Computes a round with 128-bit registers. Vector register @p s contains the state, and vector
 * register @p d gets the result. Each row of the state needs one lookup, which also applies
 * (Inv)ShiftRows to this row. Overwrites v2.
 */
CL_C_INLINE void wide_round_of_128(unsigned int d, unsigned int s, const uint32_t fields[4],
				   unsigned int k)
{
	WIDE_PTLU(d, s, fields[0]);
#pragma GCC unroll 3
	for (unsigned int row = 1; row < 4; row++) {
		WIDE_PTLU(2, s, fields[row]);
		WIDE_EXCLUSIVE(d, 2);
	}
	WIDE_ADD_KEY_128(d, k);
}

/**
 * Computes two of the four columns of a round with 64-bit registers. The result goes to vector
 * register number @p d. The bytes of row r come from vector register number from[r]. Overwrites v6.
 */
CL_C_INLINE void wide_half_of_64(unsigned int d, const unsigned int from[4],
				 const uint32_t fields[4], unsigned int k)
{
	WIDE_PTLU(d, from[0], fields[0]);
#pragma GCC unroll 3
	for (unsigned int row = 1; row < 4; row++) {
		WIDE_PTLU(6, from[row], fields[row]);
		WIDE_EXCLUSIVE(d, 6);
	}
	WIDE_ADD_KEY_64(d, k);
}

/**
 * Computes a round with 64-bit registers. The state is in vector registers number @p s (columns 0
 * and 1) and @p s + 1 (columns 2 and 3). The result goes to registers number @p d and @p d + 1.
 */
CL_C_INLINE void wide_round_of_64(bool inverse, unsigned int d, unsigned int s,
				  const uint32_t fields[4], unsigned int k)
{
	const unsigned int a = s;
	const unsigned int b = s + 1;

	WIDE_SHIFT_RIGHT(4, a); /* v4 now contains columns 1 and 2 of the state */
	WIDE_SHIFT_LEFT(6, b);
	WIDE_EXCLUSIVE(4, 6);
	WIDE_SHIFT_RIGHT(5, b); /* v5 now contains columns 3 and 0 of the state */
	WIDE_SHIFT_LEFT(6, a);
	WIDE_EXCLUSIVE(5, 6);
	wide_half_of_64(d, (const unsigned int[]){a, inverse ? 5 : 4, b, inverse ? 4 : 5}, fields,
			2 * k);
	wide_half_of_64(d + 1, (const unsigned int[]){b, inverse ? 4 : 5, a, inverse ? 5 : 4},
			fields, 2 * k + 1);
}

/**
 * Computes the four operands for a round's lookups. The empty assembly statement forces the
 * compiler to keep these operands in CPU registers instead of computing them again.
 */
CL_C_INLINE void wide_load_fields(bool inverse, unsigned int first, uint32_t fields[4])
{
#pragma GCC unroll 4
	for (unsigned int row = 0; row < 4; row++) {
		const unsigned int column = inverse ? 4 - row : row;

		fields[row] = BENCH_WIDE == WIDE_PTLU_64
				      ? WIDE_FIELDS(first + row, row, 4u)
				      : WIDE_FIELDS(first + row, (4 * column + row) % 16, 4u);
		__asm__("" : "+r"(fields[row]));
	}
}

CL_C_INLINE void wide_ptlu_round(bool inverse, unsigned int d, unsigned int s,
				 const uint32_t fields[4], unsigned int k)
{
	if (BENCH_WIDE == WIDE_PTLU_64) {
		wide_round_of_64(inverse, 2 * d, 2 * s, fields, k);
	} else {
		wide_round_of_128(d, s, fields, k);
	}
}

CL_C_INLINE void wide_ptlu_block(bool inverse, unsigned int rounds, const uint32_t middle[4],
				 const uint32_t last[4])
{
	if (BENCH_WIDE == WIDE_PTLU_64) {
		WIDE_ADD_KEY_64(0, 0);
		WIDE_ADD_KEY_64(1, 1);
	} else {
		WIDE_ADD_KEY_128(0, 0);
	}
#pragma GCC unroll 7
	for (unsigned int k = 1; k + 1 < rounds; k += 2) {
		wide_ptlu_round(inverse, 1, 0, middle, k);
		wide_ptlu_round(inverse, 0, 1, middle, k + 1);
	}
	wide_ptlu_round(inverse, 1, 0, middle, rounds - 1);
	wide_ptlu_round(inverse, 0, 1, last, rounds);
}

/**
 * Processes @p side blocks with Zvkned's instructions. The first block is in vector register v0,
 * the second in v1, and so on.
 */
CL_C_INLINE void wide_zvkned_blocks(bool inverse, unsigned int rounds, unsigned int side)
{
#pragma GCC unroll 15
	for (unsigned int r = 0; r <= rounds; r++) {
		const unsigned int k = inverse ? rounds - r : r;

		WIDE_EACH(s, side)
		{
			if (r == 0) {
				VAESZ(s, k);
			} else if (r < rounds && inverse) {
				VAESDM(s, k);
			} else if (r < rounds) {
				VAESEM(s, k);
			} else if (inverse) {
				VAESDF(s, k);
			} else {
				VAESEF(s, k);
			}
		}
	}
}

/**
 * Fills all eight tables in every lane. For a byte in row r (0 to 3), T[r] combines SubBytes and
 * MixColumns, and T[4 + r] contains only SubBytes, shifted to row r.
 */
CL_C_INLINE void wide_write_tables(bool inverse)
{
	const uint32_t(*const tables)[256] = inverse ? cl_aes_inv_tables : cl_aes_tables;
	const uint8_t *const sbox = inverse ? cl_aes_inv_sbox : cl_aes_sbox;

	for (uint32_t x = 0; x < 256; x++) {
#pragma GCC unroll 4
		for (unsigned int row = 0; row < 4; row++) {
#pragma GCC unroll 4
			for (unsigned int c = 0; c < (BENCH_WIDE == WIDE_PTLU_64 ? 2 : 4); c++) {
				WIDE_TABLE_WRITE(row, c, x, tables[row][x]);
				WIDE_TABLE_WRITE(4 + row, c, x, (uint32_t)sbox[x] << 8 * row);
			}
		}
	}
}

/**
 * Computes the round keys of AES-128 or AES-256 with the unit's instructions. Stores them in the
 * unit's key registers k0, k1 and so on.
 */
CL_C_INLINE void wide_schedule_in_unit(const uint32_t *key, unsigned int key_bits)
{
	wide_write_key(0, key);
	if (key_bits == 128) {
#pragma GCC unroll 10
		for (unsigned int rnd = 1; rnd <= 10; rnd++) {
			VAESKF1(rnd, rnd - 1, rnd);
		}
		return;
	}
	wide_write_key(1, key + 4);
#pragma GCC unroll 13
	for (unsigned int rnd = 2; rnd <= 14; rnd++) {
		VMV(rnd, rnd - 2);
		VAESKF2(rnd, rnd - 1, rnd);
	}
}

/**
 * Processes @p blocks blocks, in groups of @p side blocks. For `ptlu`, @p side is 1, because the
 * unit's registers hold only one block. A larger group would not be faster: each `ptlu` can use the
 * result of the previous instruction without waiting. If @p side is at least 4, the code loads and
 * stores blocks with the macros of the vector unit's engines (vector/ise_words.h).
 */
CL_C_INLINE void wide_blocks(bool inverse, unsigned int rounds, unsigned int blocks,
			     unsigned int side, const uint32_t *in, uint32_t *out)
{
	uint32_t middle[4];
	uint32_t last[4];

	if (BENCH_WIDE != WIDE_ZVKNED) {
		wide_load_fields(inverse, 0, middle);
		wide_load_fields(inverse, 4, last);
	}
	for (const uint32_t *const end = in + 4 * blocks; in != end; in += 4 * side) {
		uint32_t words[CL_ISE_BATCH_WORDS];

		WIDE_EACH(s, side)
		{
			if (side < CL_ISE_BATCH_BLOCKS) {
				wide_move_in(s, in + 4 * s);
			} else {
				if (s % CL_ISE_BATCH_BLOCKS == 0) {
					cl_ise_load_words(words, in + 4 * s);
				}
				wide_move_in(s, words + 4 * (s % CL_ISE_BATCH_BLOCKS));
			}
		}
		if (BENCH_WIDE == WIDE_ZVKNED) {
			wide_zvkned_blocks(inverse, rounds, side);
		} else {
			wide_ptlu_block(inverse, rounds, middle, last);
		}
		WIDE_EACH(s, side)
		{
			if (side < CL_ISE_BATCH_BLOCKS) {
				wide_move_out(s, out + 4 * s);
			} else {
				wide_move_out(s, words + 4 * (s % CL_ISE_BATCH_BLOCKS));
				if (s % CL_ISE_BATCH_BLOCKS == CL_ISE_BATCH_BLOCKS - 1) {
					cl_ise_store_words(out + 4 * (s + 1) - CL_ISE_BATCH_WORDS,
							   words);
				}
			}
		}
		out += 4 * side;
	}
}

/**
 * Implements cl_modes.set_key: writes the round keys to the unit, and for `ptlu` also the tables.
 */
CL_C_INLINE int wide_set_key(struct cl_engine_key *key, const uint8_t *key_bytes,
			     unsigned int key_bits, bool decrypt)
{
	const bool zvkned = BENCH_WIDE == WIDE_ZVKNED;

	WIDE_CHOOSE(BENCH_WIDE);
	if (zvkned && key_bits != 192) {
		uint32_t words[8];

		memcpy(words, key_bytes, key_bits / 8);
		wide_schedule_in_unit(words, key_bits);
		return 0;
	}
	const int result = cl_modes_c_set_key(NULL, key, key_bytes, key_bits, decrypt && !zvkned);

	if (result != 0) {
		return result;
	}
	if (!zvkned) {
		wide_write_tables(decrypt);
	}
#pragma GCC unroll 15
	for (unsigned int k = 0; k < 15; k++) {
		wide_write_key(k, key->round_key + 4 * k);
	}
	return 0;
}

#endif
