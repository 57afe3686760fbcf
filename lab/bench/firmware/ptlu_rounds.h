/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Rounds of AES with Fiskiran and Lee's parallel table lookup, `ptlu`, on words of 32 bits
 * (ptlu.h). This file compiles only for the board's CPU. For a byte in row r, every round except
 * the last looks up table T[r], which combines SubBytes and MixColumns. The last round looks up
 * table T[4 + r], which contains only SubBytes. Encryption and decryption need different contents
 * of the tables.
 */
#ifndef PTLU_ROUNDS_H
#define PTLU_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "aes/aes.h"
#include "aes/aes_inverse.h"
#include "aes/table_rounds.h"
#include "c_modes.h"
#include "ptlu.h"

#define PTLU_TERM(first, inverse, s, c, row)                                                       \
	PTLU_WORD((first) + (row), row, s[cl_table_source(inverse, c, row)])
#define PTLU_COLUMN(first, inverse, s, c)                                                          \
	(PTLU_TERM(first, inverse, s, c, 0) ^ PTLU_TERM(first, inverse, s, c, 1) ^                 \
	 PTLU_TERM(first, inverse, s, c, 2) ^ PTLU_TERM(first, inverse, s, c, 3))

/**
 * Computes a round with 16 lookups, 16 XORs and 4 loads of round key words. @p last and @p inverse
 * are compile-time constants.
 */
static inline __attribute__((always_inline)) void
ptlu_round(bool last, bool inverse, uint32_t next[4], const uint32_t s[4], const uint32_t *k)
{
#pragma GCC unroll 4
	for (unsigned int c = 0; c < 4; c++) {
		next[c] = k[c] ^ PTLU_COLUMN(last ? 4 : 0, inverse, s, c);
	}
}

/**
 * Implements cl_modes.set_key: runs the key schedule in C, then writes the 2048 entries of all
 * eight tables.
 */
static inline int ptlu_set_key(struct cl_engine_key *key, const uint8_t *key_bytes,
			       unsigned int key_bits, bool decrypt)
{
	const uint32_t(*const tables)[256] = decrypt ? cl_aes_inv_tables : cl_aes_tables;
	const uint8_t *const sbox = decrypt ? cl_aes_inv_sbox : cl_aes_sbox;

	for (uint32_t x = 0; x < 256; x++) {
		PTLU_WRITE(0, x, tables[0][x]);
		PTLU_WRITE(1, x, tables[1][x]);
		PTLU_WRITE(2, x, tables[2][x]);
		PTLU_WRITE(3, x, tables[3][x]);
		PTLU_WRITE(4, x, (uint32_t)sbox[x]);
		PTLU_WRITE(5, x, (uint32_t)sbox[x] << 8);
		PTLU_WRITE(6, x, (uint32_t)sbox[x] << 16);
		PTLU_WRITE(7, x, (uint32_t)sbox[x] << 24);
	}
	return cl_modes_c_set_key(NULL, key, key_bytes, key_bits, decrypt);
}

#endif
