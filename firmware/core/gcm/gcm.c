/* SPDX-License-Identifier: BSD-2-Clause */
#include "gcm/gcm.h"

#include <errno.h>
#include <string.h>

#include "engine/ctr.h"
#include "gcm/ghash.h"
#include "zeroize.h"

/**
 * Last byte of a counter block: OF_HASH in the counter block that encrypts the hash, OF_TEXT in the
 * counter block that encrypts the first block of text.
 */
#define OF_HASH 1u
#define OF_TEXT 2u

/** The tag of a message, and what it is computed with. */
struct secrets {
	_Alignas(4) uint8_t tag[CL_BLOCK_BYTES];
	_Alignas(4) uint8_t subkey[CL_BLOCK_BYTES];
};

/**
 * Runs CTR mode. The first counter block is @p nonce, followed by @p number as a 32-bit number.
 * Only `compose_with` calls it, so that each call overwrites what an earlier one left on the stack.
 */
static __attribute__((noinline)) int crypt(const struct cl_engine *engine,
					   const struct cl_engine_key *key, const uint8_t *nonce,
					   uint8_t number, const uint8_t *in, uint8_t *out,
					   size_t len)
{
	uint8_t counter[CL_BLOCK_BYTES] = {[CL_BLOCK_BYTES - 1] = number};

	memcpy(counter, nonce, CL_GCM_NONCE_BYTES);
	return engine->ctr(engine, key, counter, in, out, len);
}

/** Computes GHASH of a message in C; @p ciphertext has message->len bytes. */
static void hash_in_c(const struct cl_gcm_message *message, const uint8_t *ciphertext,
		      const uint8_t subkey[CL_BLOCK_BYTES], uint8_t hash[CL_BLOCK_BYTES])
{
	struct cl_ghash ghash;

	cl_ghash_begin(&ghash, subkey);
	cl_ghash_update(&ghash, message->aad, message->aad_len);
	cl_ghash_update(&ghash, ciphertext, message->len);
	cl_ghash_end(&ghash, message->aad_len, message->len, hash);
	cl_zeroize(&ghash, sizeof(ghash));
}

/** Computes GHASH of a message by a hasher; @p ciphertext has message->len bytes. */
static int hash_by(const struct cl_hasher *hasher, const struct cl_gcm_message *message,
		   const uint8_t *ciphertext, const uint8_t subkey[CL_BLOCK_BYTES],
		   uint8_t hash[CL_BLOCK_BYTES])
{
	const uint64_t aad_bits = (uint64_t)message->aad_len * 8;
	const uint64_t bits = (uint64_t)message->len * 8;
	const uint32_t lengths[] = {
		cl_ctr_swap((uint32_t)(aad_bits >> 32)), cl_ctr_swap((uint32_t)aad_bits),
		cl_ctr_swap((uint32_t)(bits >> 32)), cl_ctr_swap((uint32_t)bits)};
	const uint8_t *const parts[] = {message->aad, ciphertext, (const uint8_t *)lengths};
	const size_t bytes[] = {message->aad_len, message->len, sizeof(lengths)};
	int status = 0;

	memset(hash, 0, CL_BLOCK_BYTES);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && status == 0; i++) {
		if (bytes[i] > 0) {
			status = hasher->hash(hasher->hw, subkey, hash, parts[i], bytes[i]);
		}
	}
	return status;
}

static int compose_with(const struct cl_engine *engine, const struct cl_engine_key *key,
			const struct cl_gcm_message *message, struct secrets *secrets)
{
	static const uint8_t zeros[CL_BLOCK_BYTES];
	const uint8_t *const ciphertext = message->decrypt ? message->in : message->out;
	uint8_t *const tag = secrets->tag;
	uint8_t difference = 0;
	int status = 0;

	if (!message->decrypt) {
		status = crypt(engine, key, message->nonce, OF_TEXT, message->in, message->out,
			       message->len);
	}
	if (status == 0) {
		/* The hash subkey is the ciphertext of a block of zeros. */
		status = crypt(engine, key, zeros, 0, zeros, secrets->subkey, CL_BLOCK_BYTES);
	}
	if (status == 0 && engine->hasher != NULL) {
		status = hash_by(engine->hasher, message, ciphertext, secrets->subkey, tag);
	} else if (status == 0) {
		hash_in_c(message, ciphertext, secrets->subkey, tag);
	}
	if (status == 0) {
		status = crypt(engine, key, message->nonce, OF_HASH, tag, tag, CL_BLOCK_BYTES);
	}
	if (status != 0) {
		return status;
	}
	if (!message->decrypt) {
		memcpy(message->tag, tag, CL_BLOCK_BYTES);
		return 0;
	}
	for (size_t i = 0; i < CL_BLOCK_BYTES; i++) {
		difference |= tag[i] ^ message->tag[i];
	}
	if (difference != 0) {
		return -EBADMSG;
	}
	return crypt(engine, key, message->nonce, OF_TEXT, message->in, message->out, message->len);
}

/** Composes GCM. Not inlined, so that engines with a GCM of their own need no stack for it. */
static __attribute__((noinline)) int compose(const struct cl_engine *engine,
					     const struct cl_engine_key *key,
					     const struct cl_gcm_message *message)
{
	struct secrets secrets;
	const int status = compose_with(engine, key, message, &secrets);

	cl_zeroize(&secrets, sizeof(secrets));
	return status;
}

int cl_gcm_run(const struct cl_engine *engine, const struct cl_engine_key *key,
	       const struct cl_gcm_message *message)
{
	return (engine->gcm != NULL ? engine->gcm : compose)(engine, key, message);
}
