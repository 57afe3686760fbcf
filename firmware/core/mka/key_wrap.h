/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * AES key wrap (RFC 3394) with the default initial value.
 */
#ifndef CL_KEY_WRAP_H
#define CL_KEY_WRAP_H

#include "engine/engine.h"
#include "engine/modes.h"

/** A wrapped key is this many bytes longer than the key itself. */
#define CL_KEY_WRAP_BYTES 8u

/**
 * Wraps a key.
 *
 * @param kek the key with which to wrap, kek_bits / 8 bytes
 * @param size bytes of @p key: a multiple of 8, 16 to CL_KEY_BYTES_MAX
 * @param[out] wrapped size + CL_KEY_WRAP_BYTES bytes; zeros after an error
 * @return 0, or the error that the engine returned
 */
int cl_key_wrap(const struct cl_engine *engine, const uint8_t *kek, unsigned int kek_bits,
		const uint8_t *key, size_t size, uint8_t *wrapped);

/**
 * Unwraps a key.
 *
 * @param engine engine with a function `clear` that can zeroize a key expanded by @p modes
 * @param modes functions for ECB decryption
 * @param hw the device that the functions of @p modes use
 * @param[out] key @p size bytes; zeros after an error
 * @retval 0 done
 * @retval -EBADMSG the wrapped key was changed, or was wrapped with a key other than @p kek
 * @return otherwise the error that a function of @p modes returned
 */
int cl_key_unwrap(const struct cl_engine *engine, const struct cl_modes *modes, void *hw,
		  const uint8_t *kek, unsigned int kek_bits, const uint8_t *wrapped, uint8_t *key,
		  size_t size);

#endif
