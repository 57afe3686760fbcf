/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Driver for the vector AES unit, with the interface of Zephyr's crypto API: ECB of one block, CBC
 * and CTR. A call returns when its operation is complete. During the call, the driver uses a
 * hardware context of the unit.
 */
#include <errno.h>
#include <string.h>

#include <zephyr/crypto/crypto.h>
#include <zephyr/kernel.h>

#include <cipherlane/engines.h>

#include "crypto_devices.h"
#include "crypto_session.h"
#include "vector/engine_ise.h"
#include "vector_modes.h"

#define CAPABILITIES                                                                               \
	(CAP_RAW_KEY | CAP_INPLACE_OPS | CAP_SEPARATE_IO_BUFS | CAP_SYNC_OPS | CAP_NO_IV_PREFIX)

#define BLOCK CL_BLOCK_BYTES
static int run_blocks(const struct cl_crypto_session *session, uint32_t chain[4], const uint8_t *in,
		      uint8_t *out, size_t blocks)
{
	return cl_vector_run(session->run, &session->key, chain, in, out, blocks);
}

static int ecb(struct cipher_ctx *ctx, struct cipher_pkt *pkt)
{
	uint8_t *out;

	if (pkt->in_len != BLOCK) { /* in this API, an ECB call processes exactly one block */
		return -EINVAL;
	}
	const int result = cl_crypto_output(ctx, pkt, BLOCK, &out);

	if (result != 0) {
		return result;
	}
	return run_blocks(ctx->drv_sessn_state, NULL, pkt->in_buf, out, 1);
}

/**
 * Returns the number of IV bytes in front of the ciphertext: 0 or 16, depending on the session's
 * flags.
 */
static int prefix(const struct cipher_ctx *ctx)
{
	return (ctx->flags & CAP_NO_IV_PREFIX) != 0 ? 0 : BLOCK;
}

static int cbc_encrypt(struct cipher_ctx *ctx, struct cipher_pkt *pkt, uint8_t *iv)
{
	const int iv_len = prefix(ctx);
	uint32_t chain[4];
	uint8_t *out;

	if (pkt->in_len % (int)BLOCK != 0) {
		return -EINVAL;
	}
	const int result = cl_crypto_output(ctx, pkt, pkt->in_len + iv_len, &out);

	if (result != 0) {
		return result;
	}
	memcpy(chain, iv, BLOCK);
	memcpy(out, iv, iv_len);
	return run_blocks(ctx->drv_sessn_state, chain, pkt->in_buf, out + iv_len,
			  pkt->in_len / BLOCK);
}

static int cbc_decrypt(struct cipher_ctx *ctx, struct cipher_pkt *pkt, uint8_t *iv)
{
	const int iv_len = prefix(ctx);
	const int len = pkt->in_len - iv_len;
	uint32_t chain[4];
	uint8_t *out;

	if (len % (int)BLOCK != 0) {
		return -EINVAL;
	}
	const int result = cl_crypto_output(ctx, pkt, len, &out);

	if (result != 0) {
		return result;
	}
	memcpy(chain, iv, BLOCK);
	return run_blocks(ctx->drv_sessn_state, chain, pkt->in_buf + iv_len, out, len / BLOCK);
}

static int ctr(struct cipher_ctx *ctx, struct cipher_pkt *pkt, uint8_t *iv)
{
	const struct cl_crypto_session *const session = ctx->drv_sessn_state;
	uint8_t counter[BLOCK] __aligned(4);
	uint8_t *out;
	const int result = cl_crypto_output(ctx, pkt, pkt->in_len, &out);

	if (result != 0) {
		return result;
	}
	if (!cl_crypto_counter_suffices(ctx, pkt->in_len)) {
		return -EINVAL;
	}
	cl_crypto_counter(ctx, iv, counter);
	return cl_zephyr_ise_vmem.ctr(&cl_zephyr_ise_vmem, &session->key, counter, pkt->in_buf, out,
				      pkt->in_len);
}

static int query(const struct device *device)
{
	ARG_UNUSED(device);
	return CAPABILITIES;
}

/**
 * Selects the functions for a session's mode, direction and key length. Call it after the session's
 * key was set.
 */
static int choose(struct cl_crypto_session *session, struct cipher_ctx *ctx, enum cipher_mode mode,
		  bool decrypt)
{
	const unsigned int length = CL_MODES_KEY(ctx->keylen * 8);

	switch (mode) {
	case CRYPTO_CIPHER_MODE_ECB:
		session->run = cl_modes_ise_vmem.ecb[decrypt][length];
		ctx->ops.block_crypt_hndlr = ecb;
		return 0;
	case CRYPTO_CIPHER_MODE_CBC:
		if ((ctx->flags & CAP_INPLACE_OPS) != 0 && prefix(ctx) != 0) {
			/* An in-place buffer has no room for the IV in front of the ciphertext. */
			return -EINVAL;
		}
		session->run = cl_modes_ise_vmem.cbc[decrypt][length];
		ctx->ops.cbc_crypt_hndlr = decrypt ? cbc_decrypt : cbc_encrypt;
		return 0;
	case CRYPTO_CIPHER_MODE_CTR:
		ctx->ops.ctr_crypt_hndlr = ctr;
		return cl_crypto_counter_is_valid(ctx) ? 0 : -EINVAL;
	default:
		return -ENOTSUP;
	}
}

static void release(struct cl_crypto_session *session)
{
	cl_vector_clear(&session->key);
	cl_crypto_release(session);
}

static int begin_session(const struct device *device, struct cipher_ctx *ctx, enum cipher_algo algo,
			 enum cipher_mode mode, enum cipher_op op)
{
	const bool decrypt = op == CRYPTO_CIPHER_OP_DECRYPT;
	struct cl_crypto_session *session;
	int result = cl_crypto_check_session(ctx, algo, CAPABILITIES);

	ARG_UNUSED(device);
	if (result != 0) {
		return result;
	}
	session = cl_crypto_claim(ctx);
	if (session == NULL) {
		return -ENOSPC;
	}
	result = choose(session, ctx, mode, decrypt);
	if (result == 0) {
		result = cl_vector_set_key(&session->key, ctx->key.bit_stream, ctx->keylen * 8,
					   decrypt && mode != CRYPTO_CIPHER_MODE_CTR);
	}
	if (result != 0) {
		release(session);
		return result;
	}
	ctx->drv_sessn_state = session;
	return 0;
}

static int free_session(const struct device *device, struct cipher_ctx *ctx)
{
	struct cl_crypto_session *const session = cl_crypto_session_of(ctx);

	ARG_UNUSED(device);
	if (session == NULL) {
		return -EINVAL;
	}
	release(session);
	ctx->drv_sessn_state = NULL;
	return 0;
}

DEVICE_API(crypto, cl_vector_crypto) = {
	.query_hw_caps = query,
	.cipher_begin_session = begin_session,
	.cipher_free_session = free_session,
};
