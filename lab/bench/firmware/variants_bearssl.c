/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One of BearSSL's implementations of AES: ct, big or small. The build selects it with BENCH_AES.
 * The variant supports CBC and CTR, in place. BearSSL's sources come from a Debian package: see
 * lab/bench/peers.py.
 */
#include "board_bench.h"

#include <bearssl.h>

#include "engine/ctr.h"

#define PASTE(a, b, c) a##b##c
#define NAME(a, b, c)  PASTE(a, b, c)
#define AES(what)      NAME(br_aes_, BENCH_AES, what)

/*
 * BearSSL's key structures. The program stores one of these structures in the memory of a struct
 * cl_engine_key.
 */
union context {
	AES(_cbcenc_keys) encrypt;
	AES(_cbcdec_keys) decrypt;
	AES(_ctr_keys) ctr;
};

_Static_assert(sizeof(union context) <= sizeof(struct cl_engine_key), "a context fits a key");

static int set_key(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
		   unsigned int key_bits, bool decrypt)
{
	union context *const context = (union context *)(void *)key;

	(void)hw;
	if (decrypt) {
		AES(_cbcdec_init)(&context->decrypt, key_bytes, key_bits / 8);
	} else {
		AES(_cbcenc_init)(&context->encrypt, key_bytes, key_bits / 8);
	}
	return 0;
}

static int set_ctr_key(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
		       unsigned int key_bits, bool decrypt)
{
	union context *const context = (union context *)(void *)key;

	(void)hw;
	(void)decrypt;
	AES(_ctr_init)(&context->ctr, key_bytes, key_bits / 8);
	return 0;
}

static int cbc_encrypt(void *hw, const struct cl_engine_key *key, uint32_t chain[4],
		       const uint32_t *in, uint32_t *out, size_t blocks)
{
	const union context *const context = (const union context *)(const void *)key;

	(void)hw;
	(void)in;
	AES(_cbcenc_run)(&context->encrypt, chain, out, 16 * blocks);
	return 0;
}

static int cbc_decrypt(void *hw, const struct cl_engine_key *key, uint32_t chain[4],
		       const uint32_t *in, uint32_t *out, size_t blocks)
{
	const union context *const context = (const union context *)(const void *)key;

	(void)hw;
	(void)in;
	AES(_cbcdec_run)(&context->decrypt, chain, out, 16 * blocks);
	return 0;
}

static int ctr_encrypt(void *hw, const struct cl_engine_key *key, uint32_t chain[4],
		       const uint32_t *in, uint32_t *out, size_t blocks)
{
	const union context *const context = (const union context *)(const void *)key;
	const uint32_t count = cl_ctr_swap(chain[3]);

	(void)hw;
	(void)in;
	chain[3] = cl_ctr_swap(AES(_ctr_run)(&context->ctr, chain, count, out, 16 * blocks));
	return 0;
}

#define THRICE(name)                                                                               \
	{                                                                                          \
		name, name, name                                                                   \
	}

static cl_modes_run *const ctr[3] = THRICE(ctr_encrypt);

static const struct cl_modes modes = {
	.name = "bearssl",
	.set_key = set_key,
	.cbc = {THRICE(cbc_encrypt), THRICE(cbc_decrypt)},
};

const struct bench_variant bench_variants[] = {
	{.modes = &modes, .set_ctr_key = set_ctr_key, .ctr = ctr},
};

const uint32_t bench_variant_count = sizeof(bench_variants) / sizeof(bench_variants[0]);
