/**
 * @file
 * Known-answer tests of the engines.
 */
#ifndef CL_SELFTEST_H
#define CL_SELFTEST_H

#include "cl_wire.h"
#include "service/platform.h"

/**
 * Tests one engine with every key length: the example of FIPS-197, appendix C, and the examples of
 * SP 800-38A, F.5, in both directions. An engine that counts its falls to a slower method is also
 * tested at the start of the benchmark's buffer, where it must not fall: a board with buffers that
 * the engine does not reach fails its selftest. If sessions occupy all of an engine's key slots,
 * its tests are skipped; then the number of tests is lower.
 *
 * @param[out] result tests run and failed; an engine that reports a fault fails the test
 */
void cl_selftest_run(const struct cl_platform *platform, const struct cl_engine *engine,
		     struct cl_wire_selftest_reply *result);

#endif
