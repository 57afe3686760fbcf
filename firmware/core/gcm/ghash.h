/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * GHASH, the hash of GCM (SP 800-38D, 6.4), in C. It uses no tables and no branches that depend on
 * data. So its time depends only on the length, if the CPU multiplies in constant time.
 */
#ifndef CL_GHASH_H
#define CL_GHASH_H

#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

/** Number of words of an operand in Karatsuba's method: its four words, and five sums of them. */
#define CL_GHASH_OPERAND_WORDS 9u

/** State of a hash. Nothing secret is stored outside it. The caller zeroizes it afterwards. */
struct cl_ghash {
	/** As a number of 128 bits: word 0 has the block's last bytes, the last one in bits 7:0. */
	uint32_t hash[CL_BLOCK_BYTES / 4];
	/** The hash subkey, as operand of a product. */
	uint32_t subkey[CL_GHASH_OPERAND_WORDS];
	/** Space for a product. */
	uint32_t operand[CL_GHASH_OPERAND_WORDS];
	uint32_t product[8];
};

/** Begins a hash with a hash subkey. */
void cl_ghash_begin(struct cl_ghash *ghash, const uint8_t subkey[CL_BLOCK_BYTES]);

/** Hashes data, with zeros after them up to whole blocks. */
void cl_ghash_update(struct cl_ghash *ghash, const uint8_t *data, size_t len);

/** Hashes the lengths in bytes of additional data and text, and writes the hash to @p hash. */
void cl_ghash_end(struct cl_ghash *ghash, size_t aad_len, size_t len, uint8_t hash[CL_BLOCK_BYTES]);

#endif
