/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Driver of the random source. It returns raw noise words, which the hardware has tested (SP
 * 800-90B).
 *
 * A word is assumed to have only CL_RANDOM_WORD_ENTROPY bits of min-entropy, so condition the words
 * before use (SP 800-90B, 3.1.5). Every call returns after a limited time.
 */
#ifndef CL_RANDOM_H
#define CL_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "cl_random_regs.h"
#include "engine/engine.h"

/** Bits of min-entropy that a word is assumed to have. */
#define CL_RANDOM_WORD_ENTROPY 8u
/** Number of words that together have 128 bits of min-entropy. */
#define CL_RANDOM_WORDS_128 (128u / CL_RANDOM_WORD_ENTROPY)

struct cl_random {
	/** Base address of the source's registers (cl_random_regs.h). */
	volatile uint32_t *regs;
};

/**
 * Reads noise words. No word is returned twice. A word takes about 4096 clock cycles. After reset
 * or cl_random_restart, the start-up test takes up to 131072 additional cycles.
 *
 * @param[out] words all zero after a failure
 * @retval 0 done
 * @retval -ENODEV the hardware contains no source of noise; this is so on all simulated boards
 * @retval -EIO a health test failed; there are no words until cl_random_restart
 * @retval -ETIMEDOUT the source did not answer in time
 */
int cl_random_read(const struct cl_random *random, uint32_t *words, size_t count);

/**
 * Writes random bytes with full entropy. Each group of 16 bytes is the CBC-MAC (SP 800-90B,
 * 3.1.5.1.1) of noise words that together have 256 bits of min-entropy. The key of the CBC-MAC is a
 * constant.
 *
 * @param engine a block cipher
 * @param[out] bytes all zero after a failure
 * @return 0, or the error of cl_random_read or of the engine
 */
int cl_random_condition(const struct cl_random *random, const struct cl_engine *engine,
			uint8_t *bytes, size_t count);

/**
 * Clears a fault. The source then repeats its start-up test, and the next read waits until the test
 * ends.
 */
void cl_random_restart(const struct cl_random *random);

#endif
