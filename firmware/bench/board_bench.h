/**
 * @file
 * What a benchmark program measures: a list of variants, and what the host asks for.
 *
 * The program (board_bench.c) is the whole firmware of a board; one is built for each family of
 * variants. Requests and replies are little-endian words over the UART: see board_bench.c.
 */
#ifndef BOARD_BENCH_H
#define BOARD_BENCH_H

#include <stdint.h>

#include "engine/engine.h"
#include "engine/modes.h"

/** One implementation of AES. */
struct bench_variant {
	/** ECB and CBC, and with `ctr` below also CTR, one function for each key length. */
	const struct cl_modes *modes;
	/** cl_modes.set_key for `ctr`; NULL where that of `modes` for encryption serves. */
	int (*set_ctr_key)(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
			   unsigned int key_bits, bool decrypt);
	/** CTR by [CL_MODES_KEY(key_bits)] in the form of a mode; NULL where `engine` does it. */
	cl_modes_run *const *ctr;
	/** CTR as an engine; NULL where `ctr` does it. */
	struct cl_engine (*engine)(void *hw);
};

extern const struct bench_variant bench_variants[];
extern const uint32_t bench_variant_count;

#endif
