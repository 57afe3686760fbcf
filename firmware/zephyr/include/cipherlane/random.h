/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The random source for Zephyr's threads, which take turns. Zephyr's entropy API returns bytes with
 * full entropy that are computed from these words (CONFIG_CIPHERLANE_ENTROPY).
 */
#ifndef CIPHERLANE_RANDOM_H
#define CIPHERLANE_RANDOM_H

#include "random/random.h"

/** Reads random words, like cl_random_read. Do not call it in interrupt handlers. */
int cl_zephyr_random_read(uint32_t *words, size_t count);

#endif
