/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * ECB decryption in byte-oriented C. It is meant for code that decrypts few blocks on a SoC without
 * the vector unit.
 */
#ifndef CL_MODES_BYTE_H
#define CL_MODES_BYTE_H

#include "engine/modes.h"

/**
 * Functions for ECB decryption only. set_key returns -EINVAL if the key is meant for encryption.
 * The function pointers for encryption and for CBC are NULL.
 */
extern const struct cl_modes cl_modes_byte;

#endif
