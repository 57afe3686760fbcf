/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The engine `zkn`. It uses the scalar AES unit, so it works only on a board. The unit executes
 * RISC-V's ratified instructions Zkne and Zknd. We compare this unit with the vector unit.
 */
#ifndef CL_ENGINE_ZKN_H
#define CL_ENGINE_ZKN_H

#include <stdbool.h>

#include "engine/engine.h"

/**
 * The engine `zkn`. It works only if the SoC has the scalar AES unit (lab/isa/zkn.py) on its CFU
 * port.
 */
extern const struct cl_engine cl_engine_zkn;

/**
 * Implements cl_modes.set_key with the scalar instructions: computes the round keys for encryption,
 * or for decryption if @p decrypt is true.
 */
int cl_modes_zkn_set_key(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
			 unsigned int key_bits, bool decrypt);

#endif
