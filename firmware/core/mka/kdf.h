/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The key derivation function of MKA (IEEE 802.1X-2020, 6.2.1), by AES-CMAC.
 */
#ifndef CL_MKA_KDF_H
#define CL_MKA_KDF_H

#include "engine/engine.h"

#define CL_MKA_LABEL_BYTES 12u
/**
 * Length in bytes of the longest context: a nonce of 256 bits, two member identifiers and a key
 * number.
 */
#define CL_MKA_CONTEXT_MAX (32u + 2u * 12u + 4u)

/** Labels, one for each kind of key that is derived (IEEE 802.1X-2020, 9.3.3 and 9.8.1). */
#define CL_MKA_LABEL_ICK "IEEE8021 ICK"
#define CL_MKA_LABEL_KEK "IEEE8021 KEK"
#define CL_MKA_LABEL_SAK "IEEE8021 SAK"

/**
 * Derives a key from another key, a label and a context.
 *
 * @param key_bytes key_bits / 8 bytes; key_bits is 128 or 256
 * @param label CL_MKA_LABEL_BYTES bytes
 * @param context_bytes at most CL_MKA_CONTEXT_MAX
 * @param[out] out out_bits / 8 bytes, zeros after an error; out_bits is 128 or 256
 * @return 0, or the error that the engine returned
 */
int cl_mka_kdf(const struct cl_engine *engine, const uint8_t *key_bytes, unsigned int key_bits,
	       const char *label, const uint8_t *context, size_t context_bytes, uint8_t *out,
	       unsigned int out_bits);

#endif
