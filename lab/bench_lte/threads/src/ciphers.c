/* SPDX-License-Identifier: BSD-2-Clause */
#include "ciphers.h"

#include <errno.h>

#include <zephyr/crypto/crypto.h>
#include <zephyr/device.h>
#include <zephyr/sys/util.h>

#include <cipherlane/engines.h>

#include "aes/engines.h"

/** A device of Zephyr's crypto API, and a session on this device. */
struct session {
	const struct device *device;
	struct cipher_ctx ctx;
};

static int session_set_key(const struct cl_engine *engine, struct cl_engine_key *key,
			   const uint8_t *key_bytes, unsigned int key_bits)
{
	struct session *const session = engine->hw;

	ARG_UNUSED(key); /* the device stores the key, not this structure */
	if (!device_is_ready(session->device)) {
		return -ENODEV;
	}
	session->ctx = (struct cipher_ctx){
		.keylen = key_bits / 8,
		.key.bit_stream = (uint8_t *)key_bytes,
		.flags = CAP_RAW_KEY | CAP_SYNC_OPS | CAP_SEPARATE_IO_BUFS,
	};
	/* mode_params.ctr_info.ctr_len stays 0, so the driver uses the whole block as counter. */
	return cipher_begin_session(session->device, &session->ctx, CRYPTO_CIPHER_ALGO_AES,
				    CRYPTO_CIPHER_MODE_CTR, CRYPTO_CIPHER_OP_DECRYPT);
}

static int session_ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
		       const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
		       size_t len)
{
	struct session *const session = engine->hw;
	struct cipher_pkt packet = {
		.in_buf = (uint8_t *)in,
		.in_len = (int)len,
		.out_buf = out,
		.out_buf_max = (int)len,
	};

	ARG_UNUSED(key);
	return cipher_ctr_op(&session->ctx, &packet, (uint8_t *)counter);
}

static void session_clear(const struct cl_engine *engine, struct cl_engine_key *key)
{
	struct session *const session = engine->hw;

	ARG_UNUSED(key);
	(void)cipher_free_session(session->device, &session->ctx);
}

static int asleep_set_key(const struct cl_engine *engine, struct cl_engine_key *key,
			  const uint8_t *key_bytes, unsigned int key_bits)
{
	ARG_UNUSED(engine);
	return cl_zephyr_accelerator.set_key(&cl_zephyr_accelerator, key, key_bytes, key_bits);
}

static int asleep_ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
		      const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
		      size_t len)
{
	ARG_UNUSED(engine);
	return cl_accelerator_ctr_asleep(key, counter, in, out, len);
}

static void asleep_clear(const struct cl_engine *engine, struct cl_engine_key *key)
{
	ARG_UNUSED(engine);
	cl_zephyr_accelerator.clear(&cl_zephyr_accelerator, key);
}

static const struct cl_engine accelerator_asleep = {
	.set_key = asleep_set_key,
	.ctr = asleep_ctr,
	.clear = asleep_clear,
	.anywhere = true,
};

#define SESSION(label, is_anywhere)                                                                \
	{                                                                                          \
		.set_key = session_set_key, .ctr = session_ctr, .clear = session_clear,            \
		.anywhere = is_anywhere,                                                           \
		.hw = &(struct session){.device = DEVICE_DT_GET(DT_NODELABEL(label))},             \
	}

static const struct cl_engine vector_session = SESSION(vector_aes0, false);
static const struct cl_engine accelerator_session = SESSION(ctr_accelerator0, true);

const struct cl_engine *cipher(unsigned int number)
{
	static const struct cl_engine *const ciphers[CIPHERS] = {
		NULL,
		&cl_engine_byte,
		&cl_engine_table,
		&cl_zephyr_ise,
		&cl_zephyr_ise_fused,
		&cl_zephyr_ise_vmem,
		&cl_zephyr_accelerator,
		&accelerator_asleep,
		&vector_session,
		&accelerator_session,
	};

	return ciphers[number];
}
