/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The random source for Zephyr's threads. A lock lets only one thread at a time read the source.
 * With CONFIG_CIPHERLANE_ENTROPY, Zephyr's entropy API returns bytes with full entropy, computed
 * from the words of this source.
 */
#ifndef CIPHERLANE_RANDOM_H
#define CIPHERLANE_RANDOM_H

#include "random/random.h"

/** Reads random words, as cl_random_read does. Do not call it in interrupt handlers. */
int cl_zephyr_random_read(uint32_t *words, size_t count);

#endif
