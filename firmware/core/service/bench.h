/**
 * @file
 * Speed of an engine from memory to memory, with no transport in the way.
 */
#ifndef CL_BENCH_H
#define CL_BENCH_H

#include "cl_wire.h"
#include "engine/engine.h"
#include "service/platform.h"

/** A run ends after a 500th of a second of the engine's time, so that none occupies the board. */
#define CL_BENCH_PER_SECOND 500u

/**
 * Runs @p engine in CTR, in place, over the platform's buffer: calls of `record_bytes`, one behind
 * the other, from the start of the buffer again where the next would not fit. A call that would
 * take longer than the whole run may is made shorter: two short ones, which are not counted, tell.
 *
 * Only the calls of the engine are counted. The buffer is left with meaningless bytes.
 *
 * @param request  `key_bits` and `record_bytes` valid, 1 to the size of the buffer
 * @param[out] result what was done: less than `total_bytes` if the time is up before
 * @return 0, or what the engine returned
 */
int cl_bench_run(const struct cl_platform *platform, const struct cl_engine *engine,
		 const struct cl_wire_bench_request *request, struct cl_wire_bench_reply *result);

#endif
