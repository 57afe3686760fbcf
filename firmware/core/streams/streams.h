/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * A stream is the data that a host sends in one session or, after an interruption, in several
 * sessions. Each stream reserves a range of counter blocks of one key (ranges.h). The stream's
 * window tells which records of the stream arrived (window.h). After its session, a stream stays in
 * the table of streams, so that a host can resume it. A new stream replaces an ended stream only if
 * the table has no free entry. The used part of the ended stream's range stays in the table of
 * ranges until power is switched off.
 */
#ifndef CL_STREAMS_H
#define CL_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "streams/ranges.h"
#include "streams/window.h"

/**
 * In GCM, each record reserves 2^CL_STREAM_GCM_BITS counter blocks. A record has two possible
 * nonces, and each nonce has 2^32 counter blocks.
 */
#define CL_STREAM_GCM_BITS 33

/**
 * Number of streams in the table: enough for all open sessions, and at least 8 streams that have
 * ended.
 */
#define CL_STREAMS 16u

/** Identifies a stream. */
struct cl_stream_name {
	/** Number that identifies key and mode, as in struct cl_range. */
	uint64_t key;
	struct cl_block_number first;
	/** Largest number of data bytes in a record of the stream, a multiple of 16. */
	uint32_t record_bytes;
};

struct cl_stream {
	struct cl_window window;
	/** The ticket: a secret that a host needs to resume the stream (service/identity.h). */
	uint64_t ticket;
	uint32_t record_bytes;
	/**
	 * Only for GCM: the number of records in the stream, or 0 as long as the stream's last
	 * record has not arrived.
	 */
	uint32_t end;
	/**
	 * Position of this stream in the order in which streams ended. The stream with the lowest
	 * number ended first.
	 */
	uint32_t ended;
	/** Index of its range. */
	int16_t range;
	/** True while an open session uses the stream. */
	bool open;
	bool known;
};

/** The table of streams. Zero at power-on. */
struct cl_streams {
	struct cl_ranges ranges;
	struct cl_stream stream[CL_STREAMS];
	/** Number of streams that have ended. */
	uint32_t ended;
};

/**
 * Begins a stream without a ticket, and with an empty window of @p records records.
 *
 * @param blocks number of blocks in the stream's range, at least 1
 * @retval 0 done
 * @retval -EEXIST the stream's range overlaps a used or held range of the same key
 * @retval -ENOSPC there is no room for another range
 */
int cl_streams_begin(struct cl_streams *streams, const struct cl_stream_name *name, uint64_t blocks,
		     uint32_t records, struct cl_stream **stream);

/**
 * Resumes a stream that has ended, and changes the size of its window to @p records records.
 *
 * @param blocks the stream's range is lengthened to this number of blocks, if the range is shorter
 * @retval 0 done
 * @retval -ENOENT no stream in the table has this name and ticket; its entry can have been reused
 * @retval -EEXIST an open session uses the stream, or its range would overlap another range
 */
int cl_streams_resume(struct cl_streams *streams, const struct cl_stream_name *name,
		      uint64_t ticket, uint64_t blocks, uint32_t records,
		      struct cl_stream **stream);

/**
 * Ends a stream, and removes the unused blocks from the stream's range. The unused blocks are those
 * after the blocks of the highest-numbered record that arrived. If no record arrived, removes the
 * whole range.
 *
 * @param known true if it is known which records arrived, and the window contains them. If false,
 *              the whole range counts as used, and the stream cannot be resumed
 */
void cl_streams_end(struct cl_streams *streams, struct cl_stream *stream, bool known);

#endif
