/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests AES on data in SDRAM through Zephyr's crypto API, on both devices (vector unit and
 * accelerator). Uses the examples of SP 800-38A, and longer data for which OpenSSL computed the
 * expected result.
 */
#include <string.h>

#include <zephyr/kernel.h>
#include <zephyr/sys/crc.h>
#include <zephyr/ztest.h>

#include <cipherlane/sdram.h>
#include <cipherlane/soc.h>

#include "operations.h"
#include "sp800_38a.h"

#define BYTES      SP800_38A_BYTES
#define LONG_BYTES 9001 /* more bytes than the L2 cache holds */
/*
 * CRC-32 of LONG_BYTES bytes from pattern(), encrypted under the first key and counter block of SP
 * 800-38A, appendix F.5. The Python package `cryptography` computed it.
 */
#define LONG_SUM       0x2e9b1cb7u
#define LONG_PLAIN_SUM 0x6d742bd4u

static const struct device *const vector = DEVICE_DT_GET(DT_NODELABEL(vector_aes0));
static const struct device *const accelerator = DEVICE_DT_GET(DT_NODELABEL(ctr_accelerator0));

static uint8_t sdram_in[BYTES + 32] CL_SDRAM_DATA;
static uint8_t sdram_out[BYTES + 32] CL_SDRAM_DATA;
static uint8_t sram[BYTES + 32] __aligned(16);
static uint8_t buffer[BYTES + 32] CL_SOC_IN_BUFFER;
static uint8_t long_in[LONG_BYTES + 16] CL_SDRAM_DATA;
static uint8_t long_out[LONG_BYTES + 16] CL_SDRAM_DATA;

static void check_all(const struct device *device, enum cipher_mode mode)
{
	for (unsigned int example = 0; example < ARRAY_SIZE(sp800_38a); example++) {
		for (unsigned int offset = 0; offset < 3; offset++) {
			uint8_t *const pairs[][2] = {
				{sdram_in + offset, sdram_out},
				{sdram_in, sdram_out + offset},
				{sdram_out + offset, sdram_out + offset},
				{sram + offset, sdram_out + offset},
				{sdram_in + offset, sram},
				{buffer, sdram_out + offset},
				{sdram_in + offset, buffer},
			};

			for (unsigned int i = 0; i < ARRAY_SIZE(pairs); i++) {
				check_example(device, mode, example, CRYPTO_CIPHER_OP_ENCRYPT,
					      pairs[i][0], pairs[i][1]);
			}
		}
	}
}

ZTEST(sdram, test_ctr_on_the_vector_unit)
{
	check_all(vector, CRYPTO_CIPHER_MODE_CTR);
}

ZTEST(sdram, test_cbc_on_the_vector_unit)
{
	check_all(vector, CRYPTO_CIPHER_MODE_CBC);
}

ZTEST(sdram, test_ctr_on_the_accelerator)
{
	check_all(accelerator, CRYPTO_CIPHER_MODE_CTR);
}

static void fill(uint8_t *data)
{
	for (unsigned int i = 0; i < LONG_BYTES; i++) {
		data[i] = (uint8_t)(i * 7 + (i >> 8));
	}
	zassert_equal(crc32_ieee(data, LONG_BYTES), LONG_PLAIN_SUM, "the pattern");
}

static void check_long(const struct device *device, unsigned int offset)
{
	struct operation operation = {
		.device = device,
		.mode = CRYPTO_CIPHER_MODE_CTR,
		.op = CRYPTO_CIPHER_OP_ENCRYPT,
		.key = sp800_38a[0].key,
		.key_bytes = sp800_38a[0].key_bytes,
		.flags = SEPARATE,
		.iv = sp800_38a_counter,
		.in = long_in + offset,
		.in_len = LONG_BYTES,
		.out = long_out,
		.out_max = LONG_BYTES,
	};

	fill(operation.in);
	zassert_equal(carry_out(&operation), LONG_BYTES, "the operation");
	zassert_equal(crc32_ieee(long_out, LONG_BYTES), LONG_SUM, "the result");
	operation.op = CRYPTO_CIPHER_OP_DECRYPT;
	operation.flags = INPLACE;
	operation.in = long_out;
	operation.out = NULL;
	zassert_equal(carry_out(&operation), LONG_BYTES, "the operation");
	zassert_equal(crc32_ieee(long_out, LONG_BYTES), LONG_PLAIN_SUM, "decrypted");
}

ZTEST(sdram, test_many_blocks)
{
	check_long(vector, 0);
	check_long(vector, 1);
	check_long(accelerator, 0);
	check_long(accelerator, 1);
}

static K_SEM_DEFINE(ended, 0, 1);
static int end_status;

static void on_end(struct cipher_pkt *pkt, int status)
{
	ARG_UNUSED(pkt);
	end_status = status;
	k_sem_give(&ended);
}

ZTEST(sdram, test_in_the_background)
{
	struct operation operation = {
		.key = sp800_38a[0].key,
		.key_bytes = sp800_38a[0].key_bytes,
		.flags = SEPARATE,
	};
	struct cipher_pkt pkt = {
		.in_buf = long_in,
		.in_len = LONG_BYTES,
		.out_buf = long_out,
		.out_buf_max = LONG_BYTES,
	};
	struct cipher_ctx ctx;
	uint8_t iv[16];

	memcpy(iv, sp800_38a_counter, sizeof(iv));
	fill(long_in);
	zassert_equal(cipher_callback_set(accelerator, on_end), 0, "callback");
	prepare(&ctx, &operation, CAP_ASYNC_OPS);
	zassert_equal(cipher_begin_session(accelerator, &ctx, CRYPTO_CIPHER_ALGO_AES,
					   CRYPTO_CIPHER_MODE_CTR, CRYPTO_CIPHER_OP_ENCRYPT),
		      0, "session");
	zassert_equal(cipher_ctr_op(&ctx, &pkt, iv), 0, "begin");
	zassert_equal(k_sem_take(&ended, K_SECONDS(5)), 0, "no end");
	zassert_equal(end_status, 0, "status %d", end_status);
	zassert_equal(crc32_ieee(long_out, LONG_BYTES), LONG_SUM, "the result");
	zassert_equal(cipher_free_session(accelerator, &ctx), 0, "free");
}
