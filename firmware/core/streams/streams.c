/* SPDX-License-Identifier: BSD-2-Clause */
#include "streams/streams.h"

#include <errno.h>

#include "engine/engine.h"
#include "zeroize.h"

/**
 * Removes a stream from the table of streams. The stream's range of counter blocks stays in the
 * table of ranges.
 */
static void forget(struct cl_streams *streams, struct cl_stream *stream)
{
	cl_ranges_release(&streams->ranges, stream->range);
	cl_zeroize(stream, sizeof(*stream));
}

/**
 * Returns a free entry for a stream. If no entry is free, frees and returns the entry of the stream
 * that ended first. Returns NULL if all streams in the table are still open.
 */
static struct cl_stream *make_room(struct cl_streams *streams)
{
	struct cl_stream *oldest = NULL;

	for (size_t i = 0; i < CL_STREAMS; i++) {
		struct cl_stream *const stream = &streams->stream[i];

		if (!stream->known) {
			return stream;
		}
		if (!stream->open && (oldest == NULL || streams->ended - stream->ended >
								streams->ended - oldest->ended)) {
			oldest = stream;
		}
	}
	if (oldest != NULL) {
		forget(streams, oldest);
	}
	return oldest;
}

int cl_streams_begin(struct cl_streams *streams, const struct cl_stream_name *name, uint64_t blocks,
		     uint32_t records, struct cl_stream **stream)
{
	const int range = cl_ranges_take(&streams->ranges, name->key, name->first, blocks);

	if (range < 0) {
		return range;
	}
	*stream = make_room(streams);
	if (*stream == NULL) {
		cl_ranges_trim(&streams->ranges, range, 0);
		return -ENOSPC;
	}
	(*stream)->record_bytes = name->record_bytes;
	(*stream)->range = (int16_t)range;
	(*stream)->open = true;
	(*stream)->known = true;
	cl_window_init(&(*stream)->window, records);
	return 0;
}

/** Returns the stream that @p name identifies, or NULL if it is not in the table. */
static struct cl_stream *find(struct cl_streams *streams, const struct cl_stream_name *name)
{
	for (size_t i = 0; i < CL_STREAMS; i++) {
		struct cl_stream *const stream = &streams->stream[i];
		const struct cl_range *const range = &streams->ranges.range[stream->range];

		if (stream->known && range->key == name->key &&
		    cl_block_is(range->first, name->first) &&
		    stream->record_bytes == name->record_bytes) {
			return stream;
		}
	}
	return NULL;
}

int cl_streams_resume(struct cl_streams *streams, const struct cl_stream_name *name,
		      uint64_t ticket, uint64_t blocks, uint32_t records, struct cl_stream **stream)
{
	struct cl_stream *const found = find(streams, name);

	if (found == NULL || found->ticket != ticket) {
		return -ENOENT;
	}
	if (found->open || cl_ranges_extend(&streams->ranges, found->range, blocks) != 0) {
		return -EEXIST;
	}
	if (found->window.records != records) {
		cl_window_resize(&found->window, records);
	}
	found->open = true;
	*stream = found;
	return 0;
}

void cl_streams_end(struct cl_streams *streams, struct cl_stream *stream, bool known)
{
	const uint64_t end = cl_window_end(&stream->window);
	const uint64_t key = streams->ranges.range[stream->range].key;
	const uint64_t used = (key & CL_RANGE_GCM) != 0
				      ? end << CL_STREAM_GCM_BITS
				      : end * (stream->record_bytes / CL_BLOCK_BYTES);

	if (!known) {
		forget(streams, stream);
		return;
	}
	cl_ranges_trim(&streams->ranges, stream->range, used);
	if (used == 0) {
		cl_zeroize(stream, sizeof(*stream));
		return;
	}
	stream->open = false;
	stream->ended = ++streams->ended;
}
