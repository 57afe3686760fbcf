/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests PSA Crypto with mbedTLS's AES and GCM on the vector unit. Compares results with published
 * examples and with results of OpenSSL. Also tests operations in parts of any length, and several
 * operations and threads at the same time.
 */
#include <string.h>

#include <mbedtls/aes.h>
#include <mbedtls/error.h>
#include <mbedtls/gcm.h>
#include <psa/crypto.h>
#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#include <cipherlane/contexts.h>
#include <cipherlane/soc.h>

#include "messages.h"

#define AEAD_BYTES  61u
#define LENGTHS_MAX 70u
#define LONG_BYTES  (16 * sizeof(text))
#define TAG_BYTES   16u
#define TURNS       4u
#define STACK_BYTES 3072

static const struct cipher {
	psa_algorithm_t algorithm;
	const uint8_t *expected;
	const uint8_t *iv;
} ciphers[] = {
	{PSA_ALG_ECB_NO_PADDING, ecb, NULL},
	{PSA_ALG_CBC_NO_PADDING, cbc, iv},
	{PSA_ALG_CTR, ctr, first_counter},
};
static const struct {
	psa_algorithm_t algorithm;
	const uint8_t *expected;
} aeads[] = {{PSA_ALG_GCM, gcm}, {PSA_ALG_CCM, ccm}};

static psa_key_id_t import_key(psa_algorithm_t algorithm, psa_key_usage_t usage)
{
	psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
	psa_key_id_t id = PSA_KEY_ID_NULL;

	psa_set_key_type(&attributes, PSA_KEY_TYPE_AES);
	psa_set_key_bits(&attributes, 8 * sizeof(key));
	psa_set_key_algorithm(&attributes, algorithm);
	psa_set_key_usage_flags(&attributes, usage);
	zassert_equal(psa_import_key(&attributes, key, sizeof(key), &id), PSA_SUCCESS, "import");
	return id;
}

static void begin(psa_cipher_operation_t *operation, psa_key_id_t id, const struct cipher *cipher,
		  bool decrypt)
{
	const psa_status_t status =
		decrypt ? psa_cipher_decrypt_setup(operation, id, cipher->algorithm)
			: psa_cipher_encrypt_setup(operation, id, cipher->algorithm);

	zassert_equal(status, PSA_SUCCESS, "setup %d", status);
	if (cipher->iv != NULL) {
		zassert_equal(psa_cipher_set_iv(operation, cipher->iv, sizeof(iv)), PSA_SUCCESS,
			      "iv");
	}
}

/** Encrypts or decrypts a message in several calls with @p piece bytes each. Checks the result. */
static void check_cipher(const struct cipher *cipher, bool decrypt, size_t piece)
{
	const psa_key_id_t id = import_key(cipher->algorithm,
					   decrypt ? PSA_KEY_USAGE_DECRYPT : PSA_KEY_USAGE_ENCRYPT);
	psa_cipher_operation_t operation = PSA_CIPHER_OPERATION_INIT;
	uint8_t out[sizeof(text) + CL_BLOCK_BYTES];
	const uint8_t *const in = decrypt ? cipher->expected : text;
	size_t done = 0;
	size_t len;

	begin(&operation, id, cipher, decrypt);
	for (size_t at = 0; at < sizeof(text); at += piece) {
		zassert_equal(psa_cipher_update(&operation, in + at, MIN(piece, sizeof(text) - at),
						out + done, sizeof(out) - done, &len),
			      PSA_SUCCESS, "update");
		done += len;
	}
	zassert_equal(psa_cipher_finish(&operation, out + done, sizeof(out) - done, &len),
		      PSA_SUCCESS, "finish");
	zassert_equal(done + len, sizeof(text), "length");
	zassert_mem_equal(out, decrypt ? text : cipher->expected, sizeof(text), "result");
	zassert_equal(psa_destroy_key(id), PSA_SUCCESS, "destroy");
}

ZTEST(mbedtls, test_ciphers_in_pieces)
{
	static const size_t pieces[] = {1, 7, 16, 33, sizeof(text)};

	for (size_t i = 0; i < ARRAY_SIZE(ciphers) * ARRAY_SIZE(pieces); i++) {
		check_cipher(&ciphers[i % ARRAY_SIZE(ciphers)], false,
			     pieces[i / ARRAY_SIZE(ciphers)]);
		check_cipher(&ciphers[i % ARRAY_SIZE(ciphers)], true,
			     pieces[i / ARRAY_SIZE(ciphers)]);
	}
}

ZTEST(mbedtls, test_authenticated_encryption)
{
	for (size_t i = 0; i < ARRAY_SIZE(aeads); i++) {
		const psa_key_id_t id = import_key(aeads[i].algorithm,
						   PSA_KEY_USAGE_ENCRYPT | PSA_KEY_USAGE_DECRYPT);
		uint8_t sealed[sizeof(gcm)];
		uint8_t opened[AEAD_BYTES];
		size_t len;

		zassert_equal(psa_aead_encrypt(id, aeads[i].algorithm, nonce, sizeof(nonce), data,
					       sizeof(data), text, AEAD_BYTES, sealed,
					       sizeof(sealed), &len),
			      PSA_SUCCESS, "encrypt");
		zassert_mem_equal(sealed, aeads[i].expected, sizeof(sealed), "sealed");
		zassert_equal(psa_aead_decrypt(id, aeads[i].algorithm, nonce, sizeof(nonce), data,
					       sizeof(data), sealed, sizeof(sealed), opened,
					       sizeof(opened), &len),
			      PSA_SUCCESS, "decrypt");
		zassert_mem_equal(opened, text, sizeof(opened), "opened");
		sealed[AEAD_BYTES - 1] ^= 1;
		zassert_equal(psa_aead_decrypt(id, aeads[i].algorithm, nonce, sizeof(nonce), data,
					       sizeof(data), sealed, sizeof(sealed), opened,
					       sizeof(opened), &len),
			      PSA_ERROR_INVALID_SIGNATURE, "forged");
		zassert_equal(psa_destroy_key(id), PSA_SUCCESS, "destroy");
	}
}

/** Encrypts and decrypts messages of each length up to 70 bytes, in unaligned buffers. */
ZTEST(mbedtls, test_gcm_of_all_lengths)
{
	const psa_key_id_t id =
		import_key(PSA_ALG_GCM, PSA_KEY_USAGE_ENCRYPT | PSA_KEY_USAGE_DECRYPT);
	const psa_key_id_t mac_id = import_key(PSA_ALG_CMAC, PSA_KEY_USAGE_SIGN_MESSAGE);
	psa_mac_operation_t digest = PSA_MAC_OPERATION_INIT;
	uint8_t twice[2 * sizeof(text)];
	uint8_t buffer[1 + LENGTHS_MAX + TAG_BYTES];
	uint8_t opened[LENGTHS_MAX];
	uint8_t *const sealed = buffer + 1;
	size_t len;

	memcpy(twice, text, sizeof(text));
	memcpy(twice + sizeof(text), text, sizeof(text));
	zassert_equal(psa_mac_sign_setup(&digest, mac_id, PSA_ALG_CMAC), PSA_SUCCESS, "setup");
	for (size_t n = 0; n <= LENGTHS_MAX; n++) {
		zassert_equal(psa_aead_encrypt(id, PSA_ALG_GCM, nonce, sizeof(nonce), twice,
					       LENGTHS_MAX - n, twice, n, sealed, n + TAG_BYTES,
					       &len),
			      PSA_SUCCESS, "encrypt %u", (unsigned int)n);
		zassert_equal(len, n + TAG_BYTES, "length");
		zassert_equal(psa_mac_update(&digest, sealed, len), PSA_SUCCESS, "digest");
		zassert_equal(psa_aead_decrypt(id, PSA_ALG_GCM, nonce, sizeof(nonce), twice,
					       LENGTHS_MAX - n, sealed, n + TAG_BYTES, opened,
					       sizeof(opened), &len),
			      PSA_SUCCESS, "decrypt %u", (unsigned int)n);
		zassert_equal(len, n, "length");
		zassert_mem_equal(opened, twice, n, "opened");
		sealed[n + n % TAG_BYTES] ^= 1;
		zassert_equal(psa_aead_decrypt(id, PSA_ALG_GCM, nonce, sizeof(nonce), twice,
					       LENGTHS_MAX - n, sealed, n + TAG_BYTES, opened,
					       sizeof(opened), &len),
			      PSA_ERROR_INVALID_SIGNATURE, "forged %u", (unsigned int)n);
	}
	zassert_equal(psa_mac_sign_finish(&digest, opened, sizeof(opened), &len), PSA_SUCCESS,
		      "digest");
	zassert_mem_equal(opened, gcm_lengths_cmac, sizeof(gcm_lengths_cmac), "digest");
	zassert_equal(psa_destroy_key(id), PSA_SUCCESS, "destroy");
	zassert_equal(psa_destroy_key(mac_id), PSA_SUCCESS, "destroy");
}

/**
 * Encrypts or decrypts a GCM message in several calls with @p piece bytes each. Checks the result.
 *
 * @param expected the ciphertext and the tag
 * @return status of the last call
 */
static psa_status_t in_pieces(psa_key_id_t id, const uint8_t *iv_bytes, size_t iv_len,
			      const uint8_t *expected, bool decrypt, size_t piece)
{
	psa_aead_operation_t operation = PSA_AEAD_OPERATION_INIT;
	const uint8_t *const in = decrypt ? expected : text;
	uint8_t out[AEAD_BYTES + TAG_BYTES];
	uint8_t tag[TAG_BYTES];
	size_t done = 0;
	size_t len;
	size_t tag_len;

	zassert_equal(decrypt ? psa_aead_decrypt_setup(&operation, id, PSA_ALG_GCM)
			      : psa_aead_encrypt_setup(&operation, id, PSA_ALG_GCM),
		      PSA_SUCCESS, "setup");
	zassert_equal(psa_aead_set_nonce(&operation, iv_bytes, iv_len), PSA_SUCCESS, "nonce");
	for (size_t at = 0; at < sizeof(data); at += piece) {
		zassert_equal(
			psa_aead_update_ad(&operation, data + at, MIN(piece, sizeof(data) - at)),
			PSA_SUCCESS, "additional data");
	}
	for (size_t at = 0; at < AEAD_BYTES; at += piece) {
		zassert_equal(psa_aead_update(&operation, in + at, MIN(piece, AEAD_BYTES - at),
					      out + done, sizeof(out) - done, &len),
			      PSA_SUCCESS, "update");
		done += len;
	}
	zassert_mem_equal(out, decrypt ? text : expected, done, "text");
	if (decrypt) {
		zassert_equal(done, AEAD_BYTES, "length");
		return psa_aead_verify(&operation, out + done, sizeof(out) - done, &len,
				       expected + AEAD_BYTES, TAG_BYTES);
	}
	const psa_status_t status = psa_aead_finish(&operation, out + done, sizeof(out) - done,
						    &len, tag, sizeof(tag), &tag_len);

	zassert_equal(done + len, AEAD_BYTES, "length");
	zassert_mem_equal(tag, expected + AEAD_BYTES, TAG_BYTES, "tag");
	return status;
}

/**
 * Tests nonces of 96 bits and of other lengths. With one of the nonces, the 32-bit counter wraps in
 * the middle of the text.
 */
ZTEST(mbedtls, test_gcm_in_pieces_and_with_any_nonce)
{
	static const size_t pieces[] = {1, 7, 16, 33, AEAD_BYTES};
	static const struct {
		const uint8_t *nonce;
		size_t len;
		const uint8_t *expected;
	} cases[] = {
		{nonce, sizeof(nonce), gcm},
		{nonce_8, sizeof(nonce_8), gcm_nonce_8},
		{text, 60, gcm_nonce_60},
		{nonce_wrap, sizeof(nonce_wrap), gcm_nonce_wrap},
	};
	const psa_key_id_t id =
		import_key(PSA_ALG_GCM, PSA_KEY_USAGE_ENCRYPT | PSA_KEY_USAGE_DECRYPT);
	uint8_t forged[sizeof(gcm)];

	for (size_t i = 0; i < ARRAY_SIZE(cases) * ARRAY_SIZE(pieces); i++) {
		const size_t piece = pieces[i / ARRAY_SIZE(cases)];
		const size_t n = i % ARRAY_SIZE(cases);

		for (int decrypt = 0; decrypt < 2; decrypt++) {
			zassert_equal(in_pieces(id, cases[n].nonce, cases[n].len, cases[n].expected,
						decrypt != 0, piece),
				      PSA_SUCCESS, "nonce %u", (unsigned int)n);
		}
		memcpy(forged, cases[n].expected, sizeof(forged));
		forged[sizeof(forged) - 1] ^= 0x80;
		zassert_equal(in_pieces(id, cases[n].nonce, cases[n].len, forged, true, piece),
			      PSA_ERROR_INVALID_SIGNATURE, "forged");
	}
	zassert_equal(psa_destroy_key(id), PSA_SUCCESS, "destroy");
}

/**
 * Encrypts and decrypts a long text in place, at four successive addresses. The vector unit can
 * access the text directly at only one of these addresses. The other three are not word-aligned, so
 * the CPU copies the text in parts.
 */
ZTEST(mbedtls, test_gcm_of_a_long_text)
{
	static uint8_t buffer[3 + LONG_BYTES + TAG_BYTES] CL_SOC_IN_BUFFER;
	const psa_key_id_t id =
		import_key(PSA_ALG_GCM, PSA_KEY_USAGE_ENCRYPT | PSA_KEY_USAGE_DECRYPT);
	size_t len;

	for (uint8_t *message = buffer; message < buffer + 4; message++) {
		const unsigned int off = (unsigned int)(message - buffer);

		for (size_t at = 0; at < LONG_BYTES; at += sizeof(text)) {
			memcpy(message + at, text, sizeof(text));
		}
		zassert_equal(psa_aead_encrypt(id, PSA_ALG_GCM, nonce, sizeof(nonce), data,
					       sizeof(data), message, LONG_BYTES, message,
					       LONG_BYTES + TAG_BYTES, &len),
			      PSA_SUCCESS, "encrypt at %u", off);
		zassert_mem_equal(message + LONG_BYTES, gcm_long_tag, TAG_BYTES, "tag at %u", off);
		zassert_equal(psa_aead_decrypt(id, PSA_ALG_GCM, nonce, sizeof(nonce), data,
					       sizeof(data), message, len, message, LONG_BYTES,
					       &len),
			      PSA_SUCCESS, "decrypt at %u", off);
		for (size_t at = 0; at < LONG_BYTES; at += sizeof(text)) {
			zassert_mem_equal(message + at, text, sizeof(text), "text at %u of %u",
					  (unsigned int)at, off);
		}
	}
	zassert_equal(psa_destroy_key(id), PSA_SUCCESS, "destroy");
}

/**
 * If the tag is wrong, decryption must not change the output. The test uses tags of 4 to 16 bytes.
 */
ZTEST(mbedtls, test_gcm_writes_nothing_before_it_verified_the_tag)
{
	static mbedtls_gcm_context context;
	static const uint8_t zeros[sizeof(context)];
	uint8_t tag[TAG_BYTES];
	uint8_t out[AEAD_BYTES];

	mbedtls_gcm_init(&context);
	zassert_equal(mbedtls_gcm_setkey(&context, MBEDTLS_CIPHER_ID_ARIA, key, 128),
		      MBEDTLS_ERR_PLATFORM_FEATURE_UNSUPPORTED, "cipher");
	zassert_equal(mbedtls_gcm_setkey(&context, MBEDTLS_CIPHER_ID_AES, key, 136),
		      MBEDTLS_ERR_GCM_BAD_INPUT, "length of the key");
	zassert_equal(mbedtls_gcm_starts(&context, MBEDTLS_GCM_ENCRYPT, nonce, sizeof(nonce)),
		      MBEDTLS_ERR_GCM_BAD_INPUT, "no key");
	zassert_equal(mbedtls_gcm_setkey(&context, MBEDTLS_CIPHER_ID_AES, key, 128), 0, "key");
	memcpy(tag, gcm + AEAD_BYTES, sizeof(tag));
	for (size_t len = 4; len <= TAG_BYTES; len++) {
		memset(out, 0xa5, sizeof(out));
		tag[len - 1] ^= 1;
		zassert_equal(mbedtls_gcm_auth_decrypt(&context, AEAD_BYTES, nonce, sizeof(nonce),
						       data, sizeof(data), tag, len, gcm, out),
			      MBEDTLS_ERR_GCM_AUTH_FAILED, "forged");
		for (size_t i = 0; i < sizeof(out); i++) {
			zassert_equal(out[i], 0xa5, "byte %u", (unsigned int)i);
		}
		tag[len - 1] ^= 1;
		zassert_equal(mbedtls_gcm_auth_decrypt(&context, AEAD_BYTES, nonce, sizeof(nonce),
						       data, sizeof(data), tag, len, gcm, out),
			      0, "tag of %u bytes", (unsigned int)len);
		zassert_mem_equal(out, text, sizeof(out), "opened");
	}
	zassert_equal(mbedtls_gcm_auth_decrypt(&context, AEAD_BYTES, nonce, sizeof(nonce), data,
					       sizeof(data), tag, 3, gcm, out),
		      MBEDTLS_ERR_GCM_BAD_INPUT, "tag of 3 bytes");
	mbedtls_gcm_free(&context);
	zassert_mem_equal(&context, zeros, sizeof(context), "zeroized");
}

ZTEST(mbedtls, test_cmac)
{
	const psa_key_id_t id = import_key(PSA_ALG_CMAC, PSA_KEY_USAGE_SIGN_MESSAGE);
	uint8_t mac[sizeof(cmac)];
	size_t len;

	zassert_equal(psa_mac_compute(id, PSA_ALG_CMAC, text, sizeof(text), mac, sizeof(mac), &len),
		      PSA_SUCCESS, "mac");
	zassert_mem_equal(mac, cmac, sizeof(mac), "mac");
	zassert_equal(psa_destroy_key(id), PSA_SUCCESS, "destroy");
}

static struct k_thread threads[CL_CONTEXTS + 2];
static K_THREAD_STACK_ARRAY_DEFINE(stacks, ARRAY_SIZE(threads), STACK_BYTES);
static uint32_t wrong;

/**
 * Main function of a thread that encrypts with mbedTLS's AES functions. The threads need no lock,
 * because each thread has its own mbedTLS context.
 */
static void work(void *number, void *unused1, void *unused2)
{
	ARG_UNUSED(unused1);
	ARG_UNUSED(unused2);
	for (unsigned int turn = 0; turn < TURNS; turn++) {
		mbedtls_aes_context aes;
		uint8_t out[sizeof(text)];
		uint8_t chain[sizeof(iv)];

		mbedtls_aes_init(&aes);
		memcpy(chain, iv, sizeof(iv));
		bool right = mbedtls_aes_setkey_enc(&aes, key, 8 * sizeof(key)) == 0;

		for (size_t at = 0; at < sizeof(text); at += CL_BLOCK_BYTES) {
			right = right &&
				mbedtls_aes_crypt_cbc(&aes, MBEDTLS_AES_ENCRYPT, CL_BLOCK_BYTES,
						      chain, text + at, out + at) == 0;
			k_yield();
		}
		mbedtls_aes_free(&aes);
		if (!right || memcmp(out, cbc, sizeof(out)) != 0) {
			wrong |= BIT(POINTER_TO_UINT(number));
		}
	}
}

/**
 * Runs @p main in more threads than the unit has contexts. The kernel often preempts the threads.
 */
static void run_threads(k_thread_entry_t main)
{
	wrong = 0;
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		k_thread_create(&threads[i], stacks[i], STACK_BYTES, main, UINT_TO_POINTER(i), NULL,
				NULL, K_PRIO_PREEMPT(1), 0, K_NO_WAIT);
		k_thread_time_slice_set(&threads[i], 1, NULL, NULL);
	}
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		zassert_equal(k_thread_join(&threads[i], K_SECONDS(10)), 0, "thread %u",
			      (unsigned int)i);
	}
	zassert_equal(wrong, 0, "wrong results in threads 0x%x", (unsigned int)wrong);
}

ZTEST(mbedtls, test_threads_at_the_same_time)
{
	run_threads(work);
}

/** Main function of a thread that encrypts and decrypts long GCM messages. */
static void work_in_gcm(void *number, void *unused1, void *unused2)
{
	static uint8_t buffers[ARRAY_SIZE(threads)][LONG_BYTES] CL_SOC_IN_BUFFER;
	uint8_t *const buffer = buffers[POINTER_TO_UINT(number)];
	mbedtls_gcm_context context;
	uint8_t tag[TAG_BYTES];

	ARG_UNUSED(unused1);
	ARG_UNUSED(unused2);
	mbedtls_gcm_init(&context);
	for (size_t at = 0; at < LONG_BYTES; at += sizeof(text)) {
		memcpy(buffer + at, text, sizeof(text));
	}
	for (unsigned int turn = 0; turn < TURNS; turn++) {
		bool right = mbedtls_gcm_setkey(&context, MBEDTLS_CIPHER_ID_AES, key, 128) == 0;

		right = right &&
			mbedtls_gcm_crypt_and_tag(&context, MBEDTLS_GCM_ENCRYPT, LONG_BYTES, nonce,
						  sizeof(nonce), data, sizeof(data), buffer, buffer,
						  sizeof(tag), tag) == 0;
		right = right && memcmp(tag, gcm_long_tag, sizeof(tag)) == 0;
		right = right &&
			mbedtls_gcm_auth_decrypt(&context, LONG_BYTES, nonce, sizeof(nonce), data,
						 sizeof(data), gcm_long_tag, sizeof(gcm_long_tag),
						 buffer, buffer) == 0;
		for (size_t at = 0; at < LONG_BYTES; at += sizeof(text)) {
			right = right && memcmp(buffer + at, text, sizeof(text)) == 0;
		}
		if (!right) {
			wrong |= BIT(POINTER_TO_UINT(number));
		}
	}
	mbedtls_gcm_free(&context);
}

ZTEST(mbedtls, test_gcm_in_threads_at_the_same_time)
{
	struct cl_contexts_counters before;
	struct cl_contexts_counters after;

	cl_contexts_count(&before);
	run_threads(work_in_gcm);
	cl_contexts_count(&after);
	zassert_true(after.preempted - before.preempted > ARRAY_SIZE(threads),
		     "hardly any preemption");
	zassert_true(after.full > before.full, "contexts were never scarce");
}

/**
 * Checks that mbedTLS's AES functions use the vector unit. After mbedtls_aes_free, the mbedTLS
 * context must be zero.
 */
ZTEST(mbedtls, test_on_the_unit_and_zeroized)
{
	struct cl_contexts_counters before;
	struct cl_contexts_counters after;
	static mbedtls_aes_context aes;
	uint8_t out[CL_BLOCK_BYTES];

	mbedtls_aes_init(&aes);
	cl_contexts_count(&before);
	zassert_equal(mbedtls_aes_setkey_enc(&aes, key, 8 * sizeof(key)), 0, "key");
	zassert_equal(mbedtls_aes_crypt_ecb(&aes, MBEDTLS_AES_ENCRYPT, text, out), 0, "block");
	cl_contexts_count(&after);
	zassert_equal(after.operations - before.operations, 2, "operations");
	mbedtls_aes_free(&aes);
	for (size_t i = 0; i < sizeof(aes); i++) {
		zassert_equal(((const uint8_t *)&aes)[i], 0, "byte %u", (unsigned int)i);
	}
	zassert_equal(mbedtls_aes_crypt_ecb(&aes, MBEDTLS_AES_ENCRYPT, text, out),
		      MBEDTLS_ERR_AES_BAD_INPUT_DATA, "no key");
	zassert_equal(mbedtls_aes_setkey_enc(&aes, key, 136), MBEDTLS_ERR_AES_INVALID_KEY_LENGTH,
		      "length");
}

static void *initialise(void)
{
	zassert_equal(psa_crypto_init(), PSA_SUCCESS, "PSA");
	return NULL;
}

ZTEST_SUITE(mbedtls, NULL, initialise, NULL, NULL, NULL);
