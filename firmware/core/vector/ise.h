/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * AES with the instructions of the vector AES unit. The engines `ise*` are built from this code.
 *
 * The state registers v0 to v7 hold one block each. The code interleaves the instructions of
 * `blocks` blocks, because an instruction's result can be used only two cycles later: with one
 * block, every second cycle would be lost. Round keys are in k0 to k14, the initial counter block
 * is in k15.
 *
 * Everything here is inlined with constant arguments, because the numbers of the unit's registers
 * are part of the instructions. The compiler generates exactly these instructions.
 */
#ifndef CL_ISE_H
#define CL_ISE_H

#include <stdbool.h>
#include <stdint.h>

#include "cl_isa.h"

#define CL_ISE_BLOCKS_MAX 8u
#define CL_ISE_CONTEXTS   8u
/**
 * Address that cl_ise_clear_queue() uses. The address is misaligned, so the unit refuses every
 * vector load or store with it.
 */
#define CL_ISE_NO_ADDRESS 1u

/*
 * A test bench can define CL_ISE_INLINE without always_inline. There, function calls replace
 * the instructions of the unit, so the code need not be inlined.
 */
#ifndef CL_ISE_INLINE
#define CL_ISE_INLINE static inline __attribute__((always_inline))
#endif

/** A loop that repeats a statement for @p s = 0 to @p blocks - 1. The compiler unrolls the loop. */
#define CL_ISE_EACH(s, blocks) _Pragma("GCC unroll 8") for (unsigned int s = 0; s < (blocks); s++)

/** Selects how many instructions make up a round. */
enum cl_ise_style {
	/**
	 * Two instructions per round, as in Jenkins et al. 2007: the first for ShiftRows, the
	 * second for SubBytes, MixColumns and AddRoundKey.
	 */
	CL_ISE_PAPER,
	/** One instruction for the whole round. */
	CL_ISE_FUSED,
};

/** Parameters of the inlined code. All members are compile-time constants. */
struct cl_ise_cipher {
	enum cl_ise_style style;
	/**
	 * True selects the equivalent inverse cipher (FIPS-197, 5.3.5), with round keys from
	 * cl_ise_load_key.
	 */
	bool inverse;
	/** Number of rounds: 10, 12 or 14. */
	unsigned int rounds;
};

/** Runs a middle round with round key @p k on vector register number @p s, in one instruction. */
CL_ISE_INLINE void cl_ise_fused_round(bool inverse, unsigned int k, unsigned int s)
{
	if (inverse) {
		CL_ISA_ROUND_DEC(k, s);
	} else {
		CL_ISA_ROUND_ENC(k, s);
	}
}

/**
 * Runs a middle round (FIPS-197, 5.1) with round key @p k. ShiftRows comes before SubBytes; the
 * result is the same as in FIPS-197.
 */
CL_ISE_INLINE void cl_ise_round(struct cl_ise_cipher cipher, unsigned int k, unsigned int blocks)
{
	if (cipher.style == CL_ISE_FUSED) {
		CL_ISE_EACH (s, blocks) {
			cl_ise_fused_round(cipher.inverse, k, s);
		}
		return;
	}
	CL_ISE_EACH (s, blocks) {
		if (cipher.inverse) {
			CL_ISA_SHIFT_ROWS_INV(s);
		} else {
			CL_ISA_SHIFT_ROWS(s);
		}
	}
	CL_ISE_EACH (s, blocks) {
		if (cipher.inverse) {
			CL_ISA_SBOX_MIX_XOR_INV(k, s);
		} else {
			CL_ISA_SBOX_MIX_XOR(k, s);
		}
	}
}

/**
 * Runs all rounds except the last one. In style CL_ISE_PAPER, a round has two instructions. In this
 * style, the function also runs the first instruction of the last round, ShiftRows. To complete the
 * last round, call cl_ise_last_round next.
 */
CL_ISE_INLINE void cl_ise_middle_rounds(struct cl_ise_cipher cipher, unsigned int blocks)
{
#pragma GCC unroll 14
	for (unsigned int k = 1; k < cipher.rounds; k++) {
		cl_ise_round(cipher, k, blocks);
	}
	if (cipher.style == CL_ISE_PAPER) {
		CL_ISE_EACH (s, blocks) {
			if (cipher.inverse) {
				CL_ISA_SHIFT_ROWS_INV(s);
			} else {
				CL_ISA_SHIFT_ROWS(s);
			}
		}
	}
}

/** Completes the last round of block @p s after cl_ise_middle_rounds, with one instruction. */
CL_ISE_INLINE void cl_ise_last_round(struct cl_ise_cipher cipher, unsigned int s)
{
	const unsigned int last = cipher.rounds == 10   ? CL_ISA_LAST_K10
				  : cipher.rounds == 12 ? CL_ISA_LAST_K12
							: CL_ISA_LAST_K14;

	if (cipher.style == CL_ISE_FUSED && cipher.inverse) {
		CL_ISA_LAST_DEC(last, s);
	} else if (cipher.style == CL_ISE_FUSED) {
		CL_ISA_LAST_ENC(last, s);
	} else if (cipher.inverse) {
		CL_ISA_SBOX_XOR_INV(last, s);
	} else {
		CL_ISA_SBOX_XOR(last, s);
	}
}

/**
 * Runs all rounds on v0 to v(blocks - 1). The registers must already contain the blocks XORed with
 * round key k0.
 */
CL_ISE_INLINE void cl_ise_rounds(struct cl_ise_cipher cipher, unsigned int blocks)
{
	cl_ise_middle_rounds(cipher, blocks);
	CL_ISE_EACH (s, blocks) {
		cl_ise_last_round(cipher, s);
	}
}

/**
 * Runs all rounds on vector register number @p s. @p rounds, 10, 12 or 14, need not be a constant.
 * The register must contain a block that has been XORed with round key k0.
 */
CL_ISE_INLINE void cl_ise_rounds_on(unsigned int s, bool inverse, unsigned int rounds)
{
#pragma GCC unroll 9
	for (unsigned int k = 1; k < 10; k++) {
		cl_ise_fused_round(inverse, k, s);
	}
	if (rounds == 10) {
		cl_ise_last_round((struct cl_ise_cipher){CL_ISE_FUSED, inverse, 10}, s);
		return;
	}
	cl_ise_fused_round(inverse, 10, s);
	cl_ise_fused_round(inverse, 11, s);
	if (rounds == 12) {
		cl_ise_last_round((struct cl_ise_cipher){CL_ISE_FUSED, inverse, 12}, s);
		return;
	}
	cl_ise_fused_round(inverse, 12, s);
	cl_ise_fused_round(inverse, 13, s);
	cl_ise_last_round((struct cl_ise_cipher){CL_ISE_FUSED, inverse, 14}, s);
}

/** Clears the round-key registers from @p first to k14. */
CL_ISE_INLINE void cl_ise_clear_keys(unsigned int first)
{
#pragma GCC unroll 15
	for (unsigned int k = first; k < 15; k++) {
		CL_ISA_KEY_WRITE(0, k, 0, 0);
		CL_ISA_KEY_WRITE(1, k, 0, 0);
	}
}

/** Clears the round-key registers k0 to k14. */
CL_ISE_INLINE void cl_ise_clear_key(void)
{
	cl_ise_clear_keys(0);
}

/**
 * Expands the key (FIPS-197, 5.2) directly into the round-key registers, two words per instruction.
 * This takes fewer cycles than loading round keys from memory, so memory holds only the cipher key.
 * The registers after the last round key are cleared, because they could hold part of an earlier,
 * longer key.
 *
 * Word i of the schedule stays in `w[i % (key_bits / 32)]` until word i + key_bits / 32 replaces
 * it. For the inverse cipher, the round keys are stored in reverse order; all but the first and
 * last go through InvMixColumns.
 */
CL_ISE_INLINE void cl_ise_load_key(struct cl_ise_cipher cipher, const uint32_t *key)
{
	const unsigned int key_words = cipher.rounds - 6;
	uint32_t w[8];
	uint32_t rcon = 0x01;

#pragma GCC unroll 60
	for (unsigned int i = 0; i < 4 * (cipher.rounds + 1); i++) {
		const unsigned int p = i % key_words;

		if (i < key_words) {
			w[p] = key[i];
		} else if (p == 0) {
			w[p] = CL_ISA_SUB_ROT_WORD(w[key_words - 1], w[p] ^ rcon);
			rcon = rcon << 1 ^ (rcon >> 7) * 0x11b;
		} else if (key_words == 8 && p == 4) {
			w[p] = CL_ISA_SUB_WORD(w[p - 1], w[p]);
		} else {
			w[p] ^= w[p - 1];
		}
		if (i % 2 == 1) {
			const unsigned int round = i / 4;
			const unsigned int half = i / 2 % 2;

			if (!cipher.inverse) {
				CL_ISA_KEY_WRITE(half, round, w[p - 1], w[p]);
			} else if (round == 0 || round == cipher.rounds) {
				CL_ISA_KEY_WRITE(half, cipher.rounds - round, w[p - 1], w[p]);
			} else {
				CL_ISA_KEY_WRITE_INV_MIX(half, cipher.rounds - round, w[p - 1],
							 w[p]);
			}
		}
	}
	cl_ise_clear_keys(cipher.rounds + 1);
}

/** Clears v0 to v7 and k15, so that no data remain in the registers. */
CL_ISE_INLINE void cl_ise_clear_state(void)
{
	CL_ISE_EACH (s, CL_ISE_BLOCKS_MAX) {
		CL_ISA_MOVE_IN(0, s, 0, 0);
		CL_ISA_MOVE_IN(1, s, 0, 0);
	}
	CL_ISA_KEY_WRITE(0, 15, 0, 0);
	CL_ISA_KEY_WRITE(1, 15, 0, 0);
}

/**
 * Overwrites the data of earlier loads and stores in the unit's queue with zeros. Registers v0 to
 * v7 must be zero. One instruction fills the queue with requests that contain these zeros. The unit
 * refuses the requests, because their address is misaligned. So memory does not change.
 */
CL_ISE_INLINE void cl_ise_clear_queue(void)
{
	CL_ISA_VXOR_GROUP(CL_ISE_NO_ADDRESS, 0);
	(void)CL_ISA_MEMORY_STATUS(1);
}

#endif
