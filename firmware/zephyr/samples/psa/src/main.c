/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints how many cycles PSA Crypto takes for one call with AES-128, for messages of several
 * lengths. For comparison, build with CONFIG_CIPHERLANE_MBEDTLS=n: then mbedTLS's own C code runs.
 */
#include <string.h>

#include <psa/crypto.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include <cipherlane/soc.h>

#define BYTES_MAX   4096u
#define TAG_BYTES   16u
#define NONCE_BYTES 12u

static const uint8_t key[16] = "a sample's key..";
static const size_t lengths[] = {16, 256, BYTES_MAX};

static uint8_t in[BYTES_MAX] __aligned(16);
static uint8_t out[BYTES_MAX + 2 * TAG_BYTES] __aligned(16);
static uint8_t back[BYTES_MAX] __aligned(16);

/** A function that makes one call of PSA Crypto for a message of @p len bytes. */
typedef psa_status_t call(psa_key_id_t id, psa_algorithm_t algorithm, size_t len);

static psa_status_t encrypt(psa_key_id_t id, psa_algorithm_t algorithm, size_t len)
{
	return psa_cipher_encrypt(id, algorithm, in, len, out, sizeof(out), &len);
}

static psa_status_t mac(psa_key_id_t id, psa_algorithm_t algorithm, size_t len)
{
	return psa_mac_compute(id, algorithm, in, len, out, sizeof(out), &len);
}

static psa_status_t seal(psa_key_id_t id, psa_algorithm_t algorithm, size_t len)
{
	return psa_aead_encrypt(id, algorithm, key, NONCE_BYTES, key, sizeof(key), in, len, out,
				sizeof(out), &len);
}

/** Decrypts the message that `seal` has left in `out`. */
static psa_status_t unseal(psa_key_id_t id, psa_algorithm_t algorithm, size_t len)
{
	return psa_aead_decrypt(id, algorithm, key, NONCE_BYTES, key, sizeof(key), out,
				len + TAG_BYTES, back, sizeof(back), &len);
}

static const struct {
	const char *name;
	psa_algorithm_t algorithm;
	psa_key_usage_t usage;
	/** `prepare` makes the input of `measured`, or is NULL. Only `measured` is timed. */
	call *prepare;
	call *measured;
} rows[] = {
	{"CTR", PSA_ALG_CTR, PSA_KEY_USAGE_ENCRYPT, NULL, encrypt},
	{"CBC", PSA_ALG_CBC_NO_PADDING, PSA_KEY_USAGE_ENCRYPT, NULL, encrypt},
	{"CMAC", PSA_ALG_CMAC, PSA_KEY_USAGE_SIGN_MESSAGE, NULL, mac},
	{"CCM", PSA_ALG_CCM, PSA_KEY_USAGE_ENCRYPT, NULL, seal},
	{"GCM", PSA_ALG_GCM, PSA_KEY_USAGE_ENCRYPT, NULL, seal},
	{"GCM, decrypt", PSA_ALG_GCM, PSA_KEY_USAGE_ENCRYPT | PSA_KEY_USAGE_DECRYPT, seal, unseal},
};

/**
 * Calls the function `measured` of rows[@p row] twice, and measures the second call. The first call
 * fills the caches, so the result is typical for a series of messages.
 *
 * @return cycles, or 0 if a call failed
 */
static uint32_t measure(size_t row, psa_key_id_t id, size_t len)
{
	const psa_algorithm_t algorithm = rows[row].algorithm;
	psa_status_t status = PSA_SUCCESS;
	uint32_t cycles = 0;

	if (rows[row].prepare != NULL) {
		status = rows[row].prepare(id, algorithm, len);
	}
	for (unsigned int turn = 0; turn < 2 && status == PSA_SUCCESS; turn++) {
		const uint32_t start = cl_soc_cycles(NULL);

		status = rows[row].measured(id, algorithm, len);
		cycles = cl_soc_cycles(NULL) - start;
	}
	return status == PSA_SUCCESS ? cycles : 0;
}

static int print_row(size_t row)
{
	psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
	uint32_t cycles[ARRAY_SIZE(lengths)];
	psa_key_id_t id;

	psa_set_key_type(&attributes, PSA_KEY_TYPE_AES);
	psa_set_key_bits(&attributes, 8 * sizeof(key));
	psa_set_key_algorithm(&attributes, rows[row].algorithm);
	psa_set_key_usage_flags(&attributes, rows[row].usage);
	if (psa_import_key(&attributes, key, sizeof(key), &id) != PSA_SUCCESS) {
		return -1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		cycles[i] = measure(row, id, lengths[i]);
		if (cycles[i] == 0) {
			return -1;
		}
	}
	(void)psa_destroy_key(id);
	printk("%-12s %8u %8u %8u cycles\n", rows[row].name, cycles[0], cycles[1], cycles[2]);
	return 0;
}

int main(void)
{
	for (size_t i = 0; i < sizeof(in); i++) {
		in[i] = (uint8_t)(i * 7 + (i >> 8));
	}
	if (psa_crypto_init() != PSA_SUCCESS) {
		printk("failed: PSA Crypto does not start\n");
		return 0;
	}
	printk("%-12s %8u %8u %8u bytes\n", "algorithm", (unsigned int)lengths[0],
	       (unsigned int)lengths[1], (unsigned int)lengths[2]);
	for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
		if (print_row(row) != 0) {
			printk("failed: %s\n", rows[row].name);
			return 0;
		}
	}
	return 0;
}
