/**
 * @file
 * Streams: each holds a range of counter blocks under a key, and the window of its records. A
 * stream remains after its session ends, so that it can be resumed, until another stream needs its
 * entry. The used part of its range stays in the table until power is cycled (ranges.h).
 */
#ifndef CL_STREAMS_H
#define CL_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "streams/ranges.h"
#include "streams/window.h"

/**
 * Number of streams in the table: enough for all open sessions, and at least 8 streams that have
 * ended.
 */
#define CL_STREAMS 16u

/** Identifies a stream. */
struct cl_stream_name {
	/** Number that identifies the key, as in struct cl_range. */
	uint64_t key;
	struct cl_block_number first;
	/** Data bytes of each of its records, a multiple of 16. */
	uint32_t record_bytes;
};

struct cl_stream {
	struct cl_window window;
	/** Needed to resume the stream. */
	uint64_t ticket;
	uint32_t record_bytes;
	/** Position in the order in which streams ended. */
	uint32_t ended;
	/** Index of its range. */
	int16_t range;
	/** A session holds the stream. */
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
 * Begins a stream, with an empty window of @p records records and no ticket yet.
 *
 * @param blocks of its range, at least 1
 * @retval 0 done
 * @retval -EEXIST its range overlaps a used or held range of the same key
 * @retval -ENOSPC there is no room for another range
 */
int cl_streams_begin(struct cl_streams *streams, const struct cl_stream_name *name, uint64_t blocks,
		     uint32_t records, struct cl_stream **stream);

/**
 * Resumes a stream that has ended; its window is changed to @p records records.
 *
 * @param blocks of its range from now on, unless more were used
 * @retval 0 done
 * @retval -ENOENT there is no stream of this name and ticket, or it is no longer known
 * @retval -EEXIST a session has it, or its range would overlap another
 */
int cl_streams_resume(struct cl_streams *streams, const struct cl_stream_name *name,
		      uint64_t ticket, uint64_t blocks, uint32_t records,
		      struct cl_stream **stream);

/**
 * Ends a stream. Its range is shortened to the records that came, and freed if none came.
 *
 * @param known true if the window tells which records came; otherwise the whole range counts as
 *              used and the stream cannot be resumed
 */
void cl_streams_end(struct cl_streams *streams, struct cl_stream *stream, bool known);

#endif
