/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Defines the GCM context of mbedTLS for the vector AES unit. mbedTLS includes this file if
 * MBEDTLS_GCM_ALT is defined.
 */
#ifndef CL_GCM_ALT_H
#define CL_GCM_ALT_H

#include "engine/engine.h"

/**
 * State of mbedTLS's GCM functions: a key, and the message that is being processed (SP 800-38D).
 * All blocks have the byte order of FIPS-197.
 */
typedef struct mbedtls_gcm_context {
	struct cl_engine_key key;
	/**
	 * Numbers of bytes processed so far: `aad_len` of the additional data, `len` of the text.
	 */
	uint64_t aad_len;
	uint64_t len;
	/** The first counter block, J0. */
	uint8_t first_counter[CL_BLOCK_BYTES];
	/** GHASH of all whole blocks so far. */
	uint8_t hash[CL_BLOCK_BYTES];
	/** The bytes after the last whole block. They are not yet included in `hash`. */
	uint8_t partial[CL_BLOCK_BYTES];
	/** Keystream for the text block that is still incomplete, if there is one. */
	uint8_t keystream[CL_BLOCK_BYTES];
	/** MBEDTLS_GCM_ENCRYPT or MBEDTLS_GCM_DECRYPT. */
	int mode;
} mbedtls_gcm_context;

#endif
