/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The engine that uses the SNOW 3G accelerator. It computes 128-EEA1 (TS 33.401, B.1.2) on whole
 * bytes. The accelerator has its own DMA and the same registers as the CTR accelerator.
 *
 * The counter block of a message's block n is COUNT (32) || BEARER (5) || DIRECTION (1) || 26 zeros
 * || n (64), as in 128-EEA2. Block n uses bits 128 n to 128 n + 127 of the message's keystream; n
 * is below 65536. Keys have 128 bits. The engine returns -EINVAL for other key lengths, for other
 * counter blocks, and for data that end after block 65535.
 */
#ifndef CL_ENGINE_SNOW3G_H
#define CL_ENGINE_SNOW3G_H

#include "accelerator/engine_accel.h"
#include "engine/engine.h"

/**
 * Returns the engine `snow3g`, which uses @p device. Initialise the device first, as for
 * cl_engine_accel().
 */
struct cl_engine cl_engine_snow3g(struct cl_accel_device *device);

#endif
