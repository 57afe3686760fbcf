/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The block cipher in C. The code arranges the rounds in one of three styles: a loop over rounds, a
 * loop over pairs of rounds, or no loop. It computes a round in one of three ways: by byte
 * operations, by tables, or by instructions of an ISA extension. A user of an ISA extension must
 * include the extension's header before this header. The extension's header must define
 * CL_C_INSTRUCTION_ROUND and CL_C_INSTRUCTION_LAST.
 *
 * Everything is inlined with constant arguments, so each use compiles to its own code.
 */
#ifndef CL_C_CIPHER_H
#define CL_C_CIPHER_H

#include <stdbool.h>
#include <stdint.h>

#include "aes/byte_rounds.h"
#include "engine/engine.h"
#include "aes/table_rounds.h"

/** Selects how a round is computed. */
enum cl_c_rounds {
	CL_C_BYTES,
	CL_C_TABLES,
	/** Uses instructions of an ISA extension; the SoC must contain the unit that runs them. */
	CL_C_INSTRUCTIONS,
};

/** Selects how the code arranges the rounds: the three styles of Jenkins et al. 2007. */
enum cl_c_style {
	/**
	 * A loop over rounds. At the end of each round, the code copies the new state over the old
	 * one.
	 */
	CL_C_LOOP,
	/**
	 * A loop over pairs of rounds. The first round writes a second state, and the second round
	 * writes the first state again, so no copies are needed.
	 */
	CL_C_SWAP,
	/** No loop: all rounds in sequence. Needs a constant number of rounds. */
	CL_C_UNROLLED,
};

struct cl_c_cipher {
	enum cl_c_rounds by;
	/** True selects the equivalent inverse cipher, with round keys from cl_aes_invert_key. */
	bool inverse;
	enum cl_c_style style;
	/**
	 * Number of rounds for CL_C_UNROLLED: 10, 12 or 14. For the other styles this member is 0,
	 * because their code reads the number of rounds from the key structure.
	 */
	unsigned int rounds;
};

#ifndef CL_C_INLINE
#define CL_C_INLINE static inline __attribute__((always_inline))
#endif

CL_C_INLINE void cl_c_round(struct cl_c_cipher cipher, uint32_t next[4], const uint32_t state[4],
			    const uint32_t *round_key)
{
#ifdef CL_C_INSTRUCTION_ROUND
	if (cipher.by == CL_C_INSTRUCTIONS) {
		CL_C_INSTRUCTION_ROUND(cipher.inverse, next, state, round_key);
		return;
	}
#endif
	if (cipher.by == CL_C_TABLES) {
		cl_table_round(cipher.inverse, next, state, round_key);
	} else {
		cl_byte_round(cipher.inverse, next, state, round_key);
	}
}

CL_C_INLINE void cl_c_last(struct cl_c_cipher cipher, uint32_t next[4], const uint32_t state[4],
			   const uint32_t *round_key)
{
#ifdef CL_C_INSTRUCTION_LAST
	if (cipher.by == CL_C_INSTRUCTIONS) {
		CL_C_INSTRUCTION_LAST(cipher.inverse, next, state, round_key);
		return;
	}
#endif
	if (cipher.by == CL_C_TABLES) {
		cl_table_last(cipher.inverse, next, state, round_key);
	} else {
		cl_byte_last(cipher.inverse, next, state, round_key);
	}
}

CL_C_INLINE void cl_c_copy(uint32_t to[4], const uint32_t from[4])
{
	to[0] = from[0];
	to[1] = from[1];
	to[2] = from[2];
	to[3] = from[3];
}

CL_C_INLINE void cl_c_xor(uint32_t to[4], const uint32_t from[4])
{
	to[0] ^= from[0];
	to[1] ^= from[1];
	to[2] ^= from[2];
	to[3] ^= from[3];
}

/** Encrypts or decrypts one block; @p out can be equal to @p in. */
CL_C_INLINE void cl_c_block(struct cl_c_cipher cipher, const struct cl_engine_key *key,
			    const uint32_t in[4], uint32_t out[4])
{
	const unsigned int rounds = cipher.style == CL_C_UNROLLED ? cipher.rounds : key->rounds;
	const uint32_t *k = key->round_key;
	const uint32_t *const last = k + 4 * rounds;
	uint32_t s[4];
	uint32_t t[4];

	cl_c_copy(s, in);
	cl_c_xor(s, k);
	if (cipher.style == CL_C_LOOP) {
		for (k += 4; k != last; k += 4) {
			cl_c_round(cipher, t, s, k);
			cl_c_copy(s, t);
		}
		cl_c_last(cipher, t, s, last);
	} else if (cipher.style == CL_C_SWAP) {
		for (;;) {
			cl_c_round(cipher, t, s, k + 4);
			k += 8;
			/*
			 * The loop always ends here, after the first round of a pair, because the
			 * number of middle rounds is odd (9, 11 or 13).
			 */
			if (k == last) {
				break;
			}
			cl_c_round(cipher, s, t, k);
		}
		cl_c_last(cipher, s, t, last);
		cl_c_copy(t, s);
	} else {
#pragma GCC unroll 7
		for (unsigned int r = 1; r < rounds - 1; r += 2) {
			cl_c_round(cipher, t, s, k + 4 * r);
			cl_c_round(cipher, s, t, k + 4 * r + 4);
		}
		cl_c_round(cipher, t, s, k + 4 * rounds - 4);
		cl_c_last(cipher, s, t, last);
		cl_c_copy(t, s);
	}
	cl_c_copy(out, t);
}

#endif
