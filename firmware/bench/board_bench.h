/**
 * @file
 * The list of variants that a benchmark program can measure, and the loop that serves the host's
 * requests.
 *
 * The program (board_bench.c) is the complete firmware of a board. One program is built for each
 * family of variants. Requests and replies are little-endian words over the UART: see
 * board_bench.c.
 */
#ifndef BOARD_BENCH_H
#define BOARD_BENCH_H

#include <stdint.h>

#include "engine/engine.h"
#include "engine/modes.h"

/** One implementation of AES. */
struct bench_variant {
	/**
	 * ECB and CBC. CTR uses these functions too if `ctr` below is not NULL. There is one
	 * function for each key length.
	 */
	const struct cl_modes *modes;
	/** cl_modes.set_key for CTR. NULL: CTR uses the set_key of `modes`, for encryption. */
	int (*set_ctr_key)(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
			   unsigned int key_bits, bool decrypt);
	/**
	 * CTR as functions of type cl_modes_run, indexed by CL_MODES_KEY(key_bits). NULL: `engine`
	 * does CTR.
	 */
	cl_modes_run *const *ctr;
	/** Creates an engine that does CTR. NULL: `ctr` does CTR. */
	struct cl_engine (*engine)(void *hw);
};

extern const struct bench_variant bench_variants[];
extern const uint32_t bench_variant_count;

#endif
