/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Runs one operation through Zephyr's crypto API, including the begin and end of its session. Also
 * compares results with the examples of SP 800-38A.
 */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include <stddef.h>
#include <stdint.h>

#include <zephyr/crypto/crypto.h>
#include <zephyr/device.h>

#define SEPARATE (CAP_SEPARATE_IO_BUFS | CAP_NO_IV_PREFIX)
#define INPLACE  (CAP_INPLACE_OPS | CAP_NO_IV_PREFIX)

struct operation {
	const struct device *device;
	enum cipher_mode mode;
	enum cipher_op op;
	const uint8_t *key;
	uint16_t key_bytes;
	/**
	 * For CTR, the number of bits of the counter, which starts at zero. If ctr_len is 0, the IV
	 * is the whole counter block.
	 */
	uint32_t ctr_len;
	/**
	 * Flags (CAP_*) that tell where the driver writes the result, and whether the IV is in
	 * front of the ciphertext. The functions below add CAP_RAW_KEY and CAP_SYNC_OPS.
	 */
	uint16_t flags;
	const uint8_t *iv;
	uint8_t *in;
	int in_len;
	uint8_t *out;
	int out_max;
};

/** Prepares a session's context. */
void prepare(struct cipher_ctx *ctx, const struct operation *operation, uint16_t more_flags);

/**
 * Begins a session, carries out the operation, and frees the session.
 *
 * @return number of bytes in the result, or the API's error
 */
int carry_out(const struct operation *operation);

/**
 * Encrypts or decrypts an example of SP 800-38A. In ECB mode, makes one call for each block. Checks
 * that the result is right, and that the byte after the result did not change. If the operation is
 * not in place, also checks that the input did not change.
 *
 * @param in  room for SP800_38A_BYTES + 1
 * @param out room for the same number of bytes; if @p out equals @p in, the operation is in place
 */
void check_example(const struct device *device, enum cipher_mode mode, unsigned int example,
		   enum cipher_op op, uint8_t *in, uint8_t *out);

#endif
