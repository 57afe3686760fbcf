/* SPDX-License-Identifier: BSD-2-Clause */
#include "operations.h"

#include <string.h>

#include <zephyr/ztest.h>

#include "sp800_38a.h"

#define BEHIND 0xee

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

/** Reads the data, so that the CPU's data cache contains the old data when the operation begins. */
static void read_all(const volatile uint8_t *data, int bytes)
{
	for (int i = 0; i < bytes; i++) {
		(void)data[i];
	}
}

void check_example(const struct device *device, enum cipher_mode mode, unsigned int example,
		   enum cipher_op op, uint8_t *in, uint8_t *out)
{
	const uint8_t *const cipher = mode == CRYPTO_CIPHER_MODE_ECB   ? sp800_38a[example].ecb
				      : mode == CRYPTO_CIPHER_MODE_CBC ? sp800_38a[example].cbc
								       : sp800_38a[example].ctr;
	const bool decrypt = op == CRYPTO_CIPHER_OP_DECRYPT;
	const uint8_t *const from = decrypt ? cipher : sp800_38a_plaintext;
	const uint8_t *const to = decrypt ? sp800_38a_plaintext : cipher;
	const bool in_place = in == out;
	/* In Zephyr's crypto API, an ECB call processes exactly one block. */
	const int step = mode == CRYPTO_CIPHER_MODE_ECB ? 16 : SP800_38A_BYTES;

	for (int first = 0; first < SP800_38A_BYTES; first += step) {
		const struct operation operation = {
			.device = device,
			.mode = mode,
			.op = op,
			.key = sp800_38a[example].key,
			.key_bytes = sp800_38a[example].key_bytes,
			.flags = in_place ? INPLACE : SEPARATE,
			.iv = mode == CRYPTO_CIPHER_MODE_CBC ? sp800_38a_iv : sp800_38a_counter,
			.in = in,
			.in_len = step,
			.out = in_place ? NULL : out,
			.out_max = in_place ? 0 : step,
		};

		memset(out, BEHIND, step + 1);
		read_all(out, step + 1);
		memcpy(in, from + first, step);
		const int done = carry_out(&operation);

		zassert_equal(done, step, "mode %d, example %u: %d", mode, example, done);
		zassert_mem_equal(out, to + first, step,
				  "mode %d, example %u, op %d, from %p to %p", mode, example, op,
				  in, out);
		zassert_equal(out[step], BEHIND, "written behind the end");
		if (!in_place) {
			zassert_mem_equal(in, from + first, step, "the input");
		}
	}
}
