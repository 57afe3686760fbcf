/* SPDX-License-Identifier: BSD-2-Clause */
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
 * A benchmark run ends when the engine has worked for 1/500 second, so that no run occupies the
 * board for long.
 */
#define CL_BENCH_PER_SECOND 500u

/**
 * Measures @p engine in CTR or GCM. The engine processes data in place, in the platform's buffer
 * for the benchmark. Each call processes the next `record_bytes` bytes of the buffer. If fewer
 * bytes remain, the call begins at the start of the buffer. If a call would take longer than the
 * time limit of the run, all calls process fewer bytes. Two short calls before the run measure the
 * time per block.
 *
 * In GCM, each call is one message without additional data. Before a message is decrypted, it is
 * encrypted, so that it has a correct tag.
 *
 * The result covers only the calls of the run, not the encryptions that prepare messages to
 * decrypt. Afterwards the buffer contains no meaningful data.
 *
 * @param request `key_bits` and `mode` must be valid, and `record_bytes` must be 1 to the size of
 * the buffer
 * @param[out] result the work done; less than `total_bytes` if the time limit was reached
 * @return 0, or the error that the engine returned
 */
int cl_bench_run(const struct cl_platform *platform, const struct cl_engine *engine,
		 const struct cl_wire_bench_request *request, struct cl_wire_bench_reply *result);

#endif
