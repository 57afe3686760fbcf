/* SPDX-License-Identifier: BSD-2-Clause */
#include "crypto_session.h"

#include <errno.h>
#include <string.h>

#include "zeroize.h"

static struct cl_crypto_session sessions[CONFIG_CIPHERLANE_CRYPTO_SESSIONS];

struct cl_crypto_session *cl_crypto_claim(const struct cipher_ctx *ctx)
{
	struct cl_crypto_session *found = NULL;
	const unsigned int key = irq_lock();

	for (size_t i = 0; i < ARRAY_SIZE(sessions) && found == NULL; i++) {
		if (sessions[i].owner == NULL) {
			found = &sessions[i];
			found->owner = ctx;
		}
	}
	irq_unlock(key);
	return found;
}

void cl_crypto_release(struct cl_crypto_session *session)
{
	cl_zeroize(&session->key, sizeof(session->key));
	cl_zeroize(session->counter, sizeof(session->counter));
	session->owner = NULL;
}

struct cl_crypto_session *cl_crypto_session_of(const struct cipher_ctx *ctx)
{
	struct cl_crypto_session *const session = ctx->drv_sessn_state;

	return session != NULL && session->owner == ctx ? session : NULL;
}

int cl_crypto_check_session(const struct cipher_ctx *ctx, enum cipher_algo algo,
			    uint32_t capabilities)
{
	if (algo != CRYPTO_CIPHER_ALGO_AES || (ctx->flags & ~capabilities) != 0) {
		return -ENOTSUP;
	}
	if (ctx->keylen != 16 && ctx->keylen != 24 && ctx->keylen != 32) {
		return -ENOTSUP;
	}
	return ctx->key.bit_stream != NULL ? 0 : -EINVAL;
}

int cl_crypto_output(const struct cipher_ctx *ctx, struct cipher_pkt *pkt, int out_len,
		     uint8_t **out)
{
	if (pkt->in_buf == NULL || pkt->in_len < 0 || out_len < 0) {
		return -EINVAL;
	}
	if ((ctx->flags & CAP_INPLACE_OPS) != 0) {
		*out = pkt->in_buf;
	} else {
		if (pkt->out_buf == NULL || pkt->out_buf_max < out_len) {
			return -EINVAL;
		}
		*out = pkt->out_buf;
	}
	pkt->out_len = out_len;
	return 0;
}

bool cl_crypto_counter_is_valid(const struct cipher_ctx *ctx)
{
	const uint32_t bits = ctx->mode_params.ctr_info.ctr_len;

	return bits % 8 == 0 && bits < 128;
}

bool cl_crypto_counter_suffices(const struct cipher_ctx *ctx, size_t len)
{
	const uint32_t bits = ctx->mode_params.ctr_info.ctr_len;

	return bits == 0 || bits >= 32 || len <= (uint64_t)CL_BLOCK_BYTES << bits;
}

void cl_crypto_counter(const struct cipher_ctx *ctx, const uint8_t *iv, uint8_t counter[16])
{
	memset(counter, 0, 16);
	memcpy(counter, iv, 16 - ctx->mode_params.ctr_info.ctr_len / 8);
}
