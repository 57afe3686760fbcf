/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Fiskiran and Lee's parallel table lookup, `ptlu`, on words of 32 bits. Compiles only for the
 * board's CPU. The unit contains the tables T0 to T7, each with 256 words of 32 bits. The bytes of
 * rs1 are the indices. The hardware is in lab/isa/ptlu.py.
 */
#ifndef PTLU_H
#define PTLU_H

#include <stdint.h>

/**
 * ptlu.4.table.offset.0: one lookup of a word. After the tables have been filled, they do not
 * change, so the compiler may move this instruction.
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
 * ptlu.1.table.offset.1: four lookups. Lookup i uses byte (offset + i) modulo 4 of rs1, and returns
 * byte i of the entry.
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
 * Looks up a word in a table that the program also changes. The low byte of @p rs1_ is the index.
 * The compiler does not move this instruction across writes to the table.
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
