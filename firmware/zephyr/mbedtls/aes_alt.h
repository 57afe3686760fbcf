/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The AES context of mbedTLS on the vector AES unit (MBEDTLS_AES_ALT). PSA, TLS and all modes of
 * mbedTLS use it. mbedTLS includes this file.
 */
#ifndef CL_AES_ALT_H
#define CL_AES_ALT_H

#include "engine/engine.h"

typedef struct mbedtls_aes_context {
	struct cl_engine_key key;
} mbedtls_aes_context;

#endif
