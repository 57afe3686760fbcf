/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The id that identifies the build. The reply to a record of type `info` contains this id.
 */
#ifndef CL_BUILD_ID_H
#define CL_BUILD_ID_H

#include <stdint.h>

/**
 * Digests of the gateware and of the firmware, 8 bytes each. The compiled array contains a
 * placeholder. The build flow writes the digests into the linked image (gateware/flow/build_id.py).
 */
extern const uint8_t cl_build_id[16];

#endif
