/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * ECB decryption in byte-oriented C: the inverse cipher for users that decrypt few blocks, on
 * machines without the vector unit.
 */
#ifndef CL_MODES_BYTE_H
#define CL_MODES_BYTE_H

#include "engine/modes.h"

/** Decrypts in ECB mode. The other functions are NULL, and set_key refuses encryption. */
extern const struct cl_modes cl_modes_byte;

#endif
