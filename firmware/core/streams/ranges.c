/* SPDX-License-Identifier: BSD-2-Clause */
#include "streams/ranges.h"

#include <errno.h>

static struct cl_block_number add(struct cl_block_number number, uint64_t blocks)
{
	const uint64_t low = number.low + blocks;

	return (struct cl_block_number){.high = number.high + (low < blocks), .low = low};
}

/**
 * Returns true if counter block @p number is inside the range that begins at @p first and has
 * @p blocks blocks, modulo 2^128.
 */
static bool is_among(struct cl_block_number number, struct cl_block_number first, uint64_t blocks)
{
	const uint64_t low = number.low - first.low;
	const uint64_t high = number.high - first.high - (number.low < first.low);

	return high == 0 && low < blocks;
}

/**
 * Returns true if a range of @p blocks blocks that begins at @p first conflicts with a range of the
 * same key in the table. Ignores the table's range at @p index. Two ranges conflict if they
 * overlap. A range for CTR that contains block 0 also conflicts with every range for GCM, because
 * GCM encrypts block 0 itself.
 */
static bool overlaps(const struct cl_ranges *ranges, uint64_t key, struct cl_block_number first,
		     uint64_t blocks, int index)
{
	static const struct cl_block_number zero;

	for (int i = 0; i < (int)CL_RANGES; i++) {
		const struct cl_range *const other = &ranges->range[i];
		const uint64_t mode = other->key ^ key;

		if (i == index || other->blocks == 0 || mode > CL_RANGE_GCM) {
			continue;
		}
		/* Two ranges overlap if and only if one of them begins inside the other. */
		if (is_among(other->first, first, blocks) ||
		    is_among(first, other->first, other->blocks)) {
			return true;
		}
		if (mode != 0) {
			const bool ctr = (key & CL_RANGE_GCM) == 0;

			if (ctr ? is_among(zero, first, blocks)
				: is_among(zero, other->first, other->blocks)) {
				return true;
			}
		}
	}
	return false;
}

int cl_ranges_take(struct cl_ranges *ranges, uint64_t key, struct cl_block_number first,
		   uint64_t blocks)
{
	if (overlaps(ranges, key, first, blocks, -1)) {
		return -EEXIST;
	}
	for (int i = 0; i < (int)CL_RANGES; i++) {
		if (ranges->range[i].blocks == 0) {
			ranges->range[i] = (struct cl_range){key, first, blocks};
			ranges->held[i] = true;
			return i;
		}
	}
	return -ENOSPC;
}

int cl_ranges_extend(struct cl_ranges *ranges, int index, uint64_t blocks)
{
	struct cl_range *const range = &ranges->range[index];

	if (blocks <= range->blocks) {
		return 0;
	}
	if (overlaps(ranges, range->key, range->first, blocks, index)) {
		return -EEXIST;
	}
	range->blocks = blocks;
	return 0;
}

static void forget(struct cl_ranges *ranges, int index)
{
	ranges->range[index] = (struct cl_range){0};
	ranges->held[index] = false;
}

void cl_ranges_trim(struct cl_ranges *ranges, int index, uint64_t blocks)
{
	if (blocks == 0) {
		forget(ranges, index);
	} else if (blocks < ranges->range[index].blocks) {
		ranges->range[index].blocks = blocks;
	}
}

/**
 * Appends the range at index @p next to the range at index @p index. The range at @p next must
 * begin directly after the other range, and have the same key and mode. No stream is allowed to
 * hold the range at @p next. If a condition is not met, returns false and changes nothing.
 */
static bool append(struct cl_ranges *ranges, int index, int next)
{
	struct cl_range *const range = &ranges->range[index];
	const struct cl_range *const other = &ranges->range[next];

	if (ranges->held[next] || other->blocks == 0 || other->key != range->key ||
	    !cl_block_is(add(range->first, range->blocks), other->first) ||
	    range->blocks + other->blocks < other->blocks) {
		return false;
	}
	range->blocks += other->blocks;
	return true;
}

void cl_ranges_release(struct cl_ranges *ranges, int index)
{
	ranges->held[index] = false;
	for (int i = 0; i < (int)CL_RANGES; i++) {
		if (i == index) {
			continue;
		}
		if (append(ranges, index, i)) {
			forget(ranges, i);
		} else if (!ranges->held[i] && ranges->range[i].blocks != 0 &&
			   append(ranges, i, index)) {
			forget(ranges, index);
			index = i;
		}
	}
}

uint32_t cl_ranges_free(const struct cl_ranges *ranges)
{
	uint32_t count = 0;

	for (size_t i = 0; i < CL_RANGES; i++) {
		count += ranges->range[i].blocks == 0;
	}
	return count;
}
