/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Driver for the CTR accelerator, with the interface of Zephyr's crypto API. Each call requests one
 * CTR operation. A synchronous call returns when the operation is complete. An asynchronous call
 * starts the operation in the background, and the driver calls the application's callback when the
 * operation is complete.
 */
#include <errno.h>

#include <zephyr/crypto/crypto.h>
#include <zephyr/kernel.h>

#include <cipherlane/engines.h>

#include "crypto_devices.h"
#include "crypto_session.h"

#define CAPABILITIES                                                                               \
	(CAP_RAW_KEY | CAP_INPLACE_OPS | CAP_SEPARATE_IO_BUFS | CAP_SYNC_OPS | CAP_ASYNC_OPS |     \
	 CAP_NO_IV_PREFIX)

static const struct cl_engine *const engine = &cl_zephyr_accelerator;

static struct k_work_q queue;
static K_THREAD_STACK_DEFINE(queue_stack, CONFIG_CIPHERLANE_CRYPTO_STACK);
static cipher_completion_cb completed;

static void carry_out_in_background(struct k_work *work)
{
	struct cl_crypto_session *const session =
		CONTAINER_OF(work, struct cl_crypto_session, work);
	struct cipher_pkt *const pkt = session->pkt;
	const int status = cl_accelerator_ctr_asleep(&session->key, session->counter, pkt->in_buf,
						     session->out, pkt->in_len);

	/*
	 * The callback is allowed to start the next operation of this session, so mark the session
	 * as idle before the callback.
	 */
	session->pkt = NULL;
	if (completed != NULL) {
		completed(pkt, status);
	}
}

static int ctr(struct cipher_ctx *ctx, struct cipher_pkt *pkt, uint8_t *iv)
{
	struct cl_crypto_session *const session = ctx->drv_sessn_state;
	uint8_t *out;
	const int result = cl_crypto_output(ctx, pkt, pkt->in_len, &out);

	if (result != 0) {
		return result;
	}
	if (!cl_crypto_counter_suffices(ctx, pkt->in_len)) {
		return -EINVAL;
	}
	if (session->pkt != NULL) {
		return -EBUSY;
	}
	if ((ctx->flags & CAP_ASYNC_OPS) == 0) {
		uint8_t counter[CL_BLOCK_BYTES];

		cl_crypto_counter(ctx, iv, counter);
		return engine->ctr(engine, &session->key, counter, pkt->in_buf, out, pkt->in_len);
	}
	cl_crypto_counter(ctx, iv, session->counter);
	session->pkt = pkt;
	session->out = out;
	(void)k_work_submit_to_queue(&queue, &session->work);
	return 0;
}

static int query(const struct device *device)
{
	ARG_UNUSED(device);
	return CAPABILITIES;
}

static int begin_session(const struct device *device, struct cipher_ctx *ctx, enum cipher_algo algo,
			 enum cipher_mode mode, enum cipher_op op)
{
	struct cl_crypto_session *session;
	int result = cl_crypto_check_session(ctx, algo, CAPABILITIES);

	ARG_UNUSED(device);
	ARG_UNUSED(op); /* in CTR mode, encryption and decryption are the same operation */
	if (result != 0) {
		return result;
	}
	if (mode != CRYPTO_CIPHER_MODE_CTR) {
		return -ENOTSUP;
	}
	if (!cl_crypto_counter_is_valid(ctx) ||
	    ((ctx->flags & CAP_ASYNC_OPS) != 0 && completed == NULL)) {
		return -EINVAL;
	}
	session = cl_crypto_claim(ctx);
	if (session == NULL) {
		return -ENOSPC;
	}
	result = engine->set_key(engine, &session->key, ctx->key.bit_stream, ctx->keylen * 8);
	if (result != 0) {
		cl_crypto_release(session);
		return result;
	}
	k_work_init(&session->work, carry_out_in_background);
	ctx->ops.ctr_crypt_hndlr = ctr;
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
	if (session->pkt != NULL) {
		return -EBUSY;
	}
	engine->clear(engine, &session->key);
	cl_crypto_release(session);
	ctx->drv_sessn_state = NULL;
	return 0;
}

static int set_callback(const struct device *device, cipher_completion_cb callback)
{
	ARG_UNUSED(device);
	completed = callback;
	return 0;
}

DEVICE_API(crypto, cl_accelerator_crypto) = {
	.query_hw_caps = query,
	.cipher_begin_session = begin_session,
	.cipher_free_session = free_session,
	.cipher_async_callback_set = set_callback,
};

void cl_accelerator_crypto_init(void)
{
	k_work_queue_start(&queue, queue_stack, K_THREAD_STACK_SIZEOF(queue_stack),
			   CONFIG_CIPHERLANE_CRYPTO_PRIORITY, NULL);
}
