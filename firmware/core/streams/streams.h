/**
 * @file
 * Streams: each holds a range of counter blocks under a key, and the window of its records. A
 * stream outlives its session, so that it can be resumed, until others need the room; what was used
 * of its range is remembered for ever (ranges.h).
 */
#ifndef CL_STREAMS_H
#define CL_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "streams/ranges.h"
#include "streams/window.h"

/** Streams that are known: as many as can be open at once, and at least 8 that have ended. */
#define CL_STREAMS 16u

/** What tells one stream from another. */
struct cl_stream_name {
	/** Stands for the key, as in struct cl_range. */
	uint64_t key;
	struct cl_block_number first;
	/** Bytes of its records, a multiple of 16. */
	uint32_t record_bytes;
};

struct cl_stream {
	struct cl_window window;
	/** Resumes it. */
	uint64_t ticket;
	uint32_t record_bytes;
	/** Place in the order in which streams ended. */
	uint32_t ended;
	/** Index of its range. */
	int16_t range;
	/** A session has it. */
	bool open;
	bool known;
};

/** Zero at power-on. */
struct cl_streams {
	struct cl_ranges ranges;
	struct cl_stream stream[CL_STREAMS];
	/** Streams that have ended. */
	uint32_t ended;
};

/**
 * Begins a stream, with an empty window of @p records and no ticket yet.
 *
 * @param blocks of its range, at least 1
 * @retval 0 done
 * @retval -EEXIST its range overlaps one that was used or is held under the same key
 * @retval -ENOSPC no more ranges can be remembered
 */
int cl_streams_begin(struct cl_streams *streams, const struct cl_stream_name *name, uint64_t blocks,
		     uint32_t records, struct cl_stream **stream);

/**
 * Begins a stream again that has ended; its window becomes one of @p records.
 *
 * @param blocks of its range from now on, unless more were used
 * @retval 0 done
 * @retval -ENOENT there is none of this name and ticket, or it is no longer known
 * @retval -EEXIST a session has it, or its range would overlap another
 */
int cl_streams_resume(struct cl_streams *streams, const struct cl_stream_name *name,
		      uint64_t ticket, uint64_t blocks, uint32_t records,
		      struct cl_stream **stream);

/**
 * Ends a stream: its range shrinks to the records that came, and is free if none did.
 *
 * @param known its window tells what came; if not, the whole range counts as used and the stream
 *              cannot be resumed
 */
void cl_streams_end(struct cl_streams *streams, struct cl_stream *stream, bool known);

#endif
