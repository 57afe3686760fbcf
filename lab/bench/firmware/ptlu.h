/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Fiskiran and Lee's parallel table lookup, `ptlu`, on words of 32 bits. This file compiles only
 * for the board's CPU. The unit contains the tables T0 to T7, each with 256 words of 32 bits. The
 * bytes of rs1 are the indices. The hardware is in lab/isa/ptlu.py.
 */
#ifndef PTLU_H
#define PTLU_H

#include <stdint.h>

/**
 * The instruction ptlu.4.table.offset.0: looks up one word; byte @p offset of @p rs1_ is its index.
 * The compiler is allowed to move this instruction across writes to the tables. So use this macro
 * only while the tables do not change.
 */
#define PTLU_WORD(table, offset, rs1_)                                                             \
	({                                                                                         \
		uint32_t rd_;                                                                      \
		__asm__(".insn r 0x0b, 6, %2, %0, %1, zero"                                        \
			: "=r"(rd_)                                                                \
			: "r"(rs1_), "i"((offset) << 3 | (table)));                                \
		rd_;                                                                               \
	})

/**
 * The instruction ptlu.1.table.offset.1: four lookups in one table. Lookup i uses byte (offset + i)
 * modulo 4 of rs1 as its index. Byte i of the result is byte i of the entry that lookup i reads.
 */
#define PTLU_BYTES(table, offset, rs1_)                                                            \
	({                                                                                         \
		uint32_t rd_;                                                                      \
		__asm__(".insn r 0x0b, 4, %2, %0, %1, zero"                                        \
			: "=r"(rd_)                                                                \
			: "r"(rs1_), "i"(1 << 5 | (offset) << 3 | (table)));                       \
		rd_;                                                                               \
	})

/**
 * Looks up a word in a table whose entries the program changes between lookups. The low byte of
 * @p rs1_ is the index. The compiler does not move this instruction across writes to the table.
 */
#define PTLU_CHANGING_WORD(table, rs1_)                                                            \
	({                                                                                         \
		uint32_t rd_;                                                                      \
		__asm__ volatile(".insn r 0x0b, 6, %2, %0, %1, zero"                               \
				 : "=r"(rd_)                                                       \
				 : "r"(rs1_), "i"(table));                                         \
		rd_;                                                                               \
	})

/** T[table][index] = word. */
#define PTLU_WRITE(table, index, word)                                                             \
	__asm__ volatile(".insn r 0x0b, 7, %2, zero, %0, %z1"                                      \
			 :                                                                         \
			 : "r"(index), "rJ"(word), "i"(table)                                      \
			 : "memory")

#endif
