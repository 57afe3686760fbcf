/**
 * @file
 * What the ciphers of this folder share: each is in plain C, and with BENCH_PTLU its lookups are
 * those of Fiskiran and Lee's `ptlu` on words of 32 bits (target only; ptlu.h).
 *
 * A cipher's header has cipher_set_key, which takes 16 bytes, and cipher_run over pieces of 16
 * bytes. There is one key at a time.
 */
#ifndef CIPHER_H
#define CIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../ptlu.h"

#define CIPHER_INLINE static inline __attribute__((always_inline))
/* A function of its own, so that its size is the cipher's. */
#define CIPHER_APART static __attribute__((noipa))

/** Big-endian number of a word that was loaded as it lies, and back. */
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
