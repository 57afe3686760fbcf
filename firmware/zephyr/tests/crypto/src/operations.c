#include "operations.h"

#include <string.h>

void prepare(struct cipher_ctx *ctx, const struct operation *operation, uint16_t more_flags)
{
	memset(ctx, 0, sizeof(*ctx));
	ctx->keylen = operation->key_bytes;
	ctx->key.bit_stream = (uint8_t *)operation->key;
	ctx->flags = CAP_RAW_KEY | operation->flags | more_flags;
	ctx->mode_params.ctr_info.ctr_len = operation->ctr_len;
}

int carry_out(const struct operation *operation)
{
	uint8_t iv[16] = {0};
	struct cipher_ctx ctx;
	struct cipher_pkt pkt = {
		.in_buf = operation->in,
		.in_len = operation->in_len,
		.out_buf = operation->out,
		.out_buf_max = operation->out_max,
	};

	if (operation->iv != NULL) {
		memcpy(iv, operation->iv, 16 - operation->ctr_len / 8);
	}
	prepare(&ctx, operation, CAP_SYNC_OPS);
	int result = cipher_begin_session(operation->device, &ctx, CRYPTO_CIPHER_ALGO_AES,
					  operation->mode, operation->op);

	if (result != 0) {
		return result;
	}
	switch (operation->mode) {
	case CRYPTO_CIPHER_MODE_ECB:
		result = cipher_block_op(&ctx, &pkt);
		break;
	case CRYPTO_CIPHER_MODE_CBC:
		result = cipher_cbc_op(&ctx, &pkt, iv);
		break;
	default:
		result = cipher_ctr_op(&ctx, &pkt, iv);
		break;
	}
	const int freed = cipher_free_session(operation->device, &ctx);

	return result != 0 ? result : freed != 0 ? freed : pkt.out_len;
}
