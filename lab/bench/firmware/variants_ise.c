/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The benchmark's variant for an engine that uses the vector AES unit. BENCH_ENGINE selects the
 * engine.
 */
#include "board_bench.h"

#include "vector/engine_ise.h"

#define PASTE(a, b)   a##b
#define NAME(a, b)    PASTE(a, b)
#define ENGINE_MODES  NAME(cl_modes_, BENCH_ENGINE)
#define ENGINE_CREATE NAME(cl_engine_, BENCH_ENGINE)

static struct cl_engine create(void *hw)
{
	return cl_engine_ise_with_gcm(ENGINE_CREATE(hw));
}

const struct bench_variant bench_variants[] = {
	{.modes = &ENGINE_MODES, .engine = create},
};

const uint32_t bench_variant_count = sizeof(bench_variants) / sizeof(bench_variants[0]);
