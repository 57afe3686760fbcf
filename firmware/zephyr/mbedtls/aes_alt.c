/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements mbedTLS's AES functions with the vector AES unit. mbedTLS builds CCM and CMAC from
 * calls that encrypt one ECB block. Each mbedTLS context is independent of the others. So any
 * number of threads and multi-part operations can run at the same time.
 */
#include <string.h>

#include <mbedtls/aes.h>
#include <mbedtls/error.h>
#include <mbedtls/platform_util.h>

#include <cipherlane/engines.h>

#include "vector/engine_ise.h"
#include "vector_modes.h"
#include "zeroize.h"

void mbedtls_aes_init(mbedtls_aes_context *ctx)
{
	*ctx = (mbedtls_aes_context){0};
}

void mbedtls_aes_free(mbedtls_aes_context *ctx)
{
	if (ctx != NULL) {
		cl_vector_clear(&ctx->key);
	}
}

static int set_key(mbedtls_aes_context *ctx, const unsigned char *key, unsigned int key_bits,
		   bool decrypt)
{
	cl_vector_clear(&ctx->key);
	return cl_vector_set_key(&ctx->key, key, key_bits, decrypt) == 0
		       ? 0
		       : MBEDTLS_ERR_AES_INVALID_KEY_LENGTH;
}

int mbedtls_aes_setkey_enc(mbedtls_aes_context *ctx, const unsigned char *key, unsigned int keybits)
{
	return set_key(ctx, key, keybits, false);
}

int mbedtls_aes_setkey_dec(mbedtls_aes_context *ctx, const unsigned char *key, unsigned int keybits)
{
	return set_key(ctx, key, keybits, true);
}

/**
 * Returns true if the context contains a key for the direction @p mode: encryption or decryption.
 */
static bool is_ready(const mbedtls_aes_context *ctx, int mode)
{
	const bool inverse = ctx->key.engine_word[0] == CL_ISE_INVERSE;

	return ctx->key.key_bits != 0 &&
	       mode == (inverse ? MBEDTLS_AES_DECRYPT : MBEDTLS_AES_ENCRYPT);
}

int mbedtls_aes_crypt_ecb(mbedtls_aes_context *ctx, int mode,
			  const unsigned char input[CL_BLOCK_BYTES],
			  unsigned char output[CL_BLOCK_BYTES])
{
	return is_ready(ctx, mode) && cl_vector_block(&ctx->key, input, output) == 0
		       ? 0
		       : MBEDTLS_ERR_AES_BAD_INPUT_DATA;
}

#if defined(MBEDTLS_CIPHER_MODE_CBC)
int mbedtls_aes_crypt_cbc(mbedtls_aes_context *ctx, int mode, size_t length,
			  unsigned char iv[CL_BLOCK_BYTES], const unsigned char *input,
			  unsigned char *output)
{
	uint32_t chain[4];

	if (!is_ready(ctx, mode)) {
		return MBEDTLS_ERR_AES_BAD_INPUT_DATA;
	}
	if (length % CL_BLOCK_BYTES != 0) {
		return MBEDTLS_ERR_AES_INVALID_INPUT_LENGTH;
	}
	cl_modes_run *const run =
		cl_modes_ise_vmem.cbc[mode == MBEDTLS_AES_DECRYPT][CL_MODES_KEY(ctx->key.key_bits)];

	memcpy(chain, iv, sizeof(chain));
	const int status =
		cl_vector_run(run, &ctx->key, chain, input, output, length / CL_BLOCK_BYTES);

	memcpy(iv, chain, sizeof(chain));
	return status == 0 ? 0 : MBEDTLS_ERR_PLATFORM_HW_ACCEL_FAILED;
}
#endif

#if defined(MBEDTLS_CIPHER_MODE_CTR)
/** Adds a number of blocks to a big-endian counter of 128 bits. */
static void add(unsigned char counter[CL_BLOCK_BYTES], size_t blocks)
{
	uint64_t sum = blocks;

	for (int i = CL_BLOCK_BYTES - 1; i >= 0; i--) {
		sum += counter[i];
		counter[i] = (unsigned char)sum;
		sum >>= 8;
	}
}

int mbedtls_aes_crypt_ctr(mbedtls_aes_context *ctx, size_t length, size_t *nc_off,
			  unsigned char nonce_counter[CL_BLOCK_BYTES],
			  unsigned char stream_block[CL_BLOCK_BYTES], const unsigned char *input,
			  unsigned char *output)
{
	static const uint8_t zeros[CL_BLOCK_BYTES];
	const struct cl_engine *const engine = &cl_zephyr_ise_vmem;

	if (*nc_off >= CL_BLOCK_BYTES || ctx->key.key_bits == 0) {
		return MBEDTLS_ERR_AES_BAD_INPUT_DATA;
	}
	for (; length > 0 && *nc_off != 0; length--) {
		*output++ = *input++ ^ stream_block[*nc_off];
		*nc_off = (*nc_off + 1) % CL_BLOCK_BYTES;
	}
	const size_t whole = length - length % CL_BLOCK_BYTES;

	if (whole != 0) {
		if (engine->ctr(engine, &ctx->key, nonce_counter, input, output, whole) != 0) {
			return MBEDTLS_ERR_PLATFORM_HW_ACCEL_FAILED;
		}
		add(nonce_counter, whole / CL_BLOCK_BYTES);
	}
	if (length != whole) {
		if (engine->ctr(engine, &ctx->key, nonce_counter, zeros, stream_block,
				CL_BLOCK_BYTES) != 0) {
			return MBEDTLS_ERR_PLATFORM_HW_ACCEL_FAILED;
		}
		add(nonce_counter, 1);
		for (size_t i = whole; i < length; i++) {
			output[i] = input[i] ^ stream_block[(*nc_off)++];
		}
	}
	return 0;
}
#endif

#if defined(MBEDTLS_CIPHER_MODE_CFB)
int mbedtls_aes_crypt_cfb128(mbedtls_aes_context *ctx, int mode, size_t length, size_t *iv_off,
			     unsigned char iv[CL_BLOCK_BYTES], const unsigned char *input,
			     unsigned char *output)
{
	if (*iv_off >= CL_BLOCK_BYTES) {
		return MBEDTLS_ERR_AES_BAD_INPUT_DATA;
	}
	for (size_t i = 0; i < length; i++) {
		if (*iv_off == 0) {
			const int status = mbedtls_aes_crypt_ecb(ctx, MBEDTLS_AES_ENCRYPT, iv, iv);

			if (status != 0) {
				return status;
			}
		}
		const unsigned char in = input[i];

		output[i] = in ^ iv[*iv_off];
		iv[*iv_off] = mode == MBEDTLS_AES_DECRYPT ? in : output[i];
		*iv_off = (*iv_off + 1) % CL_BLOCK_BYTES;
	}
	return 0;
}

int mbedtls_aes_crypt_cfb8(mbedtls_aes_context *ctx, int mode, size_t length,
			   unsigned char iv[CL_BLOCK_BYTES], const unsigned char *input,
			   unsigned char *output)
{
	unsigned char stream[CL_BLOCK_BYTES];

	for (size_t i = 0; i < length; i++) {
		const int status = mbedtls_aes_crypt_ecb(ctx, MBEDTLS_AES_ENCRYPT, iv, stream);

		if (status != 0) {
			return status;
		}
		const unsigned char in = input[i];

		output[i] = in ^ stream[0];
		memmove(iv, iv + 1, CL_BLOCK_BYTES - 1);
		iv[CL_BLOCK_BYTES - 1] = mode == MBEDTLS_AES_DECRYPT ? in : output[i];
	}
	cl_zeroize(stream, sizeof(stream));
	return 0;
}
#endif

#if defined(MBEDTLS_CIPHER_MODE_OFB)
int mbedtls_aes_crypt_ofb(mbedtls_aes_context *ctx, size_t length, size_t *iv_off,
			  unsigned char iv[CL_BLOCK_BYTES], const unsigned char *input,
			  unsigned char *output)
{
	if (*iv_off >= CL_BLOCK_BYTES) {
		return MBEDTLS_ERR_AES_BAD_INPUT_DATA;
	}
	for (size_t i = 0; i < length; i++) {
		if (*iv_off == 0) {
			const int status = mbedtls_aes_crypt_ecb(ctx, MBEDTLS_AES_ENCRYPT, iv, iv);

			if (status != 0) {
				return status;
			}
		}
		output[i] = input[i] ^ iv[*iv_off];
		*iv_off = (*iv_off + 1) % CL_BLOCK_BYTES;
	}
	return 0;
}
#endif
