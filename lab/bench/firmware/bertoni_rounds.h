/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Rounds and key schedule of AES with the instruction sets of Bertoni et al. 2006. This file
 * compiles only for the board's CPU. The encoding of the operands is our own: lab/isa/bertoni.py
 * defines the encoding and contains the hardware. No instruction has a side effect, so the compiler
 * is allowed to reorder them.
 */
#ifndef BERTONI_ROUNDS_H
#define BERTONI_ROUNDS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "aes/aes_inverse.h"
#include "aes/table_rounds.h"
#include "c_modes.h"

/* Operation codes: bits 4:0 of funct7, as in lab/isa/bertoni.py. */
#define BERTONI_SUB_WORD 0x00
#define BERTONI_S_MIX_W  0x01
#define BERTONI_KSFW     0x02
#define BERTONI_SBOX     0x04
#define BERTONI_S_MIX    0x05
#define BERTONI_INVERSE  0x08

/**
 * Executes the instruction with the operation code @p operation, or the inverse instruction if @p
 * inverse is true. A byte instruction uses byte @p select of @p rs1_, and a word instruction uses
 * the whole word.
 */
#define BERTONI(operation, inverse, select, rs1_, rs2_)                                            \
	({                                                                                         \
		uint32_t rd_;                                                                      \
		__asm__(".insn r 0x0b, 1, %3, %0, %1, %z2"                                         \
			: "=r"(rd_)                                                                \
			: "r"(rs1_), "rJ"(rs2_),                                                   \
			  "i"((select) << 5 | (operation) | ((inverse) ? BERTONI_INVERSE : 0)));   \
		rd_;                                                                               \
	})

/**
 * Applies SubBytes, or InvSubBytes if @p inverse is true, to the byte in row @p select of a column.
 * Returns a column in which all other rows are 0.
 */
#define BERTONI_BYTE(inverse, select, word)                                                        \
	(BERTONI(BERTONI_SBOX, inverse, select, word, 0) << 8 * (select))

/**
 * Computes one column with four byte-oriented instructions and four XORs. A round has four columns,
 * so it takes sixteen instructions and sixteen XORs.
 */
#define BERTONI_SHARES(share, k, a, b, c, d)                                                       \
	((k) ^ share(0, a) ^ share(1, b) ^ share(2, c) ^ share(3, d))

/** Returns column @p c of the result of (Inv)ShiftRows. Does not change the state @p s. */
static inline __attribute__((always_inline)) uint32_t
bertoni_gather(bool inverse, const uint32_t s[4], unsigned int c)
{
	return (s[c] & 0xffu) | (s[cl_table_source(inverse, c, 1)] & 0xff00u) |
	       (s[cl_table_source(inverse, c, 2)] & 0xff0000u) |
	       (s[cl_table_source(inverse, c, 3)] & 0xff000000u);
}

#define BERTONI_FROM(inverse, s, c, row) s[cl_table_source(inverse, c, row)]
#define BERTONI_MIX(row, word)           BERTONI(BERTONI_S_MIX, false, row, word, 0)
#define BERTONI_INV_MIX(row, word)       BERTONI(BERTONI_S_MIX, true, row, word, 0)
#define BERTONI_SUB(row, word)           BERTONI_BYTE(false, row, word)
#define BERTONI_INV_SUB(row, word)       BERTONI_BYTE(true, row, word)
#define BERTONI_COLUMN(share, inverse, s, c, k)                                                    \
	BERTONI_SHARES(share, (k)[c], s[c], BERTONI_FROM(inverse, s, c, 1),                        \
		       BERTONI_FROM(inverse, s, c, 2), BERTONI_FROM(inverse, s, c, 3))

/**
 * Computes a round with the byte-oriented instruction set. @p last and @p inverse are compile-time
 * constants.
 */
static inline __attribute__((always_inline)) void bertoni_byte_round(bool last, bool inverse,
								     uint32_t next[4],
								     const uint32_t s[4],
								     const uint32_t *k)
{
#pragma GCC unroll 4
	for (unsigned int c = 0; c < 4; c++) {
		if (last) {
			next[c] = inverse ? BERTONI_COLUMN(BERTONI_INV_SUB, true, s, c, k)
					  : BERTONI_COLUMN(BERTONI_SUB, false, s, c, k);
		} else {
			next[c] = inverse ? BERTONI_COLUMN(BERTONI_INV_MIX, true, s, c, k)
					  : BERTONI_COLUMN(BERTONI_MIX, false, s, c, k);
		}
	}
}

/**
 * Computes a round with the word-oriented instruction set: one instruction for each of the four
 * columns. bertoni_gather() collects the bytes of each input column.
 */
static inline __attribute__((always_inline)) void bertoni_word_round(bool last, bool inverse,
								     uint32_t next[4],
								     const uint32_t s[4],
								     const uint32_t *k)
{
#pragma GCC unroll 4
	for (unsigned int c = 0; c < 4; c++) {
		const uint32_t column = bertoni_gather(inverse, s, c);

		next[c] = k[c] ^
			  BERTONI(last ? BERTONI_SUB_WORD : BERTONI_S_MIX_W, inverse, 0, column, 0);
	}
}

/**
 * Computes SubWord of @p word: with the instruction `sub_word` if @p words is true, otherwise with
 * the instruction `sbox`.
 */
static inline uint32_t bertoni_sub_word(bool words, uint32_t word)
{
	return words ? BERTONI(BERTONI_SUB_WORD, false, 0, word, 0)
		     : BERTONI_SHARES(BERTONI_SUB, 0, word, word, word, word);
}

/**
 * Computes InvMixColumns of one column. The instruction that computes InvMixColumns applies
 * InvSubBytes first. So the code applies SubBytes beforehand: the two steps cancel.
 */
static inline uint32_t bertoni_inv_mix(bool words, uint32_t word)
{
	const uint32_t sub = bertoni_sub_word(words, word);

	return words ? BERTONI(BERTONI_S_MIX_W, true, 0, sub, 0)
		     : BERTONI_SHARES(BERTONI_INV_MIX, 0, sub, sub, sub, sub);
}

/**
 * Implements cl_modes.set_key: computes the round keys (FIPS-197, 5.2). If @p words is true, uses
 * the word-oriented instruction set. Its instruction `ksfw` rotates a word, substitutes its bytes
 * and adds the round constant.
 */
static inline int bertoni_set_key(bool words, struct cl_engine_key *key, const uint8_t *key_bytes,
				  unsigned int key_bits, bool decrypt)
{
	const unsigned int n = key_bits / 32;
	uint32_t *const w = key->round_key;
	uint32_t rcon = 0x01;

	if (key_bits != 128 && key_bits != 192 && key_bits != 256) {
		return -EINVAL;
	}
	memcpy(w, key_bytes, key_bits / 8);
	for (unsigned int i = n, p = 0; i < 4 * (n + 7); i++, p = p == n - 1 ? 0 : p + 1) {
		uint32_t word = w[i - 1];

		if (p == 0) {
			word = words ? BERTONI(BERTONI_KSFW, false, 0, word, rcon)
				     : bertoni_sub_word(false, word >> 8 | word << 24) ^ rcon;
			rcon = rcon << 1 ^ (rcon >> 7) * 0x11b;
		} else if (n == 8 && p == 4) {
			word = bertoni_sub_word(words, word);
		}
		w[i] = w[i - n] ^ word;
	}
	key->key_bits = (uint16_t)key_bits;
	key->rounds = (uint8_t)(n + 6);
	if (decrypt) {
		cl_aes_reverse_round_keys(key);
		for (unsigned int i = 4; i < 4u * key->rounds; i++) {
			w[i] = bertoni_inv_mix(words, w[i]);
		}
	}
	return 0;
}

#endif
