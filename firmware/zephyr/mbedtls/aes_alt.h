/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Defines the AES context of mbedTLS for the vector AES unit. PSA, TLS and all modes of mbedTLS use
 * this context. mbedTLS includes this file if MBEDTLS_AES_ALT is defined.
 */
#ifndef CL_AES_ALT_H
#define CL_AES_ALT_H

#include "engine/engine.h"

typedef struct mbedtls_aes_context {
	struct cl_engine_key key;
} mbedtls_aes_context;

#endif
