/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Values that the board derives from keys or draws at random: the number that identifies a key, the
 * ticket with which a host can resume a stream, and random initial counter blocks.
 *
 * Each value is part of a CBC-MAC (SP 800-38B without its subkeys). The platform's engine
 * `identity` computes the CBC-MAC; its run time does not depend on the key. No message of such a
 * CBC-MAC is a prefix of another message.
 */
#ifndef CL_IDENTITY_H
#define CL_IDENTITY_H

#include <stdint.h>

#include "service/platform.h"

/**
 * Computes the 64-bit number that identifies a key inside the board. The board never sends this
 * number.
 *
 * @param key key_bits / 8 bytes; the length was checked
 * @return 0, or the error that the engine returned
 */
int cl_identity_key(const struct cl_platform *platform, const uint8_t *key, unsigned int key_bits,
		    uint64_t *identity);

/**
 * Computes the ticket of the stream that began at @p iv in session number @p session. The ticket
 * has 64 bits; without the key, nobody can compute it.
 *
 * @return 0, or the error that the engine returned
 */
int cl_identity_ticket(const struct cl_platform *platform, const uint8_t *key,
		       unsigned int key_bits, const uint8_t iv[CL_BLOCK_BYTES], uint32_t session,
		       uint64_t *ticket);

/** Number of words that are read from the random source for one counter block. */
#define CL_IDENTITY_WORDS 32u

/**
 * Draws an initial counter block: 96 random bits, then 32 zero bits. The random bits are the first
 * bits of a CBC-MAC with a constant key (SP 800-90B, 3.1.5.1.1). The CBC-MAC's message contains
 * CL_IDENTITY_WORDS words from the random source and 16 bytes from the host. On a simulated board,
 * the words are 0.
 *
 * @retval 0 done
 * @retval -ENODEV the board has no random source
 * @retval -errno the source or the engine failed
 */
int cl_identity_draw(const struct cl_platform *platform, const uint8_t host[CL_BLOCK_BYTES],
		     uint8_t iv[CL_BLOCK_BYTES]);

#endif
