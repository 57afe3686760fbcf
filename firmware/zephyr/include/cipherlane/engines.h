/**
 * @file
 * The engines of the SoC's hardware for Zephyr's threads: as in the core, but any number of threads
 * may call them.
 */
#ifndef CIPHERLANE_ENGINES_H
#define CIPHERLANE_ENGINES_H

#include "engine.h"

/** On the vector AES unit, in the context that the thread leases for the call. */
extern const struct cl_engine cl_zephyr_ise;
extern const struct cl_engine cl_zephyr_ise_fused;
extern const struct cl_engine cl_zephyr_ise_vmem;

/** On the CTR accelerator; threads take turns. */
extern const struct cl_engine cl_zephyr_accelerator;

#endif
