/* SPDX-License-Identifier: BSD-2-Clause */
#include "gcm/gcm.h"

#include <errno.h>
#include <string.h>

#include "gcm/ghash.h"
#include "zeroize.h"

/**
 * Last byte of a counter block: OF_HASH in the counter block that encrypts the hash, OF_TEXT in the
 * counter block that encrypts the first block of text.
 */
#define OF_HASH 1u
#define OF_TEXT 2u

/**
 * Runs CTR mode. The first counter block is the message's nonce, followed by @p number as a 32-bit
 * number.
 */
static __attribute__((noinline)) int crypt(const struct cl_engine *engine,
					   const struct cl_engine_key *key,
					   const struct cl_gcm_message *message, uint8_t number,
					   const uint8_t *in, uint8_t *out, size_t len)
{
	uint8_t counter[CL_BLOCK_BYTES] = {[CL_BLOCK_BYTES - 1] = number};

	memcpy(counter, message->nonce, CL_GCM_NONCE_BYTES);
	return engine->ctr(engine, key, counter, in, out, len);
}

/** Computes the tag of a message; @p ciphertext has message->len bytes. */
static int make_tag(const struct cl_engine *engine, const struct cl_engine_key *key,
		    const struct cl_gcm_message *message, const uint8_t *ciphertext,
		    uint8_t tag[CL_BLOCK_BYTES])
{
	static const uint8_t zeros[CL_BLOCK_BYTES];
	struct cl_ghash ghash;
	/* Compute the hash subkey: it is the ciphertext of a block of zeros. */
	const int status = engine->ctr(engine, key, zeros, zeros, tag, CL_BLOCK_BYTES);

	if (status != 0) {
		return status;
	}
	cl_ghash_begin(&ghash, tag);
	cl_ghash_update(&ghash, message->aad, message->aad_len);
	cl_ghash_update(&ghash, ciphertext, message->len);
	cl_ghash_end(&ghash, message->aad_len, message->len, tag);
	cl_zeroize(&ghash, sizeof(ghash));
	return crypt(engine, key, message, OF_HASH, tag, tag, CL_BLOCK_BYTES);
}

static int compose(const struct cl_engine *engine, const struct cl_engine_key *key,
		   const struct cl_gcm_message *message, uint8_t tag[CL_BLOCK_BYTES])
{
	uint8_t difference = 0;
	int status;

	if (!message->decrypt) {
		status = crypt(engine, key, message, OF_TEXT, message->in, message->out,
			       message->len);
		if (status == 0) {
			status = make_tag(engine, key, message, message->out, tag);
		}
		if (status == 0) {
			memcpy(message->tag, tag, CL_BLOCK_BYTES);
		}
		return status;
	}
	status = make_tag(engine, key, message, message->in, tag);
	if (status != 0) {
		return status;
	}
	for (size_t i = 0; i < CL_BLOCK_BYTES; i++) {
		difference |= tag[i] ^ message->tag[i];
	}
	if (difference != 0) {
		return -EBADMSG;
	}
	return crypt(engine, key, message, OF_TEXT, message->in, message->out, message->len);
}

int cl_gcm_run(const struct cl_engine *engine, const struct cl_engine_key *key,
	       const struct cl_gcm_message *message)
{
	_Alignas(4) uint8_t tag[CL_BLOCK_BYTES];

	if (engine->gcm != NULL) {
		return engine->gcm(engine, key, message);
	}
	const int status = compose(engine, key, message, tag);

	cl_zeroize(tag, sizeof(tag));
	return status;
}
