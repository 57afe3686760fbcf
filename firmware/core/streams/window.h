/**
 * @file
 * Window of records: which records of a stream came, and a sum of each, so that a counter block
 * serves one record only. The same record is answered again, other data are refused.
 *
 * Of the W records from `first` on it is known whether they came. Record n is refused unless
 * first <= n < first + 2W; when one with n >= first + W is accepted, `first` becomes n - W + 1.
 */
#ifndef CL_WINDOW_H
#define CL_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/** Most records of a window, and those of a window that firmware keeps. */
#define CL_WINDOW_MAX     64u
#define CL_WINDOW_RECORDS 32u

struct cl_window {
	/** Lowest record that is still answered. */
	uint64_t first;
	/** Bit n % records: record n, of the `records` from `first` on, came. The others are 0. */
	uint64_t seen;
	/** At n % records: the sum of its data, where it came. */
	uint64_t sum[CL_WINDOW_MAX];
	/** W: a power of 2, at most CL_WINDOW_MAX. */
	uint32_t records;
};

enum cl_window_verdict {
	/** Did not come before. */
	CL_WINDOW_NEW,
	/** Came before, with the same data. */
	CL_WINDOW_AGAIN,
	/** Came before, with other data. */
	CL_WINDOW_OTHER,
	/** Lies behind the window or too far beyond it. */
	CL_WINDOW_OUTSIDE,
};

/** Makes an empty window at the start of a stream. */
void cl_window_init(struct cl_window *window, uint32_t records);

/**
 * Sum of a record's data, which stops accidents, not attackers: over its little-endian words w, the
 * last padded with zeros, a = a + w and b = b + a modulo 2^32, from a = @p len and b = 0.
 *
 * @param data fastest where it is 4-byte aligned
 * @return b << 32 | a
 */
uint64_t cl_window_sum(const uint8_t *data, size_t len);

/**
 * The same from sums over the whole words of @p data that begin with a = 0, as a MAC's hardware has
 * them: it does not know the length before the end.
 */
uint64_t cl_window_sum_from(uint32_t a, uint32_t b, const uint8_t *data, size_t len);

/** What is to become of record number @p record with this sum; changes nothing. */
enum cl_window_verdict cl_window_judge(const struct cl_window *window, uint64_t record,
				       uint64_t sum);

/** Remembers a record that was judged CL_WINDOW_NEW. */
void cl_window_accept(struct cl_window *window, uint64_t record, uint64_t sum);

/** Number of the highest record that came, plus 1; 0 if none did. */
uint64_t cl_window_end(const struct cl_window *window);

/** Makes it a window of @p records, of which a smaller one forgets the lowest. */
void cl_window_resize(struct cl_window *window, uint32_t records);

#endif
