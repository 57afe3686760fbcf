/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The variants of ECB that Tables 4 and 5 of Jenkins et al. 2007 compare. Most variants process one
 * block at a time. The variants differ in the style of the C code, and in the instructions for a
 * round: plain C, the vector unit's instructions, or another instruction set.
 *
 * BENCH_STYLE selects how the code arranges the rounds. With CL_C_LOOP, the code copies the state
 * at the end of each round. With CL_C_SWAP, the code exchanges the pointers to two states with
 * three XORs. In both styles, a loop calls a function for each round. With CL_C_UNROLLED, a
 * function for each key length contains all rounds one after the other, without calls.
 *
 * BENCH_FORM selects what a round consists of:
 *
 *   BENCH_TABLES, BENCH_BYTES        plain C, with tables or with single bytes
 *   BENCH_ZKN                        the ratified scalar instructions
 *   BENCH_BYTE_SET, BENCH_WORD_SET   the instruction sets of Bertoni et al. 2006
 *   BENCH_ROM_ROUNDS                 the instructions of VexRiscv's AES plugin
 *   BENCH_PTLU                       the parallel table lookup of Fiskiran and Lee
 *   BENCH_WIDER                      instructions on wider registers (wide_rounds.h), unrolled
 *   BENCH_ISE   the vector unit's instructions. The function of a round moves the state into the
 *               unit and back, and writes the round key to register k0. In unrolled code, the
 *               state stays in register v0.
 *   BENCH_KEPT  like BENCH_ISE, but the state stays in v0 for all rounds. In the loop, a round
 *               consists of four loads, two `key_write` and the paper's two instructions. In
 *               unrolled code, k0 to k14 contain all round keys before the first block.
 *   BENCH_FUSED like BENCH_KEPT, unrolled, with one instruction for each round.
 *   BENCH_VMEM  like BENCH_FUSED, with vector loads and stores: they bypass the data cache.
 *
 * A call processes BENCH_BLOCKS independent blocks. The code computes each round for BENCH_SIDE
 * blocks together, and the instructions for these blocks can alternate. BENCH_SIDE is more than 1
 * only in unrolled code.
 *
 * The round keys are computed before the measurement; decryption uses the equivalent inverse
 * cipher.
 */
#include <errno.h>

#include "board_bench.h"

#include "bertoni_rounds.h"
#include "c_modes.h"
#include "ptlu_rounds.h"
#include "rom_rounds.h"
#include "engine_zkn.h"
#include "vector/engine_ise.h"
#include "vector/ise.h"
#include "vector/ise_words.h"
#include "wide_rounds.h"

enum form {
	BENCH_TABLES,
	BENCH_BYTES,
	BENCH_ZKN,
	BENCH_BYTE_SET,
	BENCH_WORD_SET,
	BENCH_ROM_ROUNDS,
	BENCH_PTLU,
	BENCH_WIDER,
	BENCH_ISE,
	BENCH_KEPT,
	BENCH_FUSED,
	BENCH_VMEM
};

#ifdef BENCH_BLOCKS
/*
 * Place these functions next to each other in memory. Otherwise a function and its caller can map
 * to the same lines of the instruction cache. The measured speed would then depend on the addresses
 * that the linker chooses.
 */
#define TOGETHER(name) __attribute__((section(".text.together_" #name)))
#else
#define BENCH_BLOCKS 1u
#define TOGETHER(name)
#endif
#ifndef BENCH_SIDE
#define BENCH_SIDE 1u
#endif

#define ISE        (BENCH_FORM >= BENCH_ISE)
#define IN_VECTORS (BENCH_FORM >= BENCH_KEPT || (ISE && BENCH_STYLE == CL_C_UNROLLED))
#define HELD_KEYS  (BENCH_FORM >= BENCH_KEPT && BENCH_STYLE == CL_C_UNROLLED)
/*
 * The compiler does not inline a function with this attribute, and does not use the function's body
 * to optimise the callers.
 */
#define APART __attribute__((noipa))

CL_C_INLINE void write_key(unsigned int k, const uint32_t *round_key)
{
	CL_ISA_KEY_WRITE(0, k, round_key[0], round_key[1]);
	CL_ISA_KEY_WRITE(1, k, round_key[2], round_key[3]);
}

CL_C_INLINE void move_in(unsigned int s, const uint32_t state[4])
{
	CL_ISA_MOVE_IN(0, s, state[0], state[1]);
	CL_ISA_MOVE_IN(1, s, state[2], state[3]);
}

CL_C_INLINE void move_out(unsigned int s, uint32_t state[4])
{
	uint32_t words[4];

	words[0] = CL_ISA_MOVE_OUT_XOR(0, s, 0);
	words[1] = CL_ISA_MOVE_OUT_XOR(1, s, 0);
	words[2] = CL_ISA_MOVE_OUT_XOR(2, s, 0);
	words[3] = CL_ISA_MOVE_OUT_XOR(3, s, 0);
	cl_c_copy(state, words);
}

/**
 * Computes a round on register v0 with the two instructions that Jenkins et al. propose. Register
 * k0 contains the round key.
 */
CL_C_INLINE void vector_round(bool last, bool inverse, const uint32_t *round_key)
{
	write_key(0, round_key);
	if (!last) {
		cl_ise_round((struct cl_ise_cipher){.style = CL_ISE_PAPER, .inverse = inverse}, 0,
			     1);
	} else if (inverse) {
		CL_ISA_SHIFT_ROWS_INV(0);
		CL_ISA_SBOX_XOR_INV(CL_ISA_LAST_K0, 0);
	} else {
		CL_ISA_SHIFT_ROWS(0);
		CL_ISA_SBOX_XOR(CL_ISA_LAST_K0, 0);
	}
}

/**
 * Computes a round with the instructions that BENCH_FORM selects; @p last and @p inverse are
 * compile-time constants.
 */
CL_C_INLINE void any_round(bool last, bool inverse, uint32_t next[4], const uint32_t state[4],
			   const uint32_t *round_key)
{
	const struct cl_c_cipher by_c = {
		.by = BENCH_FORM == BENCH_BYTES ? CL_C_BYTES
		      : BENCH_FORM == BENCH_ZKN ? CL_C_INSTRUCTIONS
						: CL_C_TABLES,
		.inverse = inverse,
	};

	if (ISE) {
		move_in(0, state);
		vector_round(last, inverse, round_key);
		move_out(0, next);
	} else if (BENCH_FORM == BENCH_BYTE_SET) {
		bertoni_byte_round(last, inverse, next, state, round_key);
	} else if (BENCH_FORM == BENCH_WORD_SET) {
		bertoni_word_round(last, inverse, next, state, round_key);
	} else if (BENCH_FORM == BENCH_ROM_ROUNDS) {
		rom_round(last, inverse, next, state, round_key);
	} else if (BENCH_FORM == BENCH_PTLU) {
		ptlu_round(last, inverse, next, state, round_key);
	} else if (last) {
		cl_c_last(by_c, next, state, round_key);
	} else {
		cl_c_round(by_c, next, state, round_key);
	}
}

/** Computes a round for each of BENCH_SIDE blocks. */
CL_C_INLINE void any_rounds(bool last, bool inverse, uint32_t next[][4], const uint32_t state[][4],
			    const uint32_t *round_key)
{
#pragma GCC unroll 8
	for (unsigned int b = 0; b < BENCH_SIDE; b++) {
		any_round(last, inverse, next[b], state[b], round_key);
	}
}

/**
 * Computes all rounds of BENCH_SIDE blocks without calls. Each round reads one of two state arrays
 * and writes the other.
 */
CL_C_INLINE void in_a_row(bool inverse, unsigned int rounds, const uint32_t *k, const uint32_t *in,
			  uint32_t *out)
{
	uint32_t s[BENCH_SIDE][4];
	uint32_t t[BENCH_SIDE][4];

#pragma GCC unroll 8
	for (unsigned int b = 0; b < BENCH_SIDE; b++) {
		cl_c_copy(s[b], in + 4 * b);
		if (BENCH_FORM == BENCH_ROM_ROUNDS) {
			rom_turn(s[b]);
		}
		cl_c_xor(s[b], k);
	}
#pragma GCC unroll 7
	for (unsigned int r = 1; r + 1 < rounds; r += 2) {
		any_rounds(false, inverse, t, s, k + 4 * r);
		any_rounds(false, inverse, s, t, k + 4 * r + 4);
	}
	any_rounds(false, inverse, t, s, k + 4 * rounds - 4);
	any_rounds(true, inverse, s, t, k + 4 * rounds);
#pragma GCC unroll 8
	for (unsigned int b = 0; b < BENCH_SIDE; b++) {
		if (BENCH_FORM == BENCH_ROM_ROUNDS) {
			rom_turn(s[b]);
		}
		cl_c_copy(out + 4 * b, s[b]);
	}
}

/**
 * Computes all rounds of a block by calling a function for each round. Two arrays hold the old and
 * the new state.
 */
#define CALLED(inverse, round, last)                                                               \
	do {                                                                                       \
		uint32_t arrays[2][4];                                                             \
		uint32_t *s = arrays[0];                                                           \
		uint32_t *t = arrays[1];                                                           \
                                                                                                   \
		cl_c_copy(s, in);                                                                  \
		cl_c_xor(s, k);                                                                    \
		for (k += 4; k != end; k += 4) {                                                   \
			round(t, s, k);                                                            \
			if (BENCH_STYLE == CL_C_LOOP) {                                            \
				cl_c_copy(s, t);                                                   \
			} else {                                                                   \
				s = (uint32_t *)((uintptr_t)s ^ (uintptr_t)t);                     \
				t = (uint32_t *)((uintptr_t)s ^ (uintptr_t)t);                     \
				s = (uint32_t *)((uintptr_t)s ^ (uintptr_t)t);                     \
			}                                                                          \
		}                                                                                  \
		last(out, s, k);                                                                   \
	} while (0)

/**
 * Processes BENCH_SIDE blocks in the vector unit. The unit's registers k0 to k14 already contain
 * the round keys.
 */
CL_C_INLINE void held_blocks(bool inverse, unsigned int rounds, const uint32_t *in, uint32_t *out)
{
	const struct cl_ise_cipher cipher = {
		.style = BENCH_FORM == BENCH_KEPT ? CL_ISE_PAPER : CL_ISE_FUSED,
		.inverse = inverse,
		.rounds = rounds,
	};

	uint32_t words[CL_ISE_BATCH_WORDS];

	CL_ISE_EACH (s, BENCH_SIDE) {
		if (BENCH_FORM == BENCH_VMEM) {
			CL_ISA_VLOAD(s, (uintptr_t)in);
		} else if (BENCH_SIDE < CL_ISE_BATCH_BLOCKS) {
			move_in(s, in + 4 * s);
		} else if (s % CL_ISE_BATCH_BLOCKS == 0) {
			cl_ise_load_words(words, in + 4 * s);
			cl_ise_move_in(s, words);
		}
	}
	CL_ISE_EACH (s, BENCH_SIDE) {
		CL_ISA_ROUND_XOR(0, s);
	}
	cl_ise_rounds(cipher, BENCH_SIDE);
	CL_ISE_EACH (s, BENCH_SIDE) {
		if (BENCH_FORM == BENCH_VMEM) {
			CL_ISA_VSTORE(s, (uintptr_t)out);
		} else if (BENCH_SIDE < CL_ISE_BATCH_BLOCKS) {
			move_out(s, out + 4 * s);
		} else if (s % CL_ISE_BATCH_BLOCKS == 0) {
			CL_ISE_EACH_WORD (i) {
				words[i] = CL_ISA_MOVE_OUT_XOR(i % 4, s + i / 4, 0);
			}
			cl_ise_store_words(out + 4 * s, words);
		}
	}
}

/** Processes a block in register v0. Before each round, loads the round key into register k0. */
CL_C_INLINE void vector_block(bool inverse, unsigned int rounds, const uint32_t *k,
			      const uint32_t *end, const uint32_t *in, uint32_t *out)
{
	move_in(0, in);
	write_key(0, k);
	CL_ISA_ROUND_XOR(0, 0);
	if (BENCH_STYLE == CL_C_UNROLLED) {
#pragma GCC unroll 14
		for (unsigned int r = 1; r < rounds; r++) {
			vector_round(false, inverse, k + 4 * r);
		}
		vector_round(true, inverse, k + 4 * rounds);
	} else {
		for (k += 4; k != end; k += 4) {
			vector_round(false, inverse, k);
		}
		vector_round(true, inverse, k);
	}
	move_out(0, out);
}

/**
 * Calls cl_ise_memory_begin() or cl_ise_memory_end(), which must enclose vector loads and stores
 * (see struct cl_ise_memory). Does nothing in variants without vector loads and stores.
 */
CL_C_INLINE int vector_memory(void *hw, bool begins)
{
	const struct cl_ise_device *const device = hw;

	if (BENCH_FORM != BENCH_VMEM) {
		return 0;
	}
	if (begins) {
		cl_ise_memory_begin(&device->memory);
		return 0;
	}
	return cl_ise_memory_end(&device->memory);
}

/**
 * Writes all round keys to registers k0 to k14. Does nothing in variants that do not use these
 * registers for all round keys.
 */
CL_C_INLINE void hold_keys(const uint32_t *round_key)
{
#pragma GCC unroll 15
	for (unsigned int k = 0; HELD_KEYS && k < 15; k++) {
		write_key(k, round_key + 4 * k);
	}
}

/**
 * Defines two functions for one direction and key length. The first processes BENCH_BLOCKS blocks.
 * The second processes a message in ECB, with calls of the first function.
 */
#define LENGTH(direction, inverse_, key_bits)                                                      \
	TOGETHER(direction##_##key_bits)                                                           \
	APART static void block_##direction##_##key_bits(const struct cl_engine_key *key,          \
							 const uint32_t *in, uint32_t *out)        \
	{                                                                                          \
		const uint32_t *const all = in + 4 * BENCH_BLOCKS;                                 \
                                                                                                   \
		if (BENCH_FORM == BENCH_WIDER) {                                                   \
			wide_blocks(inverse_, (key_bits) / 32 + 6, BENCH_BLOCKS, BENCH_SIDE, in,   \
				    out);                                                          \
			return;                                                                    \
		}                                                                                  \
		for (; in != all; in += 4 * BENCH_SIDE, out += 4 * BENCH_SIDE) {                   \
			const uint32_t *k = key->round_key;                                        \
			const uint32_t *const end = k + 4u * key->rounds;                          \
                                                                                                   \
			if (HELD_KEYS) {                                                           \
				held_blocks(inverse_, (key_bits) / 32 + 6, in, out);               \
			} else if (IN_VECTORS) {                                                   \
				vector_block(inverse_, (key_bits) / 32 + 6, k, end, in, out);      \
			} else if (BENCH_STYLE == CL_C_UNROLLED) {                                 \
				in_a_row(inverse_, (key_bits) / 32 + 6, k, in, out);               \
			} else {                                                                   \
				CALLED(inverse_, round_##direction, last_##direction);             \
			}                                                                          \
		}                                                                                  \
	}                                                                                          \
                                                                                                   \
	TOGETHER(direction##_##key_bits)                                                           \
	static int ecb_##direction##_##key_bits(void *hw, const struct cl_engine_key *key,         \
						uint32_t chain[4], const uint32_t *in,             \
						uint32_t *out, size_t blocks)                      \
	{                                                                                          \
		(void)chain;                                                                       \
		if (blocks % BENCH_BLOCKS != 0) {                                                  \
			return -EINVAL;                                                            \
		}                                                                                  \
		hold_keys(key->round_key);                                                         \
		(void)vector_memory(hw, true);                                                     \
		for (; blocks > 0;                                                                 \
		     blocks -= BENCH_BLOCKS, in += 4 * BENCH_BLOCKS, out += 4 * BENCH_BLOCKS) {    \
			block_##direction##_##key_bits(key, in, out);                              \
		}                                                                                  \
		return vector_memory(hw, false);                                                   \
	}

#define DIRECTION(direction, inverse_)                                                             \
	APART static void round_##direction(uint32_t next[4], const uint32_t state[4],             \
					    const uint32_t *round_key)                             \
	{                                                                                          \
		any_round(false, inverse_, next, state, round_key);                                \
	}                                                                                          \
                                                                                                   \
	APART static void last_##direction(uint32_t next[4], const uint32_t state[4],              \
					   const uint32_t *round_key)                              \
	{                                                                                          \
		any_round(true, inverse_, next, state, round_key);                                 \
	}                                                                                          \
                                                                                                   \
	LENGTH(direction, inverse_, 128)                                                           \
	LENGTH(direction, inverse_, 192)                                                           \
	LENGTH(direction, inverse_, 256)

DIRECTION(encrypt, false)
DIRECTION(decrypt, true)

#define LENGTHS(name)                                                                              \
	{                                                                                          \
		name##_128, name##_192, name##_256                                                 \
	}

static int set_key(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
		   unsigned int key_bits, bool decrypt)
{
	switch (BENCH_FORM) {
	case BENCH_ZKN:
		return cl_modes_zkn_set_key(hw, key, key_bytes, key_bits, decrypt);
	case BENCH_BYTE_SET:
		return bertoni_set_key(false, key, key_bytes, key_bits, decrypt);
	case BENCH_WORD_SET:
		return bertoni_set_key(true, key, key_bytes, key_bits, decrypt);
	case BENCH_ROM_ROUNDS:
		return rom_set_key(key, key_bytes, key_bits, decrypt);
	case BENCH_PTLU:
		return ptlu_set_key(key, key_bytes, key_bits, decrypt);
	case BENCH_WIDER:
		return wide_set_key(key, key_bytes, key_bits, decrypt);
	default:
		return cl_modes_c_set_key(hw, key, key_bytes, key_bits, decrypt);
	}
}

static const struct cl_modes modes = {
	.name = "papers",
	.set_key = set_key,
	.ecb = {LENGTHS(ecb_encrypt), LENGTHS(ecb_decrypt)},
};

const struct bench_variant bench_variants[] = {
	{.modes = &modes},
};

const uint32_t bench_variant_count = sizeof(bench_variants) / sizeof(bench_variants[0]);
