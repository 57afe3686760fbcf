/**
 * @file
 * What is derived from keys and from chance: the number that a key is recognised by, tickets, and
 * initial counter blocks that the board draws.
 *
 * All are cut from the CBC-MAC (SP 800-38B without its subkeys) of messages of which none begins
 * another, by the platform's `identity`, an engine whose time does not depend on the key.
 */
#ifndef CL_IDENTITY_H
#define CL_IDENTITY_H

#include <stdint.h>

#include "service/platform.h"

/**
 * The 64 bits that a key is recognised by, which are never sent.
 *
 * @param key key_bits / 8 bytes; the length was checked
 * @return 0, or what the engine returned
 */
int cl_identity_key(const struct cl_platform *platform, const uint8_t *key, unsigned int key_bits,
		    uint64_t *identity);

/**
 * Ticket of the stream that began at @p iv in session number @p session: 64 bits that nobody knows
 * without the key.
 *
 * @return 0, or what the engine returned
 */
int cl_identity_ticket(const struct cl_platform *platform, const uint8_t *key,
		       unsigned int key_bits, const uint8_t iv[CL_BLOCK_BYTES], uint32_t session,
		       uint64_t *ticket);

/** Words of the random source that a counter block is drawn from. */
#define CL_IDENTITY_WORDS 32u

/**
 * Draws an initial counter block: 96 bits, then 32 zeros. They are condensed, under a key that is
 * no secret (SP 800-90B, 3.1.5.1.1), from CL_IDENTITY_WORDS words of the random source and the
 * host's bytes; on a simulated board from the host's bytes alone.
 *
 * @retval 0 done
 * @retval -ENODEV the board has no random source
 * @retval -errno the source failed, or the engine
 */
int cl_identity_draw(const struct cl_platform *platform, const uint8_t host[CL_BLOCK_BYTES],
		     uint8_t iv[CL_BLOCK_BYTES]);

#endif
