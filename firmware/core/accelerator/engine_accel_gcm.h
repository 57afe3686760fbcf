/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Engine for CTR and GCM on an accelerator that supports GCM.
 */
#ifndef CL_ENGINE_ACCEL_GCM_H
#define CL_ENGINE_ACCEL_GCM_H

#include "accelerator/engine_accel.h"

/**
 * Returns the engine `accelerator` on @p device. The device's accelerator must support GCM. Call
 * this function before cl_engine_accel_init.
 *
 * Buffers of a GCM message that the DMA does not reach are copied through the bounce buffer. If the
 * bounce buffer is too small for all of them together, the engine's `gcm` returns -ENOMEM.
 */
struct cl_engine cl_engine_accel_gcm(struct cl_accel_device *device);

#endif
