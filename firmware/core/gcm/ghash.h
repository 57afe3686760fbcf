/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * GHASH, the hash of GCM (SP 800-38D, 6.4), in C. It uses no tables, and no branches that depend on
 * data. So its run time depends only on the length of the data, provided that the CPU multiplies in
 * constant time.
 */
#ifndef CL_GHASH_H
#define CL_GHASH_H

#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

/**
 * State of a hash. It contains all secret data of the hash; the caller zeroizes it afterwards.
 *
 * A block is a number of 128 bits: its first byte is the most significant one. It is stored as four
 * words, least significant word first.
 */
struct cl_ghash {
	/**
	 * The four words of the hash subkey, then the XOR of words 0 and 2, and the XOR of words 1
	 * and 3.
	 */
	uint32_t subkey[6];
	/**
	 * Space for a product of two blocks. Between multiplications, words 4 to 7 contain the
	 * hash.
	 */
	uint32_t product[12];
};

/** Begins a hash with a hash subkey. */
void cl_ghash_begin(struct cl_ghash *ghash, const uint8_t subkey[CL_BLOCK_BYTES]);

/** Hashes data. If the last block is partial, it is padded with zeros. */
void cl_ghash_update(struct cl_ghash *ghash, const uint8_t *data, size_t len);

/** Writes the hash of the data so far to @p hash. */
void cl_ghash_read(const struct cl_ghash *ghash, uint8_t hash[CL_BLOCK_BYTES]);

/**
 * Ends a hash: hashes the lengths of the additional data and of the text. @p aad_len and @p len are
 * these lengths in bytes. Writes the result to @p hash.
 */
void cl_ghash_end(struct cl_ghash *ghash, size_t aad_len, size_t len, uint8_t hash[CL_BLOCK_BYTES]);

#endif
