/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The window of a stream stores which records arrived, and a checksum of each record's data. With
 * the window, the board never uses a counter block for two different records: it answers a repeated
 * record again if the data are the same, and refuses it if the data differ.
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
 * Sizes of windows in records: CL_WINDOW_MAX is the largest size, CL_WINDOW_RECORDS is the size of
 * the windows that firmware uses.
 */
#define CL_WINDOW_MAX     64u
#define CL_WINDOW_RECORDS 32u

struct cl_window {
	/** Lowest record number that is still accepted. */
	uint64_t first;
	/**
	 * Tells which records of the window have arrived: bit n % `records` is 1 if record n has
	 * arrived, otherwise 0. The bits from number `records` on are always 0.
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
	/** The record arrived before, with different data. */
	CL_WINDOW_OTHER,
	/**
	 * The record's number is lower than `first`, or is `first` + 2W or higher. W is the size
	 * of the window.
	 */
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
 * Computes cl_window_sum of @p data from two sums that an Ethernet MAC has computed. @p a and @p b
 * are sums over the whole words, with the initial value a = 0 instead of a = @p len. The function
 * corrects this difference, and adds the last one to three bytes.
 */
uint64_t cl_window_sum_from(uint32_t a, uint32_t b, const uint8_t *data, size_t len);

/**
 * Tells whether record number @p record is new, is repeated with the same or with different data,
 * or is outside the window. @p sum is the cl_window_sum of the record's data. Does not change the
 * window.
 */
enum cl_window_verdict cl_window_judge(const struct cl_window *window, uint64_t record,
				       uint64_t sum);

/** Marks a record as received, after cl_window_judge returned CL_WINDOW_NEW for it. */
void cl_window_accept(struct cl_window *window, uint64_t record, uint64_t sum);

/** Returns the highest number of a record that has arrived, plus 1; 0 if no record has arrived. */
uint64_t cl_window_end(const struct cl_window *window);

/**
 * Changes the size of the window to @p records records. If the arrived records do not fit in the
 * new size, the window no longer accepts the records with the lowest numbers.
 */
void cl_window_resize(struct cl_window *window, uint32_t records);

#endif
