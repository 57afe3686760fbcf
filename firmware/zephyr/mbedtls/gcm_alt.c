/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements mbedTLS's GCM functions (SP 800-38D) with the vector AES unit. With a nonce of 96
 * bits, mbedtls_gcm_crypt_and_tag encrypts and hashes a message at the same time. All other
 * operations, including decryption, process the text twice: once in CTR mode, and once for GHASH.
 * mbedtls_gcm_auth_decrypt verifies the tag before it writes any plaintext.
 */
#include <errno.h>
#include <string.h>

#include <mbedtls/gcm.h>

#if defined(MBEDTLS_GCM_C)

#include <mbedtls/error.h>
#include <zephyr/sys/byteorder.h>
#include <zephyr/sys/util.h>

#include <cipherlane/engines.h>

#include "vector_modes.h"
#include "zeroize.h"

#define TAG_BYTES_MIN 4u
/** Maximum number of text bytes in a message: 2^32 - 2 blocks (SP 800-38D, 5.2.1.1). */
#define TEXT_BYTES_MAX 0xfffffffe0u

void mbedtls_gcm_init(mbedtls_gcm_context *ctx)
{
	*ctx = (mbedtls_gcm_context){0};
}

void mbedtls_gcm_free(mbedtls_gcm_context *ctx)
{
	if (ctx != NULL) {
		cl_vector_clear(&ctx->key);
		cl_zeroize(ctx, sizeof(*ctx));
	}
}

int mbedtls_gcm_setkey(mbedtls_gcm_context *ctx, mbedtls_cipher_id_t cipher,
		       const unsigned char *key, unsigned int keybits)
{
	cl_vector_clear(&ctx->key);
	if (cipher != MBEDTLS_CIPHER_ID_AES) {
		return MBEDTLS_ERR_PLATFORM_FEATURE_UNSUPPORTED;
	}
	return cl_vector_set_key(&ctx->key, key, keybits, false) == 0 ? 0
								      : MBEDTLS_ERR_GCM_BAD_INPUT;
}

/** Converts the status of a Cipherlane function (0 or -errno) to a status of mbedTLS. */
static int translated(int status)
{
	return status == 0         ? 0
	       : status == -EINVAL ? MBEDTLS_ERR_GCM_BAD_INPUT
				   : MBEDTLS_ERR_PLATFORM_HW_ACCEL_FAILED;
}

/**
 * Hashes the next @p len bytes of the additional data or of the text. `*count` is the number of
 * bytes that were hashed before: ctx->aad_len or ctx->len. The function adds @p len to `*count`.
 */
static int hash(mbedtls_gcm_context *ctx, uint64_t *count, const uint8_t *data, size_t len)
{
	const size_t held = (size_t)(*count % CL_BLOCK_BYTES);

	*count += len;
	if (held != 0) {
		const size_t part = MIN(len, CL_BLOCK_BYTES - held);

		memcpy(ctx->partial + held, data, part);
		if (held + part < CL_BLOCK_BYTES) {
			return 0;
		}
		const int status =
			cl_vector_ghash(&ctx->key, ctx->hash, ctx->partial, CL_BLOCK_BYTES);

		if (status != 0) {
			return translated(status);
		}
		data += part;
		len -= part;
	}
	const size_t whole = len - len % CL_BLOCK_BYTES;

	memcpy(ctx->partial, data + whole, len - whole);
	return whole == 0 ? 0 : translated(cl_vector_ghash(&ctx->key, ctx->hash, data, whole));
}

/** Hashes the partial block at the end of the additional data or of the text, if there is one. */
static int end_part(mbedtls_gcm_context *ctx, uint64_t count)
{
	return count % CL_BLOCK_BYTES == 0
		       ? 0
		       : translated(cl_vector_ghash(&ctx->key, ctx->hash, ctx->partial,
						    (size_t)(count % CL_BLOCK_BYTES)));
}

/** Encrypts or decrypts @p len bytes of the text, which begin at offset @p at in the text. */
static int crypt(mbedtls_gcm_context *ctx, uint64_t at, const uint8_t *in, uint8_t *out, size_t len)
{
	static const uint8_t zeros[CL_BLOCK_BYTES];
	const struct cl_engine *const engine = &cl_zephyr_ise_vmem;

	while (len > 0) {
		const size_t used = (size_t)(at % CL_BLOCK_BYTES);
		size_t part = len - len % CL_BLOCK_BYTES;
		uint8_t counter[CL_BLOCK_BYTES];

		memcpy(counter, ctx->first_counter, sizeof(counter));
		/*
		 * GCM increments only the last 32 bits of the counter block (SP 800-38D, 6.2), but
		 * the engine increments all 128 bits. So where the 32 bits overflow, one call of
		 * the engine ends and another call begins.
		 */
		const uint32_t number =
			sys_get_be32(counter + 12) + 1 + (uint32_t)(at / CL_BLOCK_BYTES);
		const uint64_t room = (UINT64_C(1) << 32) - number;

		sys_put_be32(number, counter + 12);
		if (used == 0 && part != 0) {
			part = (size_t)MIN((uint64_t)part, room * CL_BLOCK_BYTES);
			const int status = engine->ctr(engine, &ctx->key, counter, in, out, part);

			if (status != 0) {
				return translated(status);
			}
		} else {
			if (used == 0) {
				const int status =
					engine->ctr(engine, &ctx->key, counter, zeros,
						    ctx->keystream, sizeof(ctx->keystream));

				if (status != 0) {
					return translated(status);
				}
			}
			part = MIN(len, CL_BLOCK_BYTES - used);
			for (size_t i = 0; i < part; i++) {
				out[i] = in[i] ^ ctx->keystream[used + i];
			}
		}
		at += part;
		in += part;
		out += part;
		len -= part;
	}
	return 0;
}

/** Completes the GHASH value of the message, and computes the tag from it. */
static int make_tag(mbedtls_gcm_context *ctx, uint8_t tag[CL_BLOCK_BYTES])
{
	const struct cl_engine *const engine = &cl_zephyr_ise_vmem;
	uint8_t lengths[CL_BLOCK_BYTES];
	/* Without text, the last partial block contains additional data. */
	int status = end_part(ctx, ctx->len == 0 ? ctx->aad_len : ctx->len);

	sys_put_be64(ctx->aad_len * 8, lengths);
	sys_put_be64(ctx->len * 8, lengths + 8);
	if (status == 0) {
		status =
			translated(cl_vector_ghash(&ctx->key, ctx->hash, lengths, sizeof(lengths)));
	}
	if (status == 0) {
		status = translated(engine->ctr(engine, &ctx->key, ctx->first_counter, ctx->hash,
						tag, CL_BLOCK_BYTES));
	}
	return status;
}

int mbedtls_gcm_starts(mbedtls_gcm_context *ctx, int mode, const unsigned char *iv, size_t iv_len)
{
	uint8_t lengths[CL_BLOCK_BYTES] = {0};
	int status = 0;

	if (iv_len == 0 || (mode != MBEDTLS_GCM_ENCRYPT && mode != MBEDTLS_GCM_DECRYPT) ||
	    ctx->key.key_bits == 0) {
		return MBEDTLS_ERR_GCM_BAD_INPUT;
	}
	ctx->mode = mode;
	ctx->aad_len = 0;
	ctx->len = 0;
	memset(ctx->hash, 0, sizeof(ctx->hash));
	memset(ctx->first_counter, 0, sizeof(ctx->first_counter));
	if (iv_len == CL_GCM_NONCE_BYTES) {
		memcpy(ctx->first_counter, iv, iv_len);
		ctx->first_counter[CL_BLOCK_BYTES - 1] = 1;
		return 0;
	}
	sys_put_be64((uint64_t)iv_len * 8, lengths + 8);
	status = cl_vector_ghash(&ctx->key, ctx->first_counter, iv, iv_len);
	if (status == 0) {
		status = cl_vector_ghash(&ctx->key, ctx->first_counter, lengths, sizeof(lengths));
	}
	return translated(status);
}

int mbedtls_gcm_update_ad(mbedtls_gcm_context *ctx, const unsigned char *add, size_t add_len)
{
	if (ctx->len != 0) {
		return MBEDTLS_ERR_GCM_BAD_INPUT;
	}
	return add_len == 0 ? 0 : hash(ctx, &ctx->aad_len, add, add_len);
}

int mbedtls_gcm_update(mbedtls_gcm_context *ctx, const unsigned char *input, size_t input_length,
		       unsigned char *output, size_t output_size, size_t *output_length)
{
	const uint64_t at = ctx->len;
	int status = 0;

	if (output_size < input_length) {
		return MBEDTLS_ERR_GCM_BUFFER_TOO_SMALL;
	}
	*output_length = input_length;
	if (input_length == 0) {
		return 0;
	}
	if ((output > input && (size_t)(output - input) < input_length) ||
	    input_length > TEXT_BYTES_MAX - at) {
		return MBEDTLS_ERR_GCM_BAD_INPUT;
	}
	if (at == 0) {
		status = end_part(ctx, ctx->aad_len);
	}
	if (status == 0 && ctx->mode == MBEDTLS_GCM_DECRYPT) {
		status = hash(ctx, &ctx->len, input, input_length);
	}
	if (status == 0) {
		status = crypt(ctx, at, input, output, input_length);
	}
	if (status == 0 && ctx->mode == MBEDTLS_GCM_ENCRYPT) {
		status = hash(ctx, &ctx->len, output, input_length);
	}
	return status;
}

int mbedtls_gcm_finish(mbedtls_gcm_context *ctx, unsigned char *output, size_t output_size,
		       size_t *output_length, unsigned char *tag, size_t tag_len)
{
	uint8_t whole[CL_BLOCK_BYTES];

	ARG_UNUSED(output);
	ARG_UNUSED(output_size);
	*output_length = 0;
	if (tag_len < TAG_BYTES_MIN || tag_len > sizeof(whole)) {
		return MBEDTLS_ERR_GCM_BAD_INPUT;
	}
	const int status = make_tag(ctx, whole);

	if (status == 0) {
		memcpy(tag, whole, tag_len);
	}
	cl_zeroize(whole, sizeof(whole));
	return status;
}

int mbedtls_gcm_crypt_and_tag(mbedtls_gcm_context *ctx, int mode, size_t length,
			      const unsigned char *iv, size_t iv_len, const unsigned char *add,
			      size_t add_len, const unsigned char *input, unsigned char *output,
			      size_t tag_len, unsigned char *tag)
{
	const struct cl_engine *const engine = &cl_zephyr_ise_vmem;
	uint8_t whole[CL_BLOCK_BYTES];
	int status;

	if (mode == MBEDTLS_GCM_ENCRYPT && iv_len == CL_GCM_NONCE_BYTES &&
	    tag_len >= TAG_BYTES_MIN && tag_len <= sizeof(whole)) {
		const struct cl_gcm_message message = {
			.nonce = iv,
			.aad = add,
			.aad_len = add_len,
			.in = input,
			.out = output,
			.len = length,
			.tag = whole,
		};

		status = translated(engine->gcm(engine, &ctx->key, &message));
		if (status == 0) {
			memcpy(tag, whole, tag_len);
		}
		return status;
	}
	status = mbedtls_gcm_starts(ctx, mode, iv, iv_len);
	if (status == 0) {
		status = mbedtls_gcm_update_ad(ctx, add, add_len);
	}
	if (status == 0) {
		status = mbedtls_gcm_update(ctx, input, length, output, length, &length);
	}
	return status != 0 ? status : mbedtls_gcm_finish(ctx, NULL, 0, &length, tag, tag_len);
}

int mbedtls_gcm_auth_decrypt(mbedtls_gcm_context *ctx, size_t length, const unsigned char *iv,
			     size_t iv_len, const unsigned char *add, size_t add_len,
			     const unsigned char *tag, size_t tag_len, const unsigned char *input,
			     unsigned char *output)
{
	uint8_t whole[CL_BLOCK_BYTES];
	uint8_t difference = 0;

	if (tag_len < TAG_BYTES_MIN || tag_len > sizeof(whole)) {
		return MBEDTLS_ERR_GCM_BAD_INPUT;
	}
	int status = mbedtls_gcm_starts(ctx, MBEDTLS_GCM_DECRYPT, iv, iv_len);

	if (status == 0) {
		status = mbedtls_gcm_update_ad(ctx, add, add_len);
	}
	if (status == 0 && length != 0) {
		status = end_part(ctx, ctx->aad_len);
	}
	if (status == 0) {
		status = hash(ctx, &ctx->len, input, length);
	}
	if (status == 0) {
		status = make_tag(ctx, whole);
	}
	if (status != 0) {
		return status;
	}
	for (size_t i = 0; i < tag_len; i++) {
		difference |= whole[i] ^ tag[i];
	}
	cl_zeroize(whole, sizeof(whole));
	return difference != 0 ? MBEDTLS_ERR_GCM_AUTH_FAILED : crypt(ctx, 0, input, output, length);
}

#endif
