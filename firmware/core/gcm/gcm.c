/* SPDX-License-Identifier: BSD-2-Clause */
#include "gcm/gcm.h"

#include <errno.h>
#include <string.h>

#include "gcm/ghash.h"
#include "zeroize.h"

/**
 * Values of the last byte of a counter block. OF_HASH: the counter block whose keystream is XORed
 * into the hash to give the tag. OF_TEXT: the counter block for the first block of text.
 */
#define OF_HASH 1u
#define OF_TEXT 2u

/** Secret values of a GCM computation: the computed tag and the hash subkey. */
struct secrets {
	_Alignas(4) uint8_t tag[CL_BLOCK_BYTES];
	_Alignas(4) uint8_t subkey[CL_BLOCK_BYTES];
};

/**
 * Runs CTR mode. The first counter block is @p nonce, followed by @p number as a 32-bit number.
 * Only `compose_with` calls this function, so all calls use the same bytes of the stack. Each call
 * overwrites the data that the previous call left on the stack.
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

/** Writes the number of bits in @p len bytes as a big-endian number of 64 bits. */
static __attribute__((noinline)) void put_bits(uint8_t to[8], size_t len)
{
	to[7] = (uint8_t)(len << 3);
	len >>= 5;
	for (size_t i = 7; i-- > 0; len >>= 8) {
		to[i] = (uint8_t)len;
	}
}

/** Adds data to a GHASH computation. Does nothing if @p len is 0. */
static __attribute__((noinline)) int hash_part(const struct cl_hasher *hasher,
					       const uint8_t subkey[CL_BLOCK_BYTES],
					       uint8_t hash[CL_BLOCK_BYTES], const uint8_t *data,
					       size_t len)
{
	return len == 0 ? 0 : hasher->hash(hasher->hw, subkey, hash, data, len);
}

/** Computes GHASH of a message; @p ciphertext has message->len bytes. */
static int hash_message(const struct cl_hasher *hasher, const struct cl_gcm_message *message,
			const uint8_t *ciphertext, const uint8_t subkey[CL_BLOCK_BYTES],
			uint8_t hash[CL_BLOCK_BYTES])
{
	_Alignas(4) uint8_t lengths[CL_BLOCK_BYTES];
	int status;

	put_bits(lengths, message->aad_len);
	put_bits(lengths + CL_BLOCK_BYTES / 2, message->len);
	memset(hash, 0, CL_BLOCK_BYTES);
	status = hash_part(hasher, subkey, hash, message->aad, message->aad_len);
	if (status == 0) {
		status = hash_part(hasher, subkey, hash, ciphertext, message->len);
	}
	if (status == 0) {
		status = hash_part(hasher, subkey, hash, lengths, sizeof(lengths));
	}
	return status;
}

static int compose_with(const struct cl_engine *engine, const struct cl_engine_key *key,
			const struct cl_gcm_message *message, struct secrets *secrets)
{
	static const uint8_t zeros[CL_BLOCK_BYTES];
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
	if (status == 0) {
		status = hash_message(engine->hasher != NULL ? engine->hasher : &cl_hasher_c,
				      message, message->decrypt ? message->in : message->out,
				      secrets->subkey, tag);
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

/**
 * Computes GCM from the engine's CTR mode and from GHASH. The function is not inlined, so that
 * `secrets` occupies stack only for engines without a GCM operation of their own.
 */
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
