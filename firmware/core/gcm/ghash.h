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

/**
 * State of a hash. Nothing secret is stored outside it. The caller zeroizes it afterwards.
 *
 * Blocks are numbers of 128 bits, whose first byte is the most significant one. They are stored
 * from the least significant word on.
 */
struct cl_ghash {
	/** The hash subkey; then the sums of its words 0 and 2, and of its words 1 and 3. */
	uint32_t subkey[6];
	/** Space for a product. Before and after, words 4 to 7 are the hash. */
	uint32_t product[12];
};

/** Begins a hash with a hash subkey. */
void cl_ghash_begin(struct cl_ghash *ghash, const uint8_t subkey[CL_BLOCK_BYTES]);

/** Hashes data, with zeros after them up to whole blocks. */
void cl_ghash_update(struct cl_ghash *ghash, const uint8_t *data, size_t len);

/** Hashes the lengths in bytes of additional data and text, and writes the hash to @p hash. */
void cl_ghash_end(struct cl_ghash *ghash, size_t aad_len, size_t len, uint8_t hash[CL_BLOCK_BYTES]);

#endif
