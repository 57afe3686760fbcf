/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * AES-CMAC by any engine with a block cipher (SP 800-38B, RFC 4493).
 */
#ifndef CL_CMAC_H
#define CL_CMAC_H

#include "engine/engine.h"

/**
 * Doubles a block: multiplies it by x in GF(2^128) (SP 800-38B, 6.1). Doubling E_K(0) gives the
 * subkey K1, and doubling K1 gives the subkey K2. The run time is the same for every block.
 */
void cl_cmac_double(uint8_t block[CL_BLOCK_BYTES]);

/**
 * Computes the MAC of @p size bytes at any alignment.
 *
 * @param key_bytes key_bits / 8 bytes
 * @param[out] mac the MAC; zeros after an error
 * @return 0, or the error that the engine returned
 */
int cl_cmac(const struct cl_engine *engine, const uint8_t *key_bytes, unsigned int key_bits,
	    const uint8_t *data, size_t size, uint8_t mac[CL_BLOCK_BYTES]);

#endif
