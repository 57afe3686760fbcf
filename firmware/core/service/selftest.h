/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Known-answer tests of the engines.
 */
#ifndef CL_SELFTEST_H
#define CL_SELFTEST_H

#include <stdbool.h>

#include "cl_wire.h"
#include "service/platform.h"

/**
 * Tests one engine with every key length, by the examples of FIPS-197, appendix C, and SP 800-38A,
 * F.5. An engine with a cipher other than AES runs its own known-answer tests instead. If the
 * engine has a fast and a slower method, it must use the fast method on data in the benchmark's
 * buffer. If sessions occupy all key slots of the engine, its tests are skipped, and fewer tests
 * are reported.
 *
 * @param gcm test GCM instead, with the examples of the GCM specification (McGrew and Viega) that
 * have additional data and a partial block: encryption, decryption, and refusal of a wrong tag
 * @param[out] result how many tests ran, and how many of them failed; a test also fails if the
 *                    engine reports a fault
 */
void cl_selftest_run(const struct cl_platform *platform, const struct cl_engine *engine, bool gcm,
		     struct cl_wire_selftest_reply *result);

#endif
