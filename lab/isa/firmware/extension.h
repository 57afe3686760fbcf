/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Adds the engine `zkn` to the bare-metal firmware (firmware/baremetal/main.c) in configurations
 * with the scalar AES instructions.
 */
#ifndef EXTENSION_H
#define EXTENSION_H

#include <stddef.h>
#include <stdint.h>

#include "engine_zkn.h"

#define EXTENSION_ENGINES  &cl_engine_zkn,
#define EXTENSION_IDENTITY &cl_engine_zkn

static inline int extension_init(uint8_t *bounce, size_t bounce_bytes)
{
	(void)bounce;
	(void)bounce_bytes;
	return 0;
}

#endif
