/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Definitions that the ciphers of this folder share. Each cipher is in plain C. With BENCH_PTLU,
 * the code looks up the cipher's tables with Fiskiran and Lee's instruction `ptlu` on words of 32
 * bits. Only the board's CPU has this instruction; see ptlu.h.
 *
 * A cipher's header defines cipher_set_key, which takes 16 bytes, and cipher_run, which works on
 * pieces of 16 bytes. Only one key can be set at a time.
 */
#ifndef CIPHER_H
#define CIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../ptlu.h"

#define CIPHER_INLINE static inline __attribute__((always_inline))
/*
 * The compiler does not inline a function that is marked CIPHER_APART. So the size of the
 * function's symbol is the size of the cipher's code.
 */
#define CIPHER_APART static __attribute__((noipa))

/**
 * Reverses the bytes of a word. The CPU loads words in little-endian order, but some ciphers expect
 * big-endian words.
 */
CIPHER_INLINE uint32_t cipher_swap(uint32_t x)
{
	return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}

CIPHER_INLINE uint32_t cipher_load(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

CIPHER_INLINE uint32_t cipher_rotl(uint32_t x, unsigned int n)
{
	return x << n | x >> (32 - n);
}

#endif
