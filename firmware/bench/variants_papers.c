/*
 * ECB one block at a time, as Tables 4 and 5 of Jenkins et al. 2007 compare: a style of C, and the
 * same with the round made of instructions, the vector unit's or another set's.
 *
 * BENCH_STYLE is CL_C_LOOP, whose rounds end by copying the state back, CL_C_SWAP, which exchanges
 * the pointers to the two states by three XORs, or CL_C_UNROLLED. In the first two a round is a
 * function that is called, in the last they stand in a row, a function for each key length.
 * BENCH_FORM says what a round is made of:
 *
 *   BENCH_TABLES, BENCH_BYTES        C
 *   BENCH_ZKN                        the ratified scalar instructions
 *   BENCH_BYTE_SET, BENCH_WORD_SET   the sets of Bertoni et al. 2006
 *   BENCH_ROM_ROUNDS                 those of VexRiscv's AES plugin
 *   BENCH_PTLU                       the parallel table lookup of Fiskiran and Lee
 *   BENCH_WIDER                      instructions on wider registers (wide_rounds.h), unrolled
 *   BENCH_ISE   instructions, in the function; the round's key goes into the one register k0.
 *               Unrolled, the state stays in v0.
 *   BENCH_KEPT  the same with the state in v0 all the way; in the loop a round is four loads, two
 *               `key_write` and the paper's two. Unrolled, the keys lie in k0 to k14 beforehand.
 *
 * Round keys are expanded beforehand, of decryption for the equivalent inverse cipher.
 */
#include "board_bench.h"

#include "bertoni_rounds.h"
#include "c_modes.h"
#include "ptlu_rounds.h"
#include "rom_rounds.h"
#include "scalar/engine_zkn.h"
#include "vector/ise.h"
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
	BENCH_KEPT
};

#define ISE        (BENCH_FORM >= BENCH_ISE)
#define IN_VECTORS (BENCH_FORM == BENCH_KEPT || (ISE && BENCH_STYLE == CL_C_UNROLLED))
#define HELD_KEYS  (BENCH_FORM == BENCH_KEPT && BENCH_STYLE == CL_C_UNROLLED)
/* A function of its own, of which the compiler knows nothing where it is called. */
#define APART __attribute__((noipa))

CL_C_INLINE void write_key(unsigned int k, const uint32_t *round_key)
{
	CL_ISA_KEY_WRITE(0, k, round_key[0], round_key[1]);
	CL_ISA_KEY_WRITE(1, k, round_key[2], round_key[3]);
}

CL_C_INLINE void move_in(const uint32_t state[4])
{
	CL_ISA_MOVE_IN(0, 0, state[0], state[1]);
	CL_ISA_MOVE_IN(1, 0, state[2], state[3]);
}

CL_C_INLINE void move_out(uint32_t state[4])
{
	uint32_t words[4];

	words[0] = CL_ISA_MOVE_OUT_XOR(0, 0, 0);
	words[1] = CL_ISA_MOVE_OUT_XOR(1, 0, 0);
	words[2] = CL_ISA_MOVE_OUT_XOR(2, 0, 0);
	words[3] = CL_ISA_MOVE_OUT_XOR(3, 0, 0);
	cl_c_copy(state, words);
}

/** The paper's two instructions of a round, on v0, with the round's key in k0. */
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

/** A round of BENCH_FORM; @p last and @p inverse are constants. */
CL_C_INLINE void any_round(bool last, bool inverse, uint32_t next[4], const uint32_t state[4],
			   const uint32_t *round_key)
{
	const struct cl_c_cipher by_c = {
		.by = BENCH_FORM == BENCH_BYTES ? CL_C_BYTES
		      : BENCH_FORM == BENCH_ZKN ? CL_C_ZKN
						: CL_C_TABLES,
		.inverse = inverse,
	};

	if (ISE) {
		move_in(state);
		vector_round(last, inverse, round_key);
		move_out(next);
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

/** Rounds in a row, from the one state to the other and back. */
CL_C_INLINE void in_a_row(bool inverse, unsigned int rounds, const uint32_t *k, const uint32_t *in,
			  uint32_t *out)
{
	uint32_t s[4];
	uint32_t t[4];

	cl_c_copy(s, in);
	if (BENCH_FORM == BENCH_ROM_ROUNDS) {
		rom_turn(s);
	}
	cl_c_xor(s, k);
#pragma GCC unroll 7
	for (unsigned int r = 1; r + 1 < rounds; r += 2) {
		any_round(false, inverse, t, s, k + 4 * r);
		any_round(false, inverse, s, t, k + 4 * r + 4);
	}
	any_round(false, inverse, t, s, k + 4 * rounds - 4);
	any_round(true, inverse, s, t, k + 4 * rounds);
	if (BENCH_FORM == BENCH_ROM_ROUNDS) {
		rom_turn(s);
	}
	cl_c_copy(out, s);
}

/** The state in two arrays; rounds are functions. */
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

/** The state in v0. */
CL_C_INLINE void vector_block(bool inverse, unsigned int rounds, const uint32_t *k,
			      const uint32_t *end, const uint32_t *in, uint32_t *out)
{
	const struct cl_ise_cipher cipher = {CL_ISE_PAPER, inverse, rounds};

	if (HELD_KEYS) {
		move_in(in);
		CL_ISA_ROUND_XOR(0, 0);
		cl_ise_rounds(cipher, 1);
	} else {
		move_in(in);
		write_key(0, k);
		CL_ISA_ROUND_XOR(0, 0);
		if (BENCH_STYLE == CL_C_UNROLLED) {
#pragma GCC unroll 14
			for (unsigned int r = 1; r < cipher.rounds; r++) {
				vector_round(false, inverse, k + 4 * r);
			}
			vector_round(true, inverse, k + 4 * cipher.rounds);
		} else {
			for (k += 4; k != end; k += 4) {
				vector_round(false, inverse, k);
			}
			vector_round(true, inverse, k);
		}
	}
	move_out(out);
}

/** All round keys into k0 to k14, where they are held. */
CL_C_INLINE void hold_keys(const uint32_t *round_key)
{
#pragma GCC unroll 15
	for (unsigned int k = 0; HELD_KEYS && k < 15; k++) {
		write_key(k, round_key + 4 * k);
	}
}

/** A block and its ECB for one key length; rounds that are called take as many as the key has. */
#define LENGTH(direction, inverse_, key_bits)                                                      \
	APART static void block_##direction##_##key_bits(const struct cl_engine_key *key,          \
							 const uint32_t *in, uint32_t *out)        \
	{                                                                                          \
		const uint32_t *k = key->round_key;                                                \
		const uint32_t *const end = k + 4u * key->rounds;                                  \
                                                                                                   \
		if (BENCH_FORM == BENCH_WIDER) {                                                   \
			wide_block(inverse_, (key_bits) / 32 + 6, in, out);                        \
		} else if (IN_VECTORS) {                                                           \
			vector_block(inverse_, (key_bits) / 32 + 6, k, end, in, out);              \
		} else if (BENCH_STYLE == CL_C_UNROLLED) {                                         \
			in_a_row(inverse_, (key_bits) / 32 + 6, k, in, out);                       \
		} else {                                                                           \
			CALLED(inverse_, round_##direction, last_##direction);                     \
		}                                                                                  \
	}                                                                                          \
                                                                                                   \
	static int ecb_##direction##_##key_bits(void *hw, const struct cl_engine_key *key,         \
						uint32_t chain[4], const uint32_t *in,             \
						uint32_t *out, size_t blocks)                      \
	{                                                                                          \
		(void)hw;                                                                          \
		(void)chain;                                                                       \
		hold_keys(key->round_key);                                                         \
		for (; blocks > 0; blocks--, in += 4, out += 4) {                                  \
			block_##direction##_##key_bits(key, in, out);                              \
		}                                                                                  \
		return 0;                                                                          \
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
