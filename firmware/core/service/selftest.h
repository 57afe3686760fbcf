/**
 * @file
 * Known-answer tests of the engines.
 */
#ifndef CL_SELFTEST_H
#define CL_SELFTEST_H

#include "cl_wire.h"
#include "service/platform.h"

/**
 * Runs on one engine, for every key length, the example of FIPS-197, appendix C, and the examples
 * of SP 800-38A, F.5, in both directions. An engine that counts its falls to a slower way also has
 * an example at the begin of the benchmark's buffer, where it must not fall: a board whose buffers
 * it does not reach fails its selftest. An engine whose places for keys are all in use is left out,
 * which shows in the number of tests.
 *
 * @param[out] result tests run and failed; an engine that reports a fault fails the test
 */
void cl_selftest_run(const struct cl_platform *platform, const struct cl_engine *engine,
		     struct cl_wire_selftest_reply *result);

#endif
