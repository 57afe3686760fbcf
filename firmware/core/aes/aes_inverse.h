/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Functions for decryption in plain C, with the equivalent inverse cipher (FIPS-197, 5.3.5).
 */
#ifndef CL_AES_INVERSE_H
#define CL_AES_INVERSE_H

#include <stdint.h>

#include "engine/engine.h"

/** Inverse S-box: InvSubBytes of one byte (FIPS-197, 5.3.2). */
extern const uint8_t cl_aes_inv_sbox[256];

/** Multiplies each byte of a word by {02} (FIPS-197, 4.2.1), without a branch. */
static inline uint32_t cl_aes_double(uint32_t word)
{
	return (word << 1 & 0xfefefefeu) ^ (word >> 7 & 0x01010101u) * 0x1bu;
}

/** Computes InvMixColumns of one column (FIPS-197, 5.3.3), with row 0 in bits 7:0. */
uint32_t cl_aes_inv_mix_column(uint32_t column);

/** Puts the round keys in reverse order. */
void cl_aes_reverse_round_keys(struct cl_engine_key *key);

/**
 * Turns the round keys of encryption into the round keys of the equivalent inverse cipher: reverses
 * their order, and applies InvMixColumns to all but the first and the last.
 *
 * @param key from cl_aes_expand_key
 */
void cl_aes_invert_key(struct cl_engine_key *key);

#endif
