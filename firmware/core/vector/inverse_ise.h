/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * ECB decryption on the vector AES unit, for code that decrypts few blocks. The code is small.
 * cl_modes_ise_fused (engine_ise.h) is larger, and faster for eight or more blocks.
 */
#ifndef CL_INVERSE_ISE_H
#define CL_INVERSE_ISE_H

#include "engine/modes.h"

/**
 * Decrypts in ECB mode with keys of 128 and 256 bits; cl_modes.hw is a struct cl_ise_device. The
 * function pointers for CBC, for encryption and for keys of 192 bits are NULL. To clear the key,
 * call `clear` of an engine that uses the same device.
 */
extern const struct cl_modes cl_modes_ise_inverse;

#endif
