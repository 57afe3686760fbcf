/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The table of counter block ranges. For each key, the table lists the counter blocks that were
 * used or that a stream reserves. Used ranges stay in the table. When the table is full, no new
 * range is accepted.
 *
 * A range is a sequence of consecutive counter blocks, modulo 2^128, under one key. No two ranges
 * of a key overlap. A stream holds its range as long as it can still use the range. Afterwards, the
 * range is merged with adjacent ranges of the same key.
 *
 * A range is used in CTR or in GCM. GCM under a key also uses counter block 0, which gives the hash
 * subkey. So under one key, no range in CTR contains block 0 while there is a range in GCM.
 */
#ifndef CL_RANGES_H
#define CL_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Number of ranges that the table can hold; each takes 33 bytes of memory. */
#define CL_RANGES 128u

/** The bit of cl_range.key that gives the mode of the range: 1 for GCM, 0 for CTR. */
#define CL_RANGE_GCM UINT64_C(1)

/** A counter block as a number of 128 bits. */
struct cl_block_number {
	uint64_t high;
	uint64_t low;
};

struct cl_range {
	/** Key and mode: the bit CL_RANGE_GCM is set in GCM; all other bits identify the key. */
	uint64_t key;
	struct cl_block_number first;
	/** Number of blocks; 0 if the entry is free. */
	uint64_t blocks;
};

/** The table of ranges. Zero at power-on. */
struct cl_ranges {
	struct cl_range range[CL_RANGES];
	/** True while a stream holds the range. */
	bool held[CL_RANGES];
};

/**
 * Adds a range, and marks it as held (in use by a stream).
 *
 * @param blocks at least 1
 * @return index of the range
 * @retval -EEXIST the range overlaps a range of the same key in the table, in either mode
 * @retval -ENOSPC the table is full
 */
int cl_ranges_take(struct cl_ranges *ranges, uint64_t key, struct cl_block_number first,
		   uint64_t blocks);

static inline bool cl_block_is(struct cl_block_number a, struct cl_block_number b)
{
	return a.high == b.high && a.low == b.low;
}

/**
 * Lengthens a held range to @p blocks blocks, if it is shorter.
 *
 * @retval 0 done
 * @retval -EEXIST the longer range would overlap another range of the same key
 */
int cl_ranges_extend(struct cl_ranges *ranges, int index, uint64_t blocks);

/**
 * Shortens a held range to @p blocks blocks, if it is longer. If @p blocks is 0, removes the range.
 */
void cl_ranges_trim(struct cl_ranges *ranges, int index, uint64_t blocks);

/**
 * Marks a range as no longer held by a stream. The blocks of the range stay in the table, but the
 * range can be merged with an adjacent range. So the caller must not use @p index any more.
 */
void cl_ranges_release(struct cl_ranges *ranges, int index);

/** Returns the number of free entries, that is, how many ranges can still be added. */
uint32_t cl_ranges_free(const struct cl_ranges *ranges);

#endif
