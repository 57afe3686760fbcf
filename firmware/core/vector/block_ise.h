/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * ECB on the vector AES unit for users that process few blocks. The code is small, and processes
 * one block after the other. cl_modes_ise_fused (engine_ise.h) is larger, and faster for eight or
 * more blocks.
 */
#ifndef CL_BLOCK_ISE_H
#define CL_BLOCK_ISE_H

#include "engine/modes.h"

/** Implements cl_modes_run for ECB, for both directions and all key lengths. Always returns 0. */
int cl_ise_ecb_by_block(void *hw, const struct cl_engine_key *key, uint32_t chain[4],
			const uint32_t *in, uint32_t *out, size_t blocks);

/**
 * Functions for ECB only: the function pointers for CBC are NULL. The argument `hw` of the
 * functions points to a struct cl_ise_device. To clear a key, call `clear` of an engine that uses
 * the same device.
 */
extern const struct cl_modes cl_modes_ise_by_block;

#endif
