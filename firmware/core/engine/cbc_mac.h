/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * CBC-MAC by any engine: CMAC (SP 800-38B) without its subkeys. CBC-MAC is secure only if no
 * message is a prefix of another message under the same key.
 */
#ifndef CL_CBC_MAC_H
#define CL_CBC_MAC_H

#include "engine/engine.h"

/**
 * Computes the CBC-MAC of @p count blocks under a key.
 *
 * @param key_bytes key_bits / 8 bytes
 * @param[out] mac the CBC-MAC; zeros after an error
 * @return 0, or the error that the engine returned
 */
int cl_cbc_mac(const struct cl_engine *engine, const uint8_t *key_bytes, unsigned int key_bits,
	       const uint8_t (*blocks)[CL_BLOCK_BYTES], size_t count, uint8_t mac[CL_BLOCK_BYTES]);

#endif
