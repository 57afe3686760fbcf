/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES in plain C, or in C with the scalar AES instructions. The build selects the variant with
 * macros:
 *
 * BENCH_BY selects how a round is computed: CL_C_BYTES, CL_C_TABLES or CL_C_INSTRUCTIONS.
 * BENCH_STYLE is CL_C_LOOP, CL_C_SWAP or CL_C_UNROLLED. For CL_C_UNROLLED, BENCH_ROUNDS is 10, 12
 * or 14, so the program supports one key length. Otherwise BENCH_ROUNDS is 0, and each function
 * handles all key lengths. BENCH_ENGINE is the engine's name.
 */
#include "board_bench.h"

#include "c_modes.h"
#include "engine_zkn.h"

#define INSTANCE(name, run, inverse)                                                               \
	static int name(void *hw, const struct cl_engine_key *key, uint32_t chain[4],              \
			const uint32_t *in, uint32_t *out, size_t blocks)                          \
	{                                                                                          \
		const struct cl_c_cipher cipher = {BENCH_BY, inverse, BENCH_STYLE, BENCH_ROUNDS};  \
                                                                                                   \
		(void)hw;                                                                          \
		(void)chain;                                                                       \
		run;                                                                               \
		return 0;                                                                          \
	}

#define THRICE(name)                                                                               \
	{                                                                                          \
		name, name, name                                                                   \
	}

INSTANCE(ecb_encrypt, cl_c_ecb(cipher, key, in, out, blocks), false)
INSTANCE(ecb_decrypt, cl_c_ecb(cipher, key, in, out, blocks), true)
INSTANCE(cbc_encrypt, cl_c_cbc(cipher, key, chain, in, out, blocks), false)
INSTANCE(cbc_decrypt, cl_c_cbc(cipher, key, chain, in, out, blocks), true)
INSTANCE(ctr_encrypt, cl_c_ctr(cipher, key, chain, in, out, blocks), false)

static cl_modes_run *const ctr[3] = THRICE(ctr_encrypt);

static const struct cl_modes modes = {
	.name = BENCH_ENGINE,
	.set_key = BENCH_BY == CL_C_INSTRUCTIONS ? cl_modes_zkn_set_key : cl_modes_c_set_key,
	.ecb = {THRICE(ecb_encrypt), THRICE(ecb_decrypt)},
	.cbc = {THRICE(cbc_encrypt), THRICE(cbc_decrypt)},
};

const struct bench_variant bench_variants[] = {
	{.modes = &modes, .ctr = ctr},
};

const uint32_t bench_variant_count = sizeof(bench_variants) / sizeof(bench_variants[0]);
