/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The random source for Zephyr's threads; a lock makes them take turns. With
 * CONFIG_CIPHERLANE_ENTROPY, Zephyr's entropy API computes bytes with full entropy from the random
 * words of this source.
 */
#ifndef CIPHERLANE_RANDOM_H
#define CIPHERLANE_RANDOM_H

#include "random/random.h"

/** Reads random words, as cl_random_read does. Do not call it in interrupt handlers. */
int cl_zephyr_random_read(uint32_t *words, size_t count);

#endif
