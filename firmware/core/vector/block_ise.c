/* SPDX-License-Identifier: BSD-2-Clause */
#include "vector/block_ise.h"

#include "vector/engine_ise.h"
#include "vector/ise.h"

int cl_ise_ecb_by_block(void *hw, const struct cl_engine_key *key, uint32_t chain[4],
			const uint32_t *in, uint32_t *out, size_t blocks)
{
	(void)chain;
	cl_ise_use_key(hw, key);
	for (; blocks > 0; blocks--, in += 4, out += 4) {
		CL_ISA_MOVE_IN(0, 0, in[0], in[1]);
		CL_ISA_MOVE_IN(1, 0, in[2], in[3]);
		CL_ISA_ROUND_XOR(0, 0);
		if (key->engine_word[0] == CL_ISE_INVERSE) {
			cl_ise_rounds_on(0, true, key->rounds);
		} else {
			cl_ise_rounds_on(0, false, key->rounds);
		}
		out[0] = CL_ISA_MOVE_OUT_XOR(0, 0, 0);
		out[1] = CL_ISA_MOVE_OUT_XOR(1, 0, 0);
		out[2] = CL_ISA_MOVE_OUT_XOR(2, 0, 0);
		out[3] = CL_ISA_MOVE_OUT_XOR(3, 0, 0);
	}
	cl_ise_clear_state();
	return 0;
}

static int set_key(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
		   unsigned int key_bits, bool decrypt)
{
	return cl_ise_set_key(hw, key, key_bytes, key_bits, decrypt);
}

#define ALL_LENGTHS                                                                                \
	{                                                                                          \
		cl_ise_ecb_by_block, cl_ise_ecb_by_block, cl_ise_ecb_by_block                      \
	}

const struct cl_modes cl_modes_ise_by_block = {
	.name = "ise",
	.set_key = set_key,
	.ecb = {ALL_LENGTHS, ALL_LENGTHS},
};
