/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The window of a stream stores which records arrived, and a checksum of each record's data. It
 * prevents that a counter block is used for two different records. A record that is repeated with
 * the same data is answered again; with other data, it is refused.
 *
 * The window covers W records; `first` is the number of the first one. Record n is refused unless
 * first <= n < first + 2W. When a record with n >= first + W is accepted, `first` becomes n - W +
 * 1.
 */
#ifndef CL_WINDOW_H
#define CL_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/**
 * Sizes of a window in records: CL_WINDOW_MAX is the largest, CL_WINDOW_RECORDS that of windows in
 * firmware.
 */
#define CL_WINDOW_MAX     64u
#define CL_WINDOW_RECORDS 32u

struct cl_window {
	/** Number of the lowest record that is still accepted. */
	uint64_t first;
	/**
	 * Bit n % records is set if record n arrived, for each record n in the window. All other
	 * bits are 0.
	 */
	uint64_t seen;
	/**
	 * Checksums of the data (cl_window_sum). Entry n % records belongs to record n, if that
	 * record arrived.
	 */
	uint64_t sum[CL_WINDOW_MAX];
	/** W, the size of the window: a power of 2, at most CL_WINDOW_MAX. */
	uint32_t records;
};

enum cl_window_verdict {
	/** The record has not arrived before. */
	CL_WINDOW_NEW,
	/** The record arrived before, with the same data. */
	CL_WINDOW_AGAIN,
	/** The record arrived before, with other data. */
	CL_WINDOW_OTHER,
	/** The record is before the window, or too far after it. */
	CL_WINDOW_OUTSIDE,
};

/** Makes an empty window at the start of a stream. */
void cl_window_init(struct cl_window *window, uint32_t records);

/**
 * Computes the sum of a record's data. The sum detects accidental changes but not deliberate ones.
 * It starts with a = @p len and b = 0. For each little-endian word w, it computes a = a + w, then b
 * = b + a, modulo 2^32. The last word is padded with zeros.
 *
 * @param data fastest if it is 4-byte aligned
 * @return b << 32 | a
 */
uint64_t cl_window_sum(const uint8_t *data, size_t len);

/**
 * Computes cl_window_sum from the sums @p a and @p b that an Ethernet MAC computed over the whole
 * words of @p data. The Ethernet MAC starts with a = 0 instead of a = @p len, because it does not
 * know the length yet.
 */
uint64_t cl_window_sum_from(uint32_t a, uint32_t b, const uint8_t *data, size_t len);

/**
 * Returns whether record number @p record is new, repeated or outside the window. @p sum is the
 * cl_window_sum of its data. Does not change the window.
 */
enum cl_window_verdict cl_window_judge(const struct cl_window *window, uint64_t record,
				       uint64_t sum);

/** Marks a record as received, after cl_window_judge returned CL_WINDOW_NEW for it. */
void cl_window_accept(struct cl_window *window, uint64_t record, uint64_t sum);

/** Returns the number of the highest record that arrived, plus 1; 0 if none arrived. */
uint64_t cl_window_end(const struct cl_window *window);

/**
 * Changes the size of the window to @p records. A smaller window no longer accepts the lowest
 * records.
 */
void cl_window_resize(struct cl_window *window, uint32_t records);

#endif
