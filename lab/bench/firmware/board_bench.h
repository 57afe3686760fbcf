/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The list of variants that a benchmark program can measure. A variant is an implementation of AES
 * or of another algorithm.
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
	 * Functions that process ECB and CBC, one for each direction and key length, and a function
	 * that sets a key.
	 */
	const struct cl_modes *modes;
	/**
	 * Sets a key for CTR; the arguments are as in cl_modes.set_key. If this pointer is NULL,
	 * the program calls modes->set_key for CTR and passes false for @p decrypt.
	 */
	int (*set_ctr_key)(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
			   unsigned int key_bits, bool decrypt);
	/**
	 * Functions of type cl_modes_run that run CTR, indexed by CL_MODES_KEY(key_bits). If this
	 * pointer is NULL, the engine that `engine` creates runs CTR.
	 */
	cl_modes_run *const *ctr;
	/**
	 * Creates an engine that runs CTR. If this pointer is NULL, the functions in `ctr` run CTR.
	 */
	struct cl_engine (*engine)(void *hw);
};

extern const struct bench_variant bench_variants[];
extern const uint32_t bench_variant_count;

#endif
