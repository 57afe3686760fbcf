/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Defines the GCM context of mbedTLS for the vector AES unit. mbedTLS includes this file if
 * MBEDTLS_GCM_ALT is defined.
 */
#ifndef CL_GCM_ALT_H
#define CL_GCM_ALT_H

#include "engine/engine.h"

/** A key and one message (SP 800-38D). All blocks have the byte order of FIPS-197. */
typedef struct mbedtls_gcm_context {
	struct cl_engine_key key;
	/** Bytes of additional data, and of text, that the message had so far. */
	uint64_t aad_len;
	uint64_t len;
	/** The first counter block, J0. */
	uint8_t first_counter[CL_BLOCK_BYTES];
	/** GHASH of all whole blocks so far. */
	uint8_t hash[CL_BLOCK_BYTES];
	/** The bytes after the last whole block. They are not in the hash yet. */
	uint8_t partial[CL_BLOCK_BYTES];
	/** Keystream of the block of text that `partial` begins. */
	uint8_t keystream[CL_BLOCK_BYTES];
	/** MBEDTLS_GCM_ENCRYPT or MBEDTLS_GCM_DECRYPT. */
	int mode;
} mbedtls_gcm_context;

#endif
