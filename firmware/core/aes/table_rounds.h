/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Rounds of AES by tables. A column of the next state is the XOR of four table entries and a column
 * of the round key. Table r maps a byte of row r to the byte's contribution to this column,
 * including (Inv)SubBytes and (Inv)MixColumns (Daemen and Rijmen, The Design of Rijndael, 4.2).
 * (Inv)ShiftRows only determines from which column of the state each byte is taken.
 */
#ifndef CL_TABLE_ROUNDS_H
#define CL_TABLE_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "aes/aes_inverse.h"

/** Tables for encryption, one for each row of the state. */
extern const uint32_t cl_aes_tables[4][256];
/** Tables for decryption, one for each row of the state. */
extern const uint32_t cl_aes_inv_tables[4][256];

/**
 * Looks up the byte in row @p row of @p column in table number @p row, and returns the address of
 * the table entry.
 *
 * On RV32, a lookup takes four instructions: shift, mask, addition and load. The load's immediate
 * offset selects the table: it reaches all four tables from the start of the third table.
 */
static inline __attribute__((always_inline)) const uint8_t *
cl_table_entry(const uint32_t tables[4][256], uint32_t column, unsigned int row)
{
	const uint32_t offset = row == 0 ? column << 2 & 0x3fc : column >> (8 * row - 2) & 0x3fc;

	return (const uint8_t *)tables[2] + offset + 1024 * ((int)row - 2);
}

/**
 * Returns the number of the column from which (Inv)ShiftRows takes the byte for row @p row of
 * column @p c.
 */
static inline unsigned int cl_table_source(bool inverse, unsigned int c, unsigned int row)
{
	return (inverse ? c + 4 - row : c + row) % 4;
}

/** Runs a middle round of the cipher or of the equivalent inverse cipher. */
static inline __attribute__((always_inline)) void
cl_table_round(bool inverse, uint32_t next[4], const uint32_t state[4], const uint32_t *round_key)
{
#pragma GCC unroll 4
	for (unsigned int c = 0; c < 4; c++) {
		uint32_t column = round_key[c];

#pragma GCC unroll 4
		for (unsigned int row = 0; row < 4; row++) {
			column ^= *(const uint32_t *)(const void *)cl_table_entry(
				inverse ? cl_aes_inv_tables : cl_aes_tables,
				state[cl_table_source(inverse, c, row)], row);
		}
		next[c] = column;
	}
}

/**
 * Runs the last round, which has no (Inv)MixColumns. For SubBytes, encryption uses the tables of
 * the middle rounds, because these tables are already in the cache. Entry x of a table contains
 * S(x), the S-box output: as byte 1 in table 0, byte 2 in table 1, and byte 0 in tables 2 and 3.
 * Decryption reads the inverse S-box, because the tables for decryption do not contain InvS(x).
 */
static inline __attribute__((always_inline)) void
cl_table_last(bool inverse, uint32_t next[4], const uint32_t state[4], const uint32_t *round_key)
{
#pragma GCC unroll 4
	for (unsigned int c = 0; c < 4; c++) {
		uint32_t column = round_key[c];

#pragma GCC unroll 4
		for (unsigned int row = 0; row < 4; row++) {
			const uint32_t from = state[cl_table_source(inverse, c, row)];
			const uint8_t byte =
				inverse ? cl_aes_inv_sbox[from >> 8 * row & 0xff]
					: cl_table_entry(cl_aes_tables, from, row)[row == 0   ? 1
										   : row == 1 ? 2
											      : 0];

			column ^= (uint32_t)byte << 8 * row;
		}
		next[c] = column;
	}
}

#endif
