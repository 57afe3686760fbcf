/**
 * @file
 * One operation through the crypto API, session and all; one checked by an example of SP 800-38A.
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
	/** CTR: bits of the counter, which then starts at zero; 0: the IV is the whole counter
	 * block. */
	uint32_t ctr_len;
	/** Beside CAP_RAW_KEY and CAP_SYNC_OPS: where the result goes, and whether the IV is in
	 * front. */
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
 * Begins a session, carries out the operation, frees the session.
 *
 * @return bytes of the result, or what the API refused with
 */
int carry_out(const struct operation *operation);

/**
 * Carries out one direction of an example of SP 800-38A, by blocks in ECB, and checks the result,
 * the byte behind it and, where it is not in place, that the input is what it was.
 *
 * @param in  room for SP800_38A_BYTES + 1
 * @param out the same; in place where it is @p in
 */
void check_example(const struct device *device, enum cipher_mode mode, unsigned int example,
		   enum cipher_op op, uint8_t *in, uint8_t *out);

#endif
