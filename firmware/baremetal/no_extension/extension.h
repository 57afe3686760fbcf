/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The extension of configurations that have none. The make variable EXTENSION names the folder of
 * another file with this name.
 */
#ifndef EXTENSION_H
#define EXTENSION_H

#include <stddef.h>
#include <stdint.h>

/**
 * The list of the extension's engines, with a comma after each. An extension that replaces the
 * vector unit also defines EXTENSION_IDENTITY: a pointer to the engine that computes the identities
 * of keys.
 */
#define EXTENSION_ENGINES

/**
 * Initialises the extension's hardware, which copies data through @p bounce if it does not reach
 * them.
 *
 * @return 0, or another value if the hardware does not work
 */
static inline int extension_init(uint8_t *bounce, size_t bounce_bytes)
{
	(void)bounce;
	(void)bounce_bytes;
	return 0;
}

#endif
