/**
 * @file
 * Measures the speed of an engine from memory to memory, without any transport.
 */
#ifndef CL_BENCH_H
#define CL_BENCH_H

#include "cl_wire.h"
#include "engine/engine.h"
#include "service/platform.h"

/**
 * A run ends after 1/500 second of the engine's time, so that no run occupies the board for long.
 */
#define CL_BENCH_PER_SECOND 500u

/**
 * Runs @p engine in CTR mode, in place, over the platform's buffer. The calls have `record_bytes`
 * bytes and follow each other in the buffer; if the next one would not fit, it starts at the
 * beginning again. If one call would take longer than the limit of a whole run, it is made shorter.
 * Before the run, two short calls measure the time per block; they do not count.
 *
 * Only the engine's calls are counted. The buffer's contents are meaningless afterwards.
 *
 * @param request  `key_bits` and `record_bytes` valid, 1 to the size of the buffer
 * @param[out] result the work done; less than `total_bytes` if the time limit was reached
 * @return 0, or the error that the engine returned
 */
int cl_bench_run(const struct cl_platform *platform, const struct cl_engine *engine,
		 const struct cl_wire_bench_request *request, struct cl_wire_bench_reply *result);

#endif
