/* SPDX-License-Identifier: BSD-2-Clause */
#include "service/bench.h"

#include <string.h>

#include "engine/ctr.h"
#include "gcm/gcm.h"

/**
 * Number of blocks in a trial call. Before a benchmark run, trial calls measure the engine's time
 * per block. A trial call is long enough that the engine uses the same method as in a long call.
 */
#define TRIAL_BLOCKS 32u
/**
 * If the time limit shortens the calls, the length of each call except the last one is a multiple
 * of this number of blocks. An engine that processes blocks in groups then has no incomplete group.
 */
#define GROUP_BLOCKS 8u

static const uint8_t iv[CL_BLOCK_BYTES];

/** One call of the engine: its arguments, and the cycles that it took. */
struct call {
	const struct cl_platform *platform;
	const struct cl_engine *engine;
	const struct cl_engine_key *key;
	const struct cl_wire_bench_request *request;
	uint8_t *data;
	size_t len;
	uint32_t cycles;
};

/**
 * Runs and measures one call of the engine in GCM. This function and find_most are not inlined, so
 * that the loop that measures CTR occupies few cache lines.
 */
static __attribute__((noinline)) int run_gcm(struct call *call)
{
	uint8_t tag[CL_BLOCK_BYTES];
	struct cl_gcm_message message = {
		.nonce = iv,
		.in = call->data,
		.out = call->data,
		.len = call->len,
		.tag = tag,
	};
	int status = 0;

	/* Decryption needs a message with a correct tag: encrypt one first. */
	if (call->request->direction != 0) {
		status = cl_gcm_run(call->engine, call->key, &message);
		message.decrypt = true;
	}
	const uint32_t start = cl_platform_cycles(call->platform);

	if (status == 0) {
		status = cl_gcm_run(call->engine, call->key, &message);
	}
	call->cycles = cl_platform_cycles(call->platform) - start;
	return status;
}

/**
 * Runs and measures one call of the engine. In CTR, the first counter block is @p counter; GCM does
 * not use @p counter.
 */
static inline int run_call(struct call *call, const uint8_t counter[CL_BLOCK_BYTES])
{
	if (call->request->mode == CL_WIRE_MODE_GCM) {
		return run_gcm(call);
	}
	const uint32_t start = cl_platform_cycles(call->platform);
	const int status = call->engine->ctr(call->engine, call->key, counter, call->data,
					     call->data, call->len);

	call->cycles = cl_platform_cycles(call->platform) - start;
	return status;
}

/**
 * Estimates how many bytes one call of the engine can process in @p limit cycles, rounded up to a
 * multiple of GROUP_BLOCKS blocks. The estimate is based on the second of two trial calls.
 */
static __attribute__((noinline)) int find_most(struct call *call, uint32_t limit, uint32_t *most)
{
	const uint32_t room = call->platform->bench_bytes;
	int status = 0;

	call->data = call->platform->bench_buffer;
	call->len = TRIAL_BLOCKS * CL_BLOCK_BYTES < room ? TRIAL_BLOCKS * CL_BLOCK_BYTES : room;
	/*
	 * Only the second call's time is used, because the first call fills the instruction cache.
	 */
	for (unsigned int trial = 0; trial < 2 && status == 0; trial++) {
		status = run_call(call, iv);
	}
	*most = (limit / (call->cycles / TRIAL_BLOCKS + 1) / GROUP_BLOCKS + 1) * GROUP_BLOCKS *
		CL_BLOCK_BYTES;
	return status;
}

/** Runs and measures the engine's calls with @p key, which the caller has set. */
static int run(const struct cl_platform *platform, const struct cl_engine *engine,
	       const struct cl_engine_key *key, const struct cl_wire_bench_request *request,
	       struct cl_wire_bench_reply *result)
{
	const uint32_t limit = platform->clock_hz / CL_BENCH_PER_SECOND;
	struct call call = {.platform = platform, .engine = engine, .key = key, .request = request};
	uint32_t position = 0;
	uint32_t most;
	int status = find_most(&call, limit, &most);

	if (most > request->record_bytes) {
		most = request->record_bytes;
	}
	while (status == 0 && result->bytes < request->total_bytes && result->cycles < limit) {
		const uint32_t rest = request->total_bytes - (uint32_t)result->bytes;
		uint8_t counter[CL_BLOCK_BYTES];

		call.len = rest < most ? rest : most;
		if (call.len > platform->bench_bytes - position) {
			position = 0;
		}
		call.data = platform->bench_buffer + position;
		cl_ctr_counter(counter, iv, result->blocks);
		status = run_call(&call, counter);
		result->cycles += call.cycles;
		result->bytes += call.len;
		result->blocks += (call.len + CL_BLOCK_BYTES - 1) / CL_BLOCK_BYTES;
		position += call.len;
	}
	return status;
}

int cl_bench_run(const struct cl_platform *platform, const struct cl_engine *engine,
		 const struct cl_wire_bench_request *request, struct cl_wire_bench_reply *result)
{
	/* A constant, public key is enough, because the benchmark's data are not secret. */
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
