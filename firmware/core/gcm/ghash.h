/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * GHASH, the hash of GCM (SP 800-38D, 6.4), in C. It uses no tables, and no branches that depend on
 * data. So its run time depends only on the length of the data, provided that the CPU multiplies in
 * constant time.
 */
#ifndef CL_GHASH_H
#define CL_GHASH_H

#include "engine/engine.h"

/** The hasher in C. Its function ignores `hw`, and always returns 0. */
extern const struct cl_hasher cl_hasher_c;

#endif
