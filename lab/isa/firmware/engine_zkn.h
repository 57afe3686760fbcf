/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Engine that uses the scalar AES unit, so it exists only on a board. The unit executes the
 * ratified instructions of RISC-V Zkne and Zknd, for comparison with the vector unit.
 */
#ifndef CL_ENGINE_ZKN_H
#define CL_ENGINE_ZKN_H

#include <stdbool.h>

#include "engine/engine.h"

/** The engine `zkn`; the SoC must have the scalar unit (lab/isa/zkn.py) on its CFU port. */
extern const struct cl_engine cl_engine_zkn;

/**
 * Implements cl_modes.set_key with the scalar instructions: computes the round keys for one
 * direction.
 */
int cl_modes_zkn_set_key(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
			 unsigned int key_bits, bool decrypt);

#endif
