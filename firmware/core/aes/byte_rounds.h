/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Rounds of AES in byte-oriented C. SubBytes uses a table of 256 bytes. MixColumns processes the
 * four bytes of a column at once, in one 32-bit word.
 */
#ifndef CL_BYTE_ROUNDS_H
#define CL_BYTE_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "aes/aes.h"
#include "aes/aes_inverse.h"

static inline uint32_t cl_byte_rotate(uint32_t column, unsigned int rows)
{
	return column >> 8 * rows | column << (32 - 8 * rows);
}

/**
 * Returns column @p c after (Inv)SubBytes and (Inv)ShiftRows. For row r, ShiftRows takes the byte
 * from column (c + r) mod 4, and InvShiftRows takes it from column (c - r) mod 4.
 */
static inline __attribute__((always_inline)) uint32_t
cl_byte_substituted(bool inverse, const uint32_t state[4], unsigned int c)
{
	const uint8_t *const sbox = inverse ? cl_aes_inv_sbox : cl_aes_sbox;
	uint32_t column = 0;

#pragma GCC unroll 4
	for (unsigned int row = 0; row < 4; row++) {
		const uint32_t from = state[(inverse ? c + 4 - row : c + row) % 4];

		column |= (uint32_t)sbox[from >> 8 * row & 0xff] << 8 * row;
	}
	return column;
}

/**
 * Computes MixColumns of one column (FIPS-197, 5.1.3). The new row r is {02} times row r, plus {03}
 * times row r + 1, plus rows r + 2 and r + 3.
 */
static inline uint32_t cl_byte_mix_column(uint32_t column)
{
	const uint32_t next = cl_byte_rotate(column, 1);

	return cl_aes_double(column ^ next) ^ next ^ cl_byte_rotate(column ^ next, 2);
}

/** Runs a middle round of the cipher or of the equivalent inverse cipher. */
static inline __attribute__((always_inline)) void
cl_byte_round(bool inverse, uint32_t next[4], const uint32_t state[4], const uint32_t *round_key)
{
#pragma GCC unroll 4
	for (unsigned int c = 0; c < 4; c++) {
		uint32_t column = cl_byte_substituted(inverse, state, c);

		if (inverse) {
			/*
			 * InvMixColumns of a column is MixColumns of a corrected column. To each
			 * row r, the correction adds {04} times (row r + row (r + 2) mod 4).
			 */
			const uint32_t sum = column ^ cl_byte_rotate(column, 2);

			column ^= cl_aes_double(cl_aes_double(sum));
		}
		next[c] = round_key[c] ^ cl_byte_mix_column(column);
	}
}

/** Runs the last round, which has no (Inv)MixColumns. */
static inline __attribute__((always_inline)) void
cl_byte_last(bool inverse, uint32_t next[4], const uint32_t state[4], const uint32_t *round_key)
{
#pragma GCC unroll 4
	for (unsigned int c = 0; c < 4; c++) {
		next[c] = round_key[c] ^ cl_byte_substituted(inverse, state, c);
	}
}

#endif
