/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * A software model of the instructions in lab/bench/firmware/ptlu.h, for tests on the host. The
 * tables are in memory. The model counts lookups, lookup instructions and writes.
 */
#ifndef PTLU_H
#define PTLU_H

#include <stdint.h>

static uint32_t ptlu_tables[8][256];
static unsigned long ptlu_lookups;
static unsigned long ptlu_instructions;
static unsigned long ptlu_writes;

static inline uint32_t ptlu_words(unsigned int table, unsigned int byte, uint32_t word)
{
	ptlu_instructions++;
	ptlu_lookups++;
	return ptlu_tables[table][word >> 8 * byte & 0xff];
}

static inline uint32_t ptlu_bytes(unsigned int table, unsigned int offset, uint32_t word)
{
	uint32_t result = 0;

	ptlu_instructions++;
	for (unsigned int i = 0; i < 4; i++) {
		ptlu_lookups++;
		result |=
			ptlu_tables[table][word >> 8 * ((offset + i) % 4) & 0xff] & 0xffu << 8 * i;
	}
	return result;
}

static inline void ptlu_write(unsigned int table, uint32_t index, uint32_t word)
{
	ptlu_writes++;
	ptlu_tables[table][index & 0xff] = word;
}

#define PTLU_WORD(table, offset, rs1)  ptlu_words(table, offset, rs1)
#define PTLU_BYTES(table, offset, rs1) ptlu_bytes(table, offset, rs1)
#define PTLU_CHANGING_WORD(table, rs1) ptlu_words(table, 0, rs1)
#define PTLU_WRITE(table, index, word) ptlu_write(table, index, word)

#endif
