/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests Zephyr's crypto API on both devices (vector unit and accelerator). Runs the examples of SP
 * 800-38A in place and with separate buffers, at any alignment. Also tests sessions, operations in
 * the background, and calls that a driver must refuse.
 */
#include <string.h>

#include <zephyr/drivers/entropy.h>
#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#include <cipherlane/random.h>
#include <cipherlane/soc.h>

#include "operations.h"
#include "sp800_38a.h"

#define BYTES     SP800_38A_BYTES
#define BIG_BYTES 32768

static const struct device *const vector = DEVICE_DT_GET(DT_NODELABEL(vector_aes0));
static const struct device *const accelerator = DEVICE_DT_GET(DT_NODELABEL(ctr_accelerator0));

static uint8_t input[BYTES + 32] __aligned(16);
static uint8_t output[BYTES + 32] __aligned(16);
static uint8_t big[BIG_BYTES] CL_SOC_IN_BUFFER;

static void check_all(const struct device *device, enum cipher_mode mode)
{
	for (unsigned int example = 0; example < ARRAY_SIZE(sp800_38a); example++) {
		for (unsigned int offset = 0; offset < 2; offset++) {
			check_example(device, mode, example, CRYPTO_CIPHER_OP_ENCRYPT,
				      input + offset, output + offset);
			check_example(device, mode, example, CRYPTO_CIPHER_OP_DECRYPT,
				      input + offset, input + offset);
		}
	}
}

ZTEST(crypto, test_vector_ecb)
{
	check_all(vector, CRYPTO_CIPHER_MODE_ECB);
}

ZTEST(crypto, test_vector_cbc)
{
	check_all(vector, CRYPTO_CIPHER_MODE_CBC);
}

ZTEST(crypto, test_vector_ctr)
{
	check_all(vector, CRYPTO_CIPHER_MODE_CTR);
}

ZTEST(crypto, test_accelerator_ctr)
{
	check_all(accelerator, CRYPTO_CIPHER_MODE_CTR);
}

/** By default, Zephyr's crypto API puts the IV in front of the ciphertext in CBC mode. */
ZTEST(crypto, test_cbc_with_iv_in_front)
{
	struct operation operation = {
		.device = vector,
		.mode = CRYPTO_CIPHER_MODE_CBC,
		.op = CRYPTO_CIPHER_OP_ENCRYPT,
		.key = sp800_38a[0].key,
		.key_bytes = sp800_38a[0].key_bytes,
		.flags = CAP_SEPARATE_IO_BUFS,
		.iv = sp800_38a_iv,
		.in = input,
		.in_len = BYTES,
		.out = output,
		.out_max = BYTES + 16,
	};

	memcpy(input, sp800_38a_plaintext, BYTES);
	zassert_equal(carry_out(&operation), BYTES + 16, "length");
	zassert_mem_equal(output, sp800_38a_iv, 16, "IV");
	zassert_mem_equal(output + 16, sp800_38a[0].cbc, BYTES, "ciphertext");

	operation.op = CRYPTO_CIPHER_OP_DECRYPT;
	operation.in = output;
	operation.in_len = BYTES + 16;
	operation.out = input;
	operation.out_max = BYTES;
	memset(input, 0, sizeof(input));
	zassert_equal(carry_out(&operation), BYTES, "length");
	zassert_mem_equal(input, sp800_38a_plaintext, BYTES, "plaintext");
}

/**
 * With ctr_len = 32, the counter block is an IV of 12 bytes, followed by a counter of 32 bits that
 * starts at zero.
 */
ZTEST(crypto, test_split_counter)
{
	static const uint8_t iv[16] = {0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8};
	const struct device *const devices[] = {vector, accelerator};
	uint8_t whole[BYTES];

	for (unsigned int i = 0; i < ARRAY_SIZE(devices); i++) {
		struct operation operation = {
			.device = devices[i],
			.mode = CRYPTO_CIPHER_MODE_CTR,
			.op = CRYPTO_CIPHER_OP_ENCRYPT,
			.key = sp800_38a[0].key,
			.key_bytes = sp800_38a[0].key_bytes,
			.flags = SEPARATE,
			.iv = iv,
			.in = input,
			.in_len = BYTES,
			.out = whole,
			.out_max = BYTES,
		};

		zassert_equal(carry_out(&operation), BYTES, "whole block");
		operation.ctr_len = 32;
		operation.out = output;
		zassert_equal(carry_out(&operation), BYTES, "split");
		zassert_mem_equal(output, whole, BYTES, "device %u", i);
	}
}

/**
 * With a counter of 8 bits, a driver must refuse more than 256 blocks. Block 257 would use a
 * counter block of the next nonce.
 */
ZTEST(crypto, test_counter_stays_out_of_the_nonce)
{
	static const uint8_t nonce[15] = {1, 2, 3};
	const struct device *const devices[] = {vector, accelerator};

	for (unsigned int i = 0; i < ARRAY_SIZE(devices); i++) {
		struct operation operation = {
			.device = devices[i],
			.mode = CRYPTO_CIPHER_MODE_CTR,
			.op = CRYPTO_CIPHER_OP_ENCRYPT,
			.key = sp800_38a[0].key,
			.key_bytes = 16,
			.ctr_len = 8,
			.flags = INPLACE,
			.iv = nonce,
			.in = big,
			.in_len = 256 * 16,
		};

		zassert_equal(carry_out(&operation), 256 * 16, "all blocks");
		operation.in_len++;
		zassert_equal(carry_out(&operation), -EINVAL, "a byte more");
		operation.ctr_len = 16;
		zassert_equal(carry_out(&operation), 256 * 16 + 1, "a longer counter");
	}
}

ZTEST(crypto, test_sessions_run_out_and_come_back)
{
	static struct cipher_ctx ctx[CONFIG_CIPHERLANE_CRYPTO_SESSIONS + 1];
	const struct operation operation = {
		.key = sp800_38a[0].key,
		.key_bytes = 16,
		.flags = SEPARATE,
	};

	for (unsigned int i = 0; i <= CONFIG_CIPHERLANE_CRYPTO_SESSIONS; i++) {
		const struct device *const device = i % 2 == 0 ? vector : accelerator;
		const int expected = i < CONFIG_CIPHERLANE_CRYPTO_SESSIONS ? 0 : -ENOSPC;

		prepare(&ctx[i], &operation, CAP_SYNC_OPS);
		zassert_equal(cipher_begin_session(device, &ctx[i], CRYPTO_CIPHER_ALGO_AES,
						   CRYPTO_CIPHER_MODE_CTR,
						   CRYPTO_CIPHER_OP_ENCRYPT),
			      expected, "session %u", i);
	}
	for (unsigned int i = 0; i < CONFIG_CIPHERLANE_CRYPTO_SESSIONS; i++) {
		zassert_equal(cipher_free_session(ctx[i].device, &ctx[i]), 0, "session %u", i);
		zassert_equal(cipher_free_session(ctx[i].device, &ctx[i]), -EINVAL, "twice");
	}
}

/**
 * Copies the operation @p good, and sets @p field of the copy to @p value. Checks that the copy
 * fails with error @p status.
 */
#define REFUSED(status, good, field, value)                                                        \
	do {                                                                                       \
		struct operation bad = good;                                                       \
                                                                                                   \
		bad.field = value;                                                                 \
		zassert_equal(carry_out(&bad), status, #field " of " #value);                      \
	} while (0)

ZTEST(crypto, test_refusals)
{
	const struct operation good = {
		.device = vector,
		.mode = CRYPTO_CIPHER_MODE_CBC,
		.op = CRYPTO_CIPHER_OP_ENCRYPT,
		.key = sp800_38a[0].key,
		.key_bytes = 16,
		.flags = SEPARATE,
		.iv = sp800_38a_iv,
		.in = input,
		.in_len = 32,
		.out = output,
		.out_max = 32,
	};

	struct operation good_ctr = good;

	good_ctr.mode = CRYPTO_CIPHER_MODE_CTR;
	zassert_equal(carry_out(&good), 32, "the good one");
	zassert_equal(carry_out(&good_ctr), 32, "the good one in CTR");
	REFUSED(-ENOTSUP, good, key_bytes, 20);
	REFUSED(-EINVAL, good, in_len, 31);
	REFUSED(-EINVAL, good, out_max, 31);
	REFUSED(-EINVAL, good, key, NULL);
	REFUSED(-EINVAL, good, flags, CAP_INPLACE_OPS);       /* IV included */
	REFUSED(-EINVAL, good, mode, CRYPTO_CIPHER_MODE_ECB); /* two blocks */
	REFUSED(-ENOTSUP, good, mode, CRYPTO_CIPHER_MODE_GCM);
	REFUSED(-ENOTSUP, good, device, accelerator); /* CBC */
	/* The length of a counter must be a whole number of bytes. */
	REFUSED(-EINVAL, good_ctr, ctr_len, 12);
}

static K_SEM_DEFINE(ended, 0, 2);
static struct cipher_pkt *ended_pkt[2];
static int ended_status[2];
static unsigned int ended_count;

static void on_end(struct cipher_pkt *pkt, int status)
{
	ended_pkt[ended_count] = pkt;
	ended_status[ended_count++] = status;
	k_sem_give(&ended);
}

ZTEST(crypto, test_in_the_background)
{
	/* The DMA can access the first result buffer (`reached`), but not the second (`output`). */
	static uint8_t reached[BYTES] CL_SOC_IN_BUFFER;
	static uint8_t data[BYTES] CL_SOC_IN_BUFFER;
	static uint8_t *const results[2] = {reached, output};
	struct cipher_ctx ctx[2];
	struct cipher_pkt pkt[2];
	uint8_t counter[16];
	const struct operation first = {
		.key = sp800_38a[0].key,
		.key_bytes = sp800_38a[0].key_bytes,
		.flags = SEPARATE,
	};

	memcpy(data, sp800_38a_plaintext, BYTES);
	memcpy(counter, sp800_38a_counter, sizeof(counter));
	prepare(&ctx[0], &first, CAP_ASYNC_OPS);
	zassert_equal(cipher_begin_session(accelerator, &ctx[0], CRYPTO_CIPHER_ALGO_AES,
					   CRYPTO_CIPHER_MODE_CTR, CRYPTO_CIPHER_OP_ENCRYPT),
		      -EINVAL, "nobody would be told of its end");
	zassert_equal(cipher_callback_set(accelerator, on_end), 0, "callback");
	ended_count = 0;
	k_sched_lock(); /* Both operations must be submitted before the first operation ends. */
	for (unsigned int i = 0; i < 2; i++) {
		const struct operation operation = {
			.key = sp800_38a[i].key,
			.key_bytes = sp800_38a[i].key_bytes,
			.flags = SEPARATE,
		};

		prepare(&ctx[i], &operation, CAP_ASYNC_OPS);
		zassert_equal(cipher_begin_session(accelerator, &ctx[i], CRYPTO_CIPHER_ALGO_AES,
						   CRYPTO_CIPHER_MODE_CTR,
						   CRYPTO_CIPHER_OP_ENCRYPT),
			      0, "session %u", i);
		pkt[i] = (struct cipher_pkt){
			.in_buf = data,
			.in_len = BYTES,
			.out_buf = results[i],
			.out_buf_max = BYTES,
		};
		zassert_equal(cipher_ctr_op(&ctx[i], &pkt[i], counter), 0, "submit %u", i);
	}
	zassert_equal(cipher_ctr_op(&ctx[0], &pkt[0], counter), -EBUSY, "two in one session");
	zassert_equal(cipher_free_session(accelerator, &ctx[0]), -EBUSY, "freed while in use");
	k_sched_unlock();
	for (unsigned int i = 0; i < 2; i++) {
		zassert_equal(k_sem_take(&ended, K_SECONDS(1)), 0, "operation %u did not end", i);
	}
	for (unsigned int i = 0; i < 2; i++) {
		zassert_equal_ptr(ended_pkt[i], &pkt[i], "order");
		zassert_equal(ended_status[i], 0, "status %d", ended_status[i]);
		zassert_equal(pkt[i].out_len, BYTES, "length");
		zassert_mem_equal(results[i], sp800_38a[i].ctr, BYTES, "result %u", i);
		zassert_equal(cipher_free_session(accelerator, &ctx[i]), 0, "free %u", i);
	}
}

/**
 * Encrypts the array `big` twice in place. `big` is in the buffer memory. CTR uses the same
 * keystream both times, so the second encryption restores the data. Prints the cycles of the second
 * encryption.
 */
static void measure(const struct device *device, const char *name)
{
	uint8_t counter[16] = {0};
	struct cipher_ctx ctx;
	const struct operation operation = {
		.key = sp800_38a[0].key,
		.key_bytes = 16,
		.flags = INPLACE,
	};
	uint32_t cycles = 0;

	prepare(&ctx, &operation, CAP_SYNC_OPS);
	zassert_equal(cipher_begin_session(device, &ctx, CRYPTO_CIPHER_ALGO_AES,
					   CRYPTO_CIPHER_MODE_CTR, CRYPTO_CIPHER_OP_ENCRYPT),
		      0, "session");
	for (unsigned int i = 0; i < 2; i++) {
		struct cipher_pkt pkt = {.in_buf = big, .in_len = sizeof(big)};
		const uint32_t start = cl_soc_cycles(NULL);

		zassert_equal(cipher_ctr_op(&ctx, &pkt, counter), 0, "run");
		cycles = cl_soc_cycles(NULL) - start;
	}
	zassert_equal(cipher_free_session(device, &ctx), 0, "free");
	TC_PRINT("%s: %u bytes in %u cycles\n", name, (unsigned int)sizeof(big), cycles);
}

ZTEST(crypto, test_largest_buffer)
{
	for (size_t i = 0; i < sizeof(big); i++) {
		big[i] = (uint8_t)(i * 7 + (i >> 8));
	}
	measure(vector, "vector");
	measure(accelerator, "accelerator");
	for (size_t i = 0; i < sizeof(big); i++) {
		zassert_equal(big[i], (uint8_t)(i * 7 + (i >> 8)), "byte %u", (unsigned int)i);
	}
}

/**
 * A simulated board has no source of noise. Reading its random source must return -ENODEV and give
 * only zeros. Tests on boards check the words of a real source.
 */
ZTEST(crypto, test_random_source_says_that_it_is_simulated)
{
	const struct device *const entropy = DEVICE_DT_GET(DT_NODELABEL(random0));
	uint32_t word = 1;
	uint8_t bytes[17] = {1, [16] = 1};

	zassert_equal(cl_zephyr_random_read(&word, 1), -ENODEV, "status");
	zassert_equal(word, 0, "a word");
	zassert_true(device_is_ready(entropy), "ready");
	zassert_equal(entropy_get_entropy(entropy, bytes, sizeof(bytes)), -ENODEV, "status");
	for (size_t i = 0; i < sizeof(bytes); i++) {
		zassert_equal(bytes[i], 0, "byte %u", (unsigned int)i);
	}
}

/** Two reads from the fixed sequence of a simulated board must return different bytes. */
ZTEST(crypto, test_insecure_entropy)
{
	const struct device *const entropy = DEVICE_DT_GET(DT_CHOSEN(zephyr_entropy));
	uint8_t bytes[2][16] = {{0}, {0}};

	zassert_true(device_is_ready(entropy), "ready");
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		zassert_equal(entropy_get_entropy(entropy, bytes[i], sizeof(bytes[i])), 0,
			      "status");
	}
	zassert_true(memcmp(bytes[0], bytes[1], sizeof(bytes[0])) != 0, "same bytes twice");
}

ZTEST_SUITE(crypto, NULL, NULL, NULL, NULL, NULL);
