/**
 * @file
 * The engines of the SoC's hardware for Zephyr's threads: as in the core, but any number of threads
 * may call them.
 */
#ifndef CIPHERLANE_ENGINES_H
#define CIPHERLANE_ENGINES_H

#include "engine/engine.h"

/** On the vector AES unit, in the context that the thread leases for the call. */
extern const struct cl_engine cl_zephyr_ise;
extern const struct cl_engine cl_zephyr_ise_fused;
extern const struct cl_engine cl_zephyr_ise_vmem;

/** On the CTR accelerator; threads take turns. */
extern const struct cl_engine cl_zephyr_accelerator;

/**
 * As cl_zephyr_accelerator's ctr, but the thread sleeps until the accelerator's interrupt where
 * both buffers are in memory that the DMA reaches.
 *
 * @retval -ETIMEDOUT also: no interrupt came
 */
int cl_accelerator_ctr_asleep(const struct cl_engine_key *key,
			      const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in,
			      uint8_t *out, size_t len);

#endif
