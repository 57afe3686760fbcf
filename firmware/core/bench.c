#include "bench.h"

#include <string.h>

#include "ctr.h"

/** The measured part: @p key is set. */
static int run(const struct cl_platform *platform, const struct cl_engine *engine,
	       const struct cl_engine_key *key, const struct cl_wire_bench_request *request,
	       struct cl_wire_bench_reply *result)
{
	static const uint8_t iv[CL_BLOCK_BYTES];
	const uint64_t limit = (uint64_t)CL_BENCH_SECONDS * platform->clock_hz;
	uint32_t position = 0;

	while (result->bytes < request->total_bytes && result->cycles < limit) {
		const uint32_t rest = request->total_bytes - (uint32_t)result->bytes;
		const uint32_t len = rest < request->record_bytes ? rest : request->record_bytes;
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
	static const uint8_t key_bytes[CL_KEY_BYTES_MAX] = {1, 2, 3}; /* guards nothing */
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
