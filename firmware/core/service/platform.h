/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Description of the board. The platform's main program (in firmware/baremetal or firmware/zephyr)
 * passes the description to the core. The core keeps a pointer to the description, and never
 * changes its contents.
 */
#ifndef CL_PLATFORM_H
#define CL_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#include "cl_wire.h"
#include "engine/engine.h"
#include "engine/server.h"
#include "streams/streams.h"

struct cl_exchange;

/**
 * Handlers of the record types `macsec`, `protect` and `agree`. Each is a cl_handler
 * (service/exchange.h).
 */
struct cl_macsec_handlers {
	uint16_t (*handle[CL_WIRE_TYPE_AGREE - CL_WIRE_TYPE_MACSEC + 1])(
		struct cl_exchange *exchange);
};

struct cl_platform {
	/**
	 * Names of the board and of the firmware; only the first 16 bytes of each name are sent to
	 * the host.
	 */
	const char *board;
	const char *firmware;
	/** Kind of board: CL_WIRE_KIND_*. */
	uint8_t kind;
	/** Largest number of data bytes in a record, a multiple of 16. */
	uint16_t max_data;
	/** Frequency of the clock that `cycles` counts, in Hz. */
	uint32_t clock_hz;
	/** Number of bytes that the board can buffer while it receives, including framing. */
	uint32_t rx_window;
	/**
	 * A session that was not used for this many cycles is closed, because its host has probably
	 * stopped. If the value is 0, no session is closed for this reason.
	 */
	uint64_t session_idle_cycles;
	/** Memory for the table of streams and used counter blocks; cl_service_init clears it. */
	struct cl_streams *streams;
	/**
	 * Engine for the CBC-MACs from which the board derives the numbers that identify keys
	 * (service/identity.h). The engine's run time must not depend on the key.
	 */
	const struct cl_engine *identity;
	/** Buffer for the benchmark, 16-byte aligned. */
	uint8_t *bench_buffer;
	uint32_t bench_bytes;
	/**
	 * The engines of the board. Each engine has a different `code`, the number by which
	 * requests choose the engine.
	 */
	const struct cl_engine *const *engines;
	size_t engine_count;
	/**
	 * Hardware that receives and answers records from the network without firmware
	 * (engine/server.h); its `code` differs from those of all engines. NULL if the board has no
	 * such hardware.
	 */
	const struct cl_server *server;
	/** The board's SecY (protection/protection.h); NULL if there is none. */
	const struct cl_macsec_handlers *macsec;
	/**
	 * Returns the value of a free-running counter of clock cycles, modulo 2^32. The main
	 * program must call cl_service_poll at least once in 2^31 cycles.
	 */
	uint32_t (*cycles)(void *context);
	/**
	 * Reads words from a random source that has passed its health test; each word has at least
	 * 8 bits of min-entropy. Returns 0 or -errno. NULL if the board has no random source. Not
	 * called on a board of kind CL_WIRE_KIND_SIM.
	 */
	int (*random)(void *context, uint32_t *words, size_t count);
	/**
	 * Function that asks the main program to zeroize data. The core calls this function after
	 * it has closed a session with a key, or refused a key. Before the next record, the main
	 * program must zeroize its record buffers, and old data on the stack and in the caches.
	 * NULL if the main program zeroizes these data without this call.
	 */
	void (*forget)(void *context);
	/** First argument of the functions `cycles`, `random` and `forget`. */
	void *context;
};

/** Returns the engine with code @p code, or NULL if the board has none. */
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
