/**
 * @file
 * What a port tells the core about the board. The core keeps a pointer to it and writes nothing.
 */
#ifndef CL_PLATFORM_H
#define CL_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "engine/server.h"
#include "streams/streams.h"

struct cl_platform {
	/** Name of the board and of the port; what exceeds 16 bytes is not sent. */
	const char *board;
	const char *firmware;
	/** CL_WIRE_KIND_*. */
	uint8_t kind;
	/** Most data bytes of a record, a multiple of 16. */
	uint16_t max_data;
	/** Frequency of the clock that `cycles` counts, in Hz. */
	uint32_t clock_hz;
	/** Bytes that the board can hold on receive, framing included. */
	uint32_t rx_window;
	/** A session that was not used for so many cycles is closed: that host is gone. 0: never.
	 */
	uint64_t session_idle_cycles;
	/** Room for what is remembered of counter blocks; cl_service_init clears it. */
	struct cl_streams *streams;
	/** Engine that keys are recognised by: its time does not depend on the key. */
	const struct cl_engine *identity;
	/** Buffer that the benchmark works in, 16-byte aligned. */
	uint8_t *bench_buffer;
	uint32_t bench_bytes;
	/** The engines present, each code once. */
	const struct cl_engine *const *engines;
	size_t engine_count;
	/** What takes records from the network by itself, of another code; NULL where there is
	 * none.
	 */
	const struct cl_server *server;
	/** Free-running cycle counter; it may wrap, but not between two calls of cl_service_poll.
	 */
	uint32_t (*cycles)(void *context);
	/**
	 * Fills words from a random source that passed its health test, at least 8 bits of
	 * min-entropy a word, or returns -errno. NULL where there is none. A board of kind
	 * CL_WIRE_KIND_SIM has none: of it nothing is asked.
	 */
	int (*random)(void *context, uint32_t *words, size_t count);
	/**
	 * Called when a key was closed or refused: before it takes the next record, the port erases
	 * what calls have left on its stack and in its caches, and records in its buffers. NULL:
	 * they are erased otherwise.
	 */
	void (*forget)(void *context);
	/** Passed to `cycles`, `random` and `forget`. */
	void *context;
};

/** The engine of code @p code, or NULL if the board has none. */
static inline const struct cl_engine *cl_platform_engine(const struct cl_platform *platform,
							 uint32_t code)
{
	for (size_t i = 0; i < platform->engine_count; i++) {
		if (platform->engines[i]->code == code) {
			return platform->engines[i];
		}
	}
	return NULL;
}

static inline void cl_platform_forget(const struct cl_platform *platform)
{
	if (platform->forget != NULL) {
		platform->forget(platform->context);
	}
}

static inline uint32_t cl_platform_cycles(const struct cl_platform *platform)
{
	return platform->cycles(platform->context);
}

#endif
