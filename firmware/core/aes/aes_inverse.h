/**
 * @file
 * What decryption adds for the engines in plain C: the equivalent inverse cipher (FIPS-197, 5.3.5).
 */
#ifndef CL_AES_INVERSE_H
#define CL_AES_INVERSE_H

#include <stdint.h>

#include "engine/engine.h"

/** InvSubBytes of one byte (FIPS-197, 5.3.2). */
extern const uint8_t cl_aes_inv_sbox[256];

/** Multiplication by {02} of the four bytes of a word (FIPS-197, 4.2.1), without a branch. */
static inline uint32_t cl_aes_double(uint32_t word)
{
	return (word << 1 & 0xfefefefeu) ^ (word >> 7 & 0x01010101u) * 0x1bu;
}

/** InvMixColumns of one column (FIPS-197, 5.3.3), row 0 in bits 7:0. */
uint32_t cl_aes_inv_mix_column(uint32_t column);

/** Puts the round keys in reverse order. */
void cl_aes_reverse_round_keys(struct cl_engine_key *key);

/**
 * Turns round keys of encryption into those of the equivalent inverse cipher: in reverse order, and
 * all but the first and the last through InvMixColumns.
 *
 * @param key from cl_aes_expand_key
 */
void cl_aes_invert_key(struct cl_engine_key *key);

#endif
