/**
 * @file
 * Engine on the SNOW 3G accelerator: 128-EEA1 (TS 33.401, B.1.2), whole bytes, by its own DMA. Its
 * registers, and all but the cipher, are those of the CTR accelerator.
 *
 * The counter block of a message's block n is COUNT (32) || BEARER (5) || DIRECTION (1) || 26 zeros
 * || n (64), as that of 128-EEA2, and selects bits 128 n to 128 n + 127 of the message's keystream;
 * n is below 65536. Keys have 128 bits. Another key, another counter block and data that end behind
 * block 65535 are refused with -EINVAL.
 */
#ifndef CL_ENGINE_SNOW3G_H
#define CL_ENGINE_SNOW3G_H

#include "accelerator/engine_accel.h"
#include "engine/engine.h"

/** The engine `snow3g` on @p device, initialised as that of cl_engine_accel. */
struct cl_engine cl_engine_snow3g(struct cl_accel_device *device);

#endif
