/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Adds the engine `snow3g` to the bare-metal firmware (firmware/baremetal/main.c) in the
 * configuration with SNOW 3G.
 */
#ifndef EXTENSION_H
#define EXTENSION_H

#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

#define EXTENSION_ENGINES &extension_snow3g,

extern struct cl_engine extension_snow3g;

/**
 * Initialises the SNOW 3G accelerator. The driver copies data through the buffer @p bounce if the
 * accelerator's DMA does not reach the data.
 */
int extension_init(uint8_t *bounce, size_t bounce_bytes);

#endif
