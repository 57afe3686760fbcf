/**
 * @file
 * Window of records: remembers which records of a stream came, and a sum of each, so that a counter
 * block serves only one record. A repeated record is answered again; other data for it are refused.
 *
 * The window covers the W records that begin at `first`. Record n is refused unless first <= n <
 * first + 2W. When a record with n >= first + W is accepted, `first` becomes n - W + 1.
 */
#ifndef CL_WINDOW_H
#define CL_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/** The largest size of a window, and the size of the firmware's windows, in records. */
#define CL_WINDOW_MAX     64u
#define CL_WINDOW_RECORDS 32u

struct cl_window {
	/** Lowest record that is still accepted. */
	uint64_t first;
	/**
	 * Bit n % records: record n, one of the `records` records that begin at `first`, came.
	 * Other bits are 0.
	 */
	uint64_t seen;
	/** Index n % records: the sum of the data of record n, if it came. */
	uint64_t sum[CL_WINDOW_MAX];
	/** W, the size of the window: a power of 2, at most CL_WINDOW_MAX. */
	uint32_t records;
};

enum cl_window_verdict {
	/** The record did not come before. */
	CL_WINDOW_NEW,
	/** The record came before, with the same data. */
	CL_WINDOW_AGAIN,
	/** The record came before, with other data. */
	CL_WINDOW_OTHER,
	/** The record is before the window or too far after it. */
	CL_WINDOW_OUTSIDE,
};

/** Makes an empty window at the start of a stream. */
void cl_window_init(struct cl_window *window, uint32_t records);

/**
 * Computes the sum of a record's data. It detects accidents, not attacks. For each little-endian
 * word w, the last padded with zeros: a = a + w and b = b + a modulo 2^32, starting from a = @p len
 * and b = 0.
 *
 * @param data fastest if it is 4-byte aligned
 * @return b << 32 | a
 */
uint64_t cl_window_sum(const uint8_t *data, size_t len);

/**
 * Computes cl_window_sum from @p a and @p b over the whole words of @p data, started from a = 0. A
 * MAC's hardware starts so because it does not know the length before the end.
 */
uint64_t cl_window_sum_from(uint32_t a, uint32_t b, const uint8_t *data, size_t len);

/** Decides about record number @p record with this sum. Changes nothing. */
enum cl_window_verdict cl_window_judge(const struct cl_window *window, uint64_t record,
				       uint64_t sum);

/** Marks a record that was judged CL_WINDOW_NEW as received. */
void cl_window_accept(struct cl_window *window, uint64_t record, uint64_t sum);

/** Returns the number of the highest record that came, plus 1; 0 if none came. */
uint64_t cl_window_end(const struct cl_window *window);

/** Changes the size of the window to @p records. A smaller window drops the lowest records. */
void cl_window_resize(struct cl_window *window, uint32_t records);

#endif
