/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * ECB decryption in byte-oriented C: the inverse cipher for users that decrypt few blocks, on
 * machines without the vector unit.
 */
#ifndef CL_MODES_BYTE_H
#define CL_MODES_BYTE_H

#include "engine/modes.h"

/** ECB decryption only: set_key refuses encryption, and all other function pointers are NULL. */
extern const struct cl_modes cl_modes_byte;

#endif
