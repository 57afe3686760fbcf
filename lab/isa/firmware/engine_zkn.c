/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Engine `zkn`: AES with the scalar cryptography instructions aes32esmi and aes32esi. A round
 * consists of sixteen instructions, as the RISC-V extension proposes. The key schedule uses these
 * instructions, too.
 */
#include "engine_zkn.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "aes/aes_inverse.h"
#include "zkn_rounds.h"
#include "aes/c_cipher.h"
#include "cl_wire.h"
#include "engine/ctr.h"
#include "aes/engines.h"

static inline __attribute__((always_inline)) void
encrypt(unsigned int rounds, const struct cl_engine_key *key, const uint32_t in[4], uint32_t out[4])
{
	cl_c_block((struct cl_c_cipher){.by = CL_C_INSTRUCTIONS,
					.style = CL_C_UNROLLED,
					.rounds = rounds},
		   key, in, out);
}

static void cipher(const struct cl_engine_key *key, const uint32_t in[4], uint32_t out[4])
{
	if (key->rounds == 10) {
		encrypt(10, key, in, out);
	} else if (key->rounds == 12) {
		encrypt(12, key, in, out);
	} else {
		encrypt(14, key, in, out);
	}
}

/** Computes SubWord(@p word) XOR @p addend (FIPS-197, 5.2). */
static inline uint32_t substitute_word(uint32_t word, uint32_t addend)
{
	return CL_ZKN_COLUMN(CL_ZKN_ESI, addend, word, word, word, word);
}

/**
 * Expands the key (FIPS-197, 5.2). The array @p w starts with the cipher key, which has @p
 * key_words words. The function writes the remaining words of the round keys after the cipher key.
 */
static inline __attribute__((always_inline)) void expand(uint32_t *w, unsigned int key_words)
{
	const unsigned int words = 4 * (key_words + 7);
	uint32_t rcon = 0x01;

	for (unsigned int i = key_words; i < words; i += key_words, w += key_words) {
		const uint32_t last = w[key_words - 1];
		uint32_t word = substitute_word(last >> 8 | last << 24, w[0] ^ rcon);

		w[key_words] = word;
#pragma GCC unroll 8
		for (unsigned int p = 1; p < key_words; p++) {
			if (i + p < words) {
				word = key_words == 8 && p == 4 ? substitute_word(word, w[p])
								: word ^ w[p];
				w[key_words + p] = word;
			}
		}
		rcon = rcon << 1 ^ (rcon >> 7) * 0x11b;
	}
}

/**
 * Turns round keys of encryption into round keys of the equivalent inverse cipher (FIPS-197,
 * 5.3.5).
 */
static void invert(struct cl_engine_key *key)
{
	cl_aes_reverse_round_keys(key);
	for (unsigned int i = 4; i < 4u * key->rounds; i++) {
		/*
		 * Compute InvMixColumns. The instruction aes32dsmi applies InvSubBytes first, so
		 * apply SubBytes beforehand: the two cancel.
		 */
		const uint32_t word = substitute_word(key->round_key[i], 0);

		key->round_key[i] = CL_ZKN_COLUMN(CL_ZKN_DSMI, 0, word, word, word, word);
	}
}

int cl_modes_zkn_set_key(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
			 unsigned int key_bits, bool decrypt)
{
	(void)hw;
	if (key_bits != 128 && key_bits != 192 && key_bits != 256) {
		return -EINVAL;
	}
	memcpy(key->round_key, key_bytes, key_bits / 8);
	if (key_bits == 128) {
		expand(key->round_key, 4);
	} else if (key_bits == 192) {
		expand(key->round_key, 6);
	} else {
		expand(key->round_key, 8);
	}
	key->key_bits = (uint16_t)key_bits;
	key->rounds = (uint8_t)(key_bits / 32 + 6);
	if (decrypt) {
		invert(key);
	}
	return 0;
}

static int set_key(const struct cl_engine *engine, struct cl_engine_key *key,
		   const uint8_t *key_bytes, unsigned int key_bits)
{
	return cl_modes_zkn_set_key(engine->hw, key, key_bytes, key_bits, false);
}

static int ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
	       const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out, size_t len)
{
	(void)engine;
	if (key->key_bits == 0) {
		return -EINVAL;
	}
	cl_ctr_run(cipher, key, counter, in, out, len);
	return 0;
}

const struct cl_engine cl_engine_zkn = {
	.code = CL_WIRE_ENGINE_ZKN,
	.name = "zkn",
	.set_key = set_key,
	.ctr = ctr,
	.clear = cl_engine_c_clear,
};
