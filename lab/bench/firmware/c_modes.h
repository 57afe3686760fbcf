/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * ECB, CBC and CTR, built from a C function for one AES block. In the benchmark's variants,
 * functions of type cl_modes_run call the functions in this file.
 */
#ifndef CL_C_MODES_H
#define CL_C_MODES_H

#include "aes/aes.h"
#include "aes/aes_inverse.h"
#if defined(__riscv) || defined(CL_ZKN)
#include "zkn_rounds.h"
#endif
#include "aes/c_cipher.h"
#include "engine/ctr.h"
#include "engine/modes.h"

/**
 * Implements cl_modes.set_key: computes the round keys for encryption, or for decryption if @p
 * decrypt is true.
 */
static inline int cl_modes_c_set_key(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
				     unsigned int key_bits, bool decrypt)
{
	const int result = cl_aes_expand_key(key, key_bytes, key_bits);

	(void)hw;
	if (result == 0 && decrypt) {
		cl_aes_invert_key(key);
	}
	return result;
}

CL_C_INLINE void cl_c_ecb(struct cl_c_cipher cipher, const struct cl_engine_key *key,
			  const uint32_t *in, uint32_t *out, size_t blocks)
{
	for (; blocks > 0; blocks--, in += 4, out += 4) {
		cl_c_block(cipher, key, in, out);
	}
}

CL_C_INLINE void cl_c_cbc(struct cl_c_cipher cipher, const struct cl_engine_key *key,
			  uint32_t chain[4], const uint32_t *in, uint32_t *out, size_t blocks)
{
	uint32_t previous[4];
	uint32_t block[4];

	cl_c_copy(previous, chain);
	for (; blocks > 0; blocks--, in += 4, out += 4) {
		cl_c_copy(block, in);
		if (cipher.inverse) {
			uint32_t plain[4];

			cl_c_block(cipher, key, block, plain);
			cl_c_xor(plain, previous);
			cl_c_copy(out, plain);
			cl_c_copy(previous, block);
		} else {
			cl_c_xor(previous, block);
			cl_c_block(cipher, key, previous, previous);
			cl_c_copy(out, previous);
		}
	}
	cl_c_copy(chain, previous);
}

CL_C_INLINE void cl_c_ctr(struct cl_c_cipher cipher, const struct cl_engine_key *key,
			  uint32_t counter[4], const uint32_t *in, uint32_t *out, size_t blocks)
{
	for (; blocks > 0; blocks--, in += 4, out += 4) {
		uint32_t block[4];

		cl_c_block(cipher, key, counter, block);
		cl_c_xor(block, in);
		cl_c_copy(out, block);
		cl_ctr_increment(counter);
	}
}

#endif
