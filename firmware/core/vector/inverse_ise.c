/* SPDX-License-Identifier: BSD-2-Clause */
#include "vector/inverse_ise.h"

#include <errno.h>

#include "vector/engine_ise.h"
#include "vector/ise.h"

CL_ISE_INLINE int decrypt_blocks(unsigned int rounds, struct cl_ise_device *device,
				 const struct cl_engine_key *key, const uint32_t *in, uint32_t *out,
				 size_t blocks)
{
	const struct cl_ise_cipher cipher = {CL_ISE_FUSED, true, rounds};

	cl_ise_use_key(device, key);
	for (; blocks > 0; blocks--, in += 4, out += 4) {
		CL_ISA_MOVE_IN(0, 0, in[0], in[1]);
		CL_ISA_MOVE_IN(1, 0, in[2], in[3]);
		CL_ISA_ROUND_XOR(0, 0);
		cl_ise_rounds(cipher, 1);
		out[0] = CL_ISA_MOVE_OUT_XOR(0, 0, 0);
		out[1] = CL_ISA_MOVE_OUT_XOR(1, 0, 0);
		out[2] = CL_ISA_MOVE_OUT_XOR(2, 0, 0);
		out[3] = CL_ISA_MOVE_OUT_XOR(3, 0, 0);
	}
	cl_ise_clear_state();
	return 0;
}

static int ecb_decrypt_128(void *hw, const struct cl_engine_key *key, uint32_t chain[4],
			   const uint32_t *in, uint32_t *out, size_t blocks)
{
	(void)chain;
	return decrypt_blocks(10, hw, key, in, out, blocks);
}

static int ecb_decrypt_256(void *hw, const struct cl_engine_key *key, uint32_t chain[4],
			   const uint32_t *in, uint32_t *out, size_t blocks)
{
	(void)chain;
	return decrypt_blocks(14, hw, key, in, out, blocks);
}

static int set_key(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
		   unsigned int key_bits, bool decrypt)
{
	return decrypt && key_bits != 192 ? cl_ise_set_key(hw, key, key_bytes, key_bits, true)
					  : -EINVAL;
}

const struct cl_modes cl_modes_ise_inverse = {
	.name = "ise",
	.set_key = set_key,
	.ecb = {{NULL}, {ecb_decrypt_128, NULL, ecb_decrypt_256}},
};
