/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The hardware engines for Zephyr's threads. They work like the engines in firmware/core, but any
 * number of threads can call them.
 */
#ifndef CIPHERLANE_ENGINES_H
#define CIPHERLANE_ENGINES_H

#include "engine/engine.h"

/**
 * Engines on the vector AES unit. Each call runs in a hardware context that the thread leases for
 * this call (contexts.h).
 */
extern const struct cl_engine cl_zephyr_ise;
extern const struct cl_engine cl_zephyr_ise_fused;
extern const struct cl_engine cl_zephyr_ise_vmem;

/**
 * The hasher on the vector AES unit, which must have a multiplier. Each call runs in a hardware
 * context that the thread leases for this call.
 */
extern const struct cl_hasher cl_zephyr_hasher;

/** The engine on the CTR accelerator. Threads take turns to use it. */
extern const struct cl_engine cl_zephyr_accelerator;

/**
 * Works like cl_zephyr_accelerator.ctr. If the DMA can access the input buffer and the output
 * buffer, the calling thread sleeps until the accelerator's interrupt.
 *
 * @retval -ETIMEDOUT the accelerator raised no interrupt in time
 * @retval -errno one of the other errors that cl_zephyr_accelerator.ctr can return
 */
int cl_accelerator_ctr_asleep(const struct cl_engine_key *key,
			      const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in,
			      uint8_t *out, size_t len);

#endif
