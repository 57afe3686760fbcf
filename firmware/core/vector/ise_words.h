/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Moves blocks between memory and the vector AES unit by the CPU's loads and stores, in batches of
 * four blocks (16 words).
 *
 * An instruction of the unit waits while a load, store or branch is in a later stage of the CPU's
 * pipeline. So the code separates loads, instructions of the unit, and stores: each batch contains
 * only one of these kinds. The words of a batch fit in the CPU's registers. CL_ISE_BATCH prevents
 * the compiler from mixing the batches.
 */
#ifndef CL_ISE_WORDS_H
#define CL_ISE_WORDS_H

#include <stdint.h>

#include "cl_isa.h"
#include "vector/ise.h"

#define CL_ISE_BATCH_BLOCKS 4u
#define CL_ISE_BATCH_WORDS  (4u * CL_ISE_BATCH_BLOCKS)

/** Prevents the compiler from moving loads and stores across this point. */
#define CL_ISE_BATCH() __asm__ volatile("" : : : "memory")

/**
 * Adds @p step to @p pointer, at exactly this point of the code. The macro is used where an
 * instruction of the unit would have to wait, for example for two cycles after a load. The CPU does
 * the addition in one of these cycles, so the addition costs no time.
 */
#define CL_ISE_ADVANCE(pointer, step)                                                              \
	do {                                                                                       \
		(pointer) += (step);                                                               \
		__asm__ volatile("" : "+r"(pointer));                                              \
	} while (0)

/** A loop that repeats a statement for @p i = 0 to 15. The compiler unrolls the loop. */
#define CL_ISE_EACH_WORD(i)                                                                        \
	_Pragma("GCC unroll 16") for (unsigned int i = 0; i < CL_ISE_BATCH_WORDS; i++)

CL_ISE_INLINE void cl_ise_load_words(uint32_t words[CL_ISE_BATCH_WORDS], const uint32_t *from)
{
	CL_ISE_BATCH();
	CL_ISE_EACH_WORD (i) {
		words[i] = from[i];
	}
	CL_ISE_BATCH();
}

CL_ISE_INLINE void cl_ise_store_words(uint32_t *to, const uint32_t words[CL_ISE_BATCH_WORDS])
{
	CL_ISE_BATCH();
	CL_ISE_EACH_WORD (i) {
		to[i] = words[i];
	}
	CL_ISE_BATCH();
}

/** Moves the 16 words of four blocks into vector registers @p first to @p first + 3. */
CL_ISE_INLINE void cl_ise_move_in(unsigned int first, const uint32_t words[CL_ISE_BATCH_WORDS])
{
	CL_ISE_EACH (s, CL_ISE_BATCH_BLOCKS) {
		CL_ISA_MOVE_IN(0, first + s, words[4 * s], words[4 * s + 1]);
		CL_ISA_MOVE_IN(1, first + s, words[4 * s + 2], words[4 * s + 3]);
	}
}

/** XORs vector registers @p first to @p first + 3 into the 16 words of four blocks. */
CL_ISE_INLINE void cl_ise_move_out_xor(unsigned int first, uint32_t words[CL_ISE_BATCH_WORDS])
{
	CL_ISE_EACH_WORD (i) {
		words[i] = CL_ISA_MOVE_OUT_XOR(i % 4, first + i / 4, words[i]);
	}
}

#endif
