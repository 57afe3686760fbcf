/**
 * @file
 * What Zephyr's crypto API leaves to each driver: sessions, and checks of them and of packets.
 */
#ifndef CL_CRYPTO_SESSION_H
#define CL_CRYPTO_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <zephyr/crypto/crypto.h>
#include <zephyr/kernel.h>

#include "engine/modes.h"

/** A session of either driver. One thread at a time uses it. */
struct cl_crypto_session {
	/** NULL while the session is free. */
	const struct cipher_ctx *owner;
	struct cl_engine_key key;
	/** ECB or CBC, for the session's direction and key length. */
	cl_modes_run *run;
	/** The operation in the background, NULL when there is none, and what it needs. */
	struct cipher_pkt *pkt;
	uint8_t *out;
	uint8_t counter[CL_BLOCK_BYTES];
	struct k_work work;
};

/** A free session for @p ctx; NULL if all CONFIG_CIPHERLANE_CRYPTO_SESSIONS are in use. */
struct cl_crypto_session *cl_crypto_claim(const struct cipher_ctx *ctx);

/** Zeroizes a session, whose key the engine has cleared, and gives it back. */
void cl_crypto_release(struct cl_crypto_session *session);

/** The session of @p ctx, or NULL if it has none. */
struct cl_crypto_session *cl_crypto_session_of(const struct cipher_ctx *ctx);

/**
 * Checks what an application asks for at the begin of a session.
 *
 * @param capabilities what the driver offers: CAP_*
 * @retval 0 the driver can do it, as far as the mode is not concerned
 * @retval -ENOTSUP flags, algorithm or key length that it does not offer
 * @retval -EINVAL no key
 */
int cl_crypto_check_session(const struct cipher_ctx *ctx, enum cipher_algo algo,
			    uint32_t capabilities);

/**
 * Checks a packet and tells where its result goes.
 *
 * @param out_len bytes of the result
 * @param[out] out result's place: the input in an in-place session, otherwise the output buffer
 * @retval 0 done; pkt->out_len is set
 * @retval -EINVAL no buffer, a negative length, or an output buffer that is too small
 */
int cl_crypto_output(const struct cipher_ctx *ctx, struct cipher_pkt *pkt, int out_len,
		     uint8_t **out);

/**
 * Whether @p len bytes in CTR mode leave the IV as it is: the counter has ctr_len bits, and an
 * operation begins at zero.
 */
bool cl_crypto_counter_suffices(const struct cipher_ctx *ctx, size_t len);

/**
 * Counter block T1 from the IV of a session: the counter, ctr_len bits at its end, starts at zero.
 * With a ctr_len of 0 the IV is the whole block.
 */
void cl_crypto_counter(const struct cipher_ctx *ctx, const uint8_t *iv, uint8_t counter[16]);

/** Whether a session's counter is of whole bytes and leaves an IV; for its begin. */
bool cl_crypto_counter_is_valid(const struct cipher_ctx *ctx);

#endif
