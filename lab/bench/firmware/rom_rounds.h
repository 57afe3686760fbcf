/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Rounds of AES with the instructions of VexRiscv's AES plugin. This file compiles only for the
 * board's CPU. The hardware is in lab/isa/rom_rounds.py. The instructions expect row 0 of a column
 * in the high byte of a word. So the code reverses the bytes of each word of a block before and
 * after the rounds. rom_set_key() reverses the bytes of each word of the round keys once.
 */
#ifndef ROM_ROUNDS_H
#define ROM_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "aes/aes.h"
#include "aes/table_rounds.h"
#include "c_modes.h"

#define ROM_DECRYPT 0x1
#define ROM_LAST    0x2

/**
 * Applies the AES operation @p operation to byte @p byte of @p rs2. Returns the XOR of the result
 * and @p rs1. The instruction has no side effects.
 */
#define ROM_SHARE(operation, byte, rs1, rs2)                                                       \
	({                                                                                         \
		uint32_t rd_;                                                                      \
		__asm__ volatile(".insn r 0x0b, 2, %3, %0, %1, %2"                                 \
				 : "=r"(rd_)                                                       \
				 : "r"(rs1), "r"(rs2), "i"((byte) << 3 | (operation)));            \
		rd_;                                                                               \
	})

/** Reverses the bytes of each word of a block or of a round key. */
CL_C_INLINE void rom_turn(uint32_t words[4])
{
#pragma GCC unroll 4
	for (unsigned int c = 0; c < 4; c++) {
		const uint32_t pairs =
			(words[c] & 0x00ff00ffu) << 8 | (words[c] >> 8 & 0x00ff00ffu);

		words[c] = pairs << 16 | pairs >> 16;
	}
}

/**
 * Computes the contributions of the bytes in row @p row of the state @p s to the next state @p
 * next. XORs each contribution into a column of @p next. The arguments @p operation, @p inverse and
 * @p row are compile-time constants.
 */
CL_C_INLINE void rom_row(unsigned int operation, bool inverse, unsigned int row, uint32_t next[4],
			 const uint32_t s[4])
{
#pragma GCC unroll 4
	for (unsigned int c = 0; c < 4; c++) {
		next[c] =
			ROM_SHARE(operation, 3 - row, next[c], s[cl_table_source(inverse, c, row)]);
	}
}

/**
 * Computes a round: 16 instructions, and 4 loads of round key words. @p last and @p inverse are
 * compile-time constants.
 */
CL_C_INLINE void rom_round(bool last, bool inverse, uint32_t next[4], const uint32_t s[4],
			   const uint32_t *k)
{
	const unsigned int operation = (last ? ROM_LAST : 0) | (inverse ? ROM_DECRYPT : 0);
	uint32_t sum[4];

	cl_c_copy(sum, k);
	rom_row(operation, inverse, 0, sum, s);
	rom_row(operation, inverse, 1, sum, s);
	rom_row(operation, inverse, 2, sum, s);
	rom_row(operation, inverse, 3, sum, s);
	cl_c_copy(next, sum);
}

/**
 * Implements cl_modes.set_key: runs the key schedule in C, then reverses the bytes of each word of
 * the round keys.
 */
static inline int rom_set_key(struct cl_engine_key *key, const uint8_t *key_bytes,
			      unsigned int key_bits, bool decrypt)
{
	const int result = cl_modes_c_set_key(NULL, key, key_bytes, key_bits, decrypt);

	for (unsigned int r = 0; result == 0 && r <= key->rounds; r++) {
		rom_turn(key->round_key + 4 * r);
	}
	return result;
}

#endif
