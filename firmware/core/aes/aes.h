/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Parts of FIPS-197 that the engines share: the S-box and the key schedule.
 */
#ifndef CL_AES_H
#define CL_AES_H

#include <stdint.h>

#include "engine/engine.h"

/** S-box: SubBytes of one byte (FIPS-197, 5.1.1). */
extern const uint8_t cl_aes_sbox[256];

/**
 * Expands a cipher key (FIPS-197, 5.2) into the round keys of encryption.
 *
 * Sets round_key, key_bits and rounds of @p key, clears the words after the last round key, and
 * does not change the other members.
 *
 * @param key_bytes key_bits / 8 bytes at any alignment
 * @retval 0 done
 * @retval -EINVAL key_bits is not 128, 192 or 256
 */
int cl_aes_expand_key(struct cl_engine_key *key, const uint8_t *key_bytes, unsigned int key_bits);

#endif
