/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * ECB decryption in byte-oriented C, for code that decrypts few blocks, on a SoC without the
 * vector unit.
 */
#ifndef CL_MODES_BYTE_H
#define CL_MODES_BYTE_H

#include "engine/modes.h"

/**
 * Supports only ECB decryption. set_key refuses encryption, and the pointers to the functions for
 * CBC and for encryption are NULL.
 */
extern const struct cl_modes cl_modes_byte;

#endif
