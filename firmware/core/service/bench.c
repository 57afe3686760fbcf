/* SPDX-License-Identifier: BSD-2-Clause */
#include "service/bench.h"

#include <string.h>

#include "engine/ctr.h"

/**
 * Number of blocks in the trial call that estimates the time per block. It is large enough for the
 * engine to use the same method as in a long call.
 */
#define TRIAL_BLOCKS 32u
/**
 * The length of a measured call is a multiple of this many blocks. So engines that process several
 * blocks together have no remainder.
 */
#define GROUP_BLOCKS 8u

static const uint8_t iv[CL_BLOCK_BYTES];

/** Computes how many bytes a call can process in about @p limit cycles. */
static int find_most(const struct cl_platform *platform, const struct cl_engine *engine,
		     const struct cl_engine_key *key, uint32_t limit, uint32_t *most)
{
	uint32_t len = TRIAL_BLOCKS * CL_BLOCK_BYTES;
	uint32_t block = 0;
	int status = 0;

	if (len > platform->bench_bytes) {
		len = platform->bench_bytes;
	}
	/*
	 * Only the second call's time is used, because the first call fills the instruction cache.
	 */
	for (unsigned int trial = 0; trial < 2 && status == 0; trial++) {
		const uint32_t start = cl_platform_cycles(platform);

		status = engine->ctr(engine, key, iv, platform->bench_buffer,
				     platform->bench_buffer, len);
		block = (cl_platform_cycles(platform) - start) / TRIAL_BLOCKS + 1;
	}
	*most = (limit / block / GROUP_BLOCKS + 1) * GROUP_BLOCKS * CL_BLOCK_BYTES;
	return status;
}

/** Runs and measures the engine's calls. @p key is already set. */
static int run(const struct cl_platform *platform, const struct cl_engine *engine,
	       const struct cl_engine_key *key, const struct cl_wire_bench_request *request,
	       struct cl_wire_bench_reply *result)
{
	const uint32_t limit = platform->clock_hz / CL_BENCH_PER_SECOND;
	uint32_t position = 0;
	uint32_t most;
	const int failed = find_most(platform, engine, key, limit, &most);

	if (failed != 0) {
		return failed;
	}
	if (most > request->record_bytes) {
		most = request->record_bytes;
	}
	while (result->bytes < request->total_bytes && result->cycles < limit) {
		const uint32_t rest = request->total_bytes - (uint32_t)result->bytes;
		const uint32_t len = rest < most ? rest : most;
		uint8_t counter[CL_BLOCK_BYTES];

		if (len > platform->bench_bytes - position) {
			position = 0;
		}
		uint8_t *const data = platform->bench_buffer + position;

		cl_ctr_counter(counter, iv, result->blocks);
		const uint32_t start = cl_platform_cycles(platform);
		const int status = engine->ctr(engine, key, counter, data, data, len);

		result->cycles += cl_platform_cycles(platform) - start;
		if (status != 0) {
			return status;
		}
		result->bytes += len;
		result->blocks += (len + CL_BLOCK_BYTES - 1) / CL_BLOCK_BYTES;
		position += len;
	}
	return 0;
}

int cl_bench_run(const struct cl_platform *platform, const struct cl_engine *engine,
		 const struct cl_wire_bench_request *request, struct cl_wire_bench_reply *result)
{
	/* a constant, public key: the benchmark's data are not secret */
	static const uint8_t key_bytes[CL_KEY_BYTES_MAX] = {1, 2, 3};
	struct cl_engine_key key = {0};

	memset(result, 0, sizeof(*result));
	const uint32_t start = cl_platform_cycles(platform);
	int status = engine->set_key(engine, &key, key_bytes, request->key_bits);

	result->key_cycles = cl_platform_cycles(platform) - start;
	if (status == 0) {
		status = run(platform, engine, &key, request, result);
	}
	engine->clear(engine, &key);
	return status;
}
