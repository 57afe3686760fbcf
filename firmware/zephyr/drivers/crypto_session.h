/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Code that the two crypto drivers (vector unit and accelerator) share: sessions of Zephyr's crypto
 * API, and checks of the arguments of sessions and packets.
 */
#ifndef CL_CRYPTO_SESSION_H
#define CL_CRYPTO_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <zephyr/crypto/crypto.h>
#include <zephyr/kernel.h>

#include "engine/modes.h"

/** A session of Zephyr's crypto API. Only one thread at a time is allowed to use a session. */
struct cl_crypto_session {
	/** The application's structure for the session; NULL while the session is free. */
	const struct cipher_ctx *owner;
	struct cl_engine_key key;
	/**
	 * The function that processes blocks in ECB or CBC mode. It depends on the session's
	 * direction (encryption or decryption) and key length.
	 */
	cl_modes_run *run;
	/**
	 * `pkt`: the packet that is processed in the background; NULL if there is none. `out`:
	 * address to which the result of this packet is written.
	 */
	struct cipher_pkt *pkt;
	uint8_t *out;
	uint8_t counter[CL_BLOCK_BYTES];
	struct k_work work;
};

/**
 * Returns a free session for the application's structure @p ctx, or NULL if all
 * CONFIG_CIPHERLANE_CRYPTO_SESSIONS are in use.
 */
struct cl_crypto_session *cl_crypto_claim(const struct cipher_ctx *ctx);

/**
 * Zeroizes a session and frees it. Before this call, the caller must zeroize the session's key in
 * the engine.
 */
void cl_crypto_release(struct cl_crypto_session *session);

/** Returns the session of the application's structure @p ctx, or NULL if there is none. */
struct cl_crypto_session *cl_crypto_session_of(const struct cipher_ctx *ctx);

/**
 * Checks the arguments with which an application begins a session. The function does not check the
 * mode (ECB, CBC or CTR).
 *
 * @param capabilities the features that the driver offers: CAP_*
 * @retval 0 the driver supports these arguments
 * @retval -ENOTSUP flags, algorithm or key length that the driver does not support
 * @retval -EINVAL no key
 */
int cl_crypto_check_session(const struct cipher_ctx *ctx, enum cipher_algo algo,
			    uint32_t capabilities);

/**
 * Checks a packet and returns the address of its result.
 *
 * @param out_len number of bytes in the result
 * @param[out] out address of the result: the input buffer in an in-place session, otherwise the
 * output buffer
 * @retval 0 done; pkt->out_len is set
 * @retval -EINVAL no buffer, a negative length, or an output buffer that is too small
 */
int cl_crypto_output(const struct cipher_ctx *ctx, struct cipher_pkt *pkt, int out_len,
		     uint8_t **out);

/**
 * Returns true if @p len bytes can be processed in CTR mode before the counter overflows into the
 * IV. The counter has ctr_len bits and starts at zero.
 */
bool cl_crypto_counter_suffices(const struct cipher_ctx *ctx, size_t len);

/**
 * Makes the first counter block (T1 in SP 800-38A) from the IV of a session. The last ctr_len bits
 * of the block are the counter, which starts at zero. If ctr_len is 0, the IV is the whole block.
 */
void cl_crypto_counter(const struct cipher_ctx *ctx, const uint8_t *iv, uint8_t counter[16]);

/**
 * Returns true if the counter length of a session is a whole number of bytes and less than 16
 * bytes. A counter of 16 bytes would leave no room for an IV. The drivers call this function when a
 * session begins.
 */
bool cl_crypto_counter_is_valid(const struct cipher_ctx *ctx);

#endif
