/**
 * @file
 * Ranges of counter blocks that were used, or are held by a stream, under each key. Nothing is ever
 * forgotten: the table is full, or knows all.
 *
 * A range is a number of consecutive counter blocks modulo 2^128 under one key. No two ranges of a
 * key overlap. Ranges that no stream holds any longer merge with those that they adjoin.
 */
#ifndef CL_RANGES_H
#define CL_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Ranges that can be remembered: 33 bytes each. */
#define CL_RANGES 128u

/** A counter block as a number of 128 bits. */
struct cl_block_number {
	uint64_t high;
	uint64_t low;
};

struct cl_range {
	/** Stands for the key. */
	uint64_t key;
	struct cl_block_number first;
	/** How many; 0 in an entry that is free. */
	uint64_t blocks;
};

/** Zero at power-on. */
struct cl_ranges {
	struct cl_range range[CL_RANGES];
	/** Whether a stream holds the range. */
	bool held[CL_RANGES];
};

/**
 * Takes a range, which is then held.
 *
 * @param blocks at least 1
 * @return index of the range
 * @retval -EEXIST it overlaps one of the same key
 * @retval -ENOSPC the table is full
 */
int cl_ranges_take(struct cl_ranges *ranges, uint64_t key, struct cl_block_number first,
		   uint64_t blocks);

static inline bool cl_block_is(struct cl_block_number a, struct cl_block_number b)
{
	return a.high == b.high && a.low == b.low;
}

/**
 * Lengthens a held range to @p blocks, where that is more than it has.
 *
 * @retval 0 done
 * @retval -EEXIST it would overlap another of the same key
 */
int cl_ranges_extend(struct cl_ranges *ranges, int index, uint64_t blocks);

/** Shortens a held range to @p blocks, where that is less than it has; 0 frees it. */
void cl_ranges_trim(struct cl_ranges *ranges, int index, uint64_t blocks);

/** Nothing holds the range any longer; @p index means nothing from here on. */
void cl_ranges_release(struct cl_ranges *ranges, int index);

/** How many more ranges can be taken. */
uint32_t cl_ranges_free(const struct cl_ranges *ranges);

#endif
