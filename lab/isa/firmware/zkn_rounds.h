/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Rounds of AES with the scalar instructions of RISC-V Zkne and Zknd for RV32. Each instruction
 * substitutes one byte and XORs the byte's contribution into a column. Include this file before
 * aes/c_cipher.h, which uses the rounds. This file compiles only for the board's CPU, unless a test
 * defines CL_ZKN. The hardware is in lab/isa/zkn.py. As in the standard, funct7 contains the byte
 * select (bits 6:5) and the operation. Our opcode is custom-0. The instructions have no side
 * effects, so the compiler is allowed to reorder them.
 */
#ifndef CL_ZKN_ROUNDS_H
#define CL_ZKN_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

/** Operations: SubBytes, SubBytes with MixColumns, and the inverse of each. */
#define CL_ZKN_ESI  0x11
#define CL_ZKN_ESMI 0x13
#define CL_ZKN_DSI  0x15
#define CL_ZKN_DSMI 0x17

/*
 * A test can define CL_ZKN before it includes this file, to call a software model instead of the
 * hardware.
 */
#ifndef CL_ZKN
/** Applies @p operation to byte @p select of @p rs2. Returns the XOR of the result and @p rs1. */
#define CL_ZKN(operation, select, rs1, rs2)                                                        \
	({                                                                                         \
		uint32_t rd_;                                                                      \
		__asm__(".insn r 0x0b, 0, %3, %0, %1, %2"                                          \
			: "=r"(rd_)                                                                \
			: "r"(rs1), "r"(rs2), "i"((select) << 5 | (operation)));                   \
		rd_;                                                                               \
	})
#endif

/**
 * Computes a column of the next state: the XOR of a column of the round key, @p key, with the
 * contributions of four bytes. These bytes are row 0 of @p a, row 1 of @p b, row 2 of @p c and row
 * 3 of @p d.
 */
#define CL_ZKN_COLUMN(operation, key, a, b, c, d)                                                  \
	({                                                                                         \
		uint32_t sum_ = CL_ZKN(operation, 0, key, a);                                      \
		sum_ = CL_ZKN(operation, 1, sum_, b);                                              \
		sum_ = CL_ZKN(operation, 2, sum_, c);                                              \
		sum_ = CL_ZKN(operation, 3, sum_, d);                                              \
		sum_;                                                                              \
	})

/**
 * Computes all four columns of the next state. In the cipher, the byte in row r of column c comes
 * from column c + r of the old state. In the inverse cipher, the byte comes from column c - r.
 * Column numbers are modulo 4.
 */
#define CL_ZKN_COLUMNS(operation, next, s, k, forth, back)                                         \
	do {                                                                                       \
		next[0] = CL_ZKN_COLUMN(operation, (k)[0], s[0], s[forth], s[2], s[back]);         \
		next[1] = CL_ZKN_COLUMN(operation, (k)[1], s[1], s[(forth + 1) % 4], s[3],         \
					s[(back + 1) % 4]);                                        \
		next[2] = CL_ZKN_COLUMN(operation, (k)[2], s[2], s[(forth + 2) % 4], s[0],         \
					s[(back + 2) % 4]);                                        \
		next[3] = CL_ZKN_COLUMN(operation, (k)[3], s[3], s[(forth + 3) % 4], s[1],         \
					s[(back + 3) % 4]);                                        \
	} while (0)

/**
 * Computes a round of the cipher or of the equivalent inverse cipher, in sixteen instructions. For
 * the last round, use cl_zkn_last().
 */
static inline __attribute__((always_inline)) void
cl_zkn_round(bool inverse, uint32_t next[4], const uint32_t state[4], const uint32_t *round_key)
{
	if (inverse) {
		CL_ZKN_COLUMNS(CL_ZKN_DSMI, next, state, round_key, 3, 1);
	} else {
		CL_ZKN_COLUMNS(CL_ZKN_ESMI, next, state, round_key, 1, 3);
	}
}

/** Computes the last round, which has no (Inv)MixColumns. */
static inline __attribute__((always_inline)) void
cl_zkn_last(bool inverse, uint32_t next[4], const uint32_t state[4], const uint32_t *round_key)
{
	if (inverse) {
		CL_ZKN_COLUMNS(CL_ZKN_DSI, next, state, round_key, 3, 1);
	} else {
		CL_ZKN_COLUMNS(CL_ZKN_ESI, next, state, round_key, 1, 3);
	}
}

#define CL_C_INSTRUCTION_ROUND cl_zkn_round
#define CL_C_INSTRUCTION_LAST  cl_zkn_last

#endif
