/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The instructions that work on registers wider than 32 bits. They compile only for the board's
 * CPU. There are three sets: Fiskiran and Lee's parallel table lookup `ptlu` with 64 and with 128
 * bits (lab/isa/wide_ptlu.py), and Zvkned (lab/isa/zvkned.py). lab/isa/wide_registers.py contains
 * the hardware that all three share.
 */
#ifndef WIDE_SETS_H
#define WIDE_SETS_H

#include <stdint.h>

/*
 * Numbers of the three units; lab/isa/comparators.py uses the same numbers. WIDE_CHOOSE selects the
 * unit that executes all following instructions.
 */
#define WIDE_PTLU_64  1u
#define WIDE_PTLU_128 2u
#define WIDE_ZVKNED   3u

#define WIDE(funct3, funct7, rs1_, rs2_)                                                           \
	__asm__ volatile(".insn r 0x0b, %0, %1, zero, %z2, %z3"                                    \
			 :                                                                         \
			 : "i"(funct3), "i"(funct7), "rJ"(rs1_), "rJ"(rs2_))

#define WIDE_CHOOSE(unit) WIDE(0, 0x7f, unit, 0)

/** v[d].half[h] = first, second. */
#define WIDE_MOVE_IN(d, h, first, second) WIDE(7, (h) << 3 | (d), first, second)

/**
 * Writes 64 bits of key register @p k. In a 128-bit register, @p h (0 or 1) selects the half to
 * write, and @p k has four bits. For 64-bit registers, @p h is 0, and @p k has five bits.
 */
#define WIDE_KEY_WRITE(k, h, first, second) WIDE(7, 0x20 | (h) << 4 | (k), first, second)

/** Returns v[d].lane[c]. */
#define WIDE_MOVE_OUT(d, c)                                                                        \
	({                                                                                         \
		uint32_t rd_;                                                                      \
		__asm__ volatile(".insn r 0x0b, 7, %1, %0, zero, zero"                             \
				 : "=r"(rd_)                                                       \
				 : "i"(0x40 | (c) << 3 | (d)));                                    \
		rd_;                                                                               \
	})

/**
 * The fields of the instruction ptlu.4, packed into one operand. The value is less than 2048, so
 * the CPU can load it with one instruction.
 */
#define WIDE_FIELDS(table, offset, step) ((table) << 8 | (step) << 4 | (offset))

#define WIDE_PTLU(d, s, fields) WIDE(1, (s) << 3 | (d), fields, 0)
#define WIDE_EXCLUSIVE(d, s)    WIDE(2, (s) << 3 | (d), 0, 0)
#define WIDE_SHIFT_LEFT(d, s)   WIDE(1, 0x40 | (s) << 3 | (d), 0, 0)
#define WIDE_SHIFT_RIGHT(d, s)  WIDE(2, 0x40 | (s) << 3 | (d), 0, 0)
#define WIDE_ADD_KEY_64(d, k)   WIDE(3, (k) << 2 | (d), 0, 0)
#define WIDE_ADD_KEY_128(d, k)  WIDE(3, (k) << 3 | (d), 0, 0)
/** T[table][index].lane[c] = word. */
#define WIDE_TABLE_WRITE(table, c, index, word) WIDE(7, 0x60 | (c) << 3 | (table), index, word)

#define VAESEM(d, k) WIDE(1, (k) << 3 | (d), 0, 0)
#define VAESEF(d, k) WIDE(2, (k) << 3 | (d), 0, 0)
#define VAESDM(d, k) WIDE(3, (k) << 3 | (d), 0, 0)
#define VAESDF(d, k) WIDE(4, (k) << 3 | (d), 0, 0)
#define VAESZ(d, k)  WIDE(5, (k) << 3 | (d), 0, 0)
/** vaeskf1: computes the round key k[d] of AES-128 from the previous round key k[s]. */
#define VAESKF1(d, s, rnd) WIDE(6, d, (rnd) << 4 | (s), 0)
/**
 * vaeskf2: computes the next round key of AES-256. Before, k[d] and k[s] contain the two previous
 * round keys; k[d] contains the older one. The result replaces k[d].
 */
#define VAESKF2(d, s, rnd) WIDE(6, 0x40 | (d), (rnd) << 4 | (s), 0)
/** vmv.v.v: k[d] = k[s]. */
#define VMV(d, s) WIDE(6, 0x20 | (d), s, 0)

#endif
