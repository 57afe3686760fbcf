/* SPDX-License-Identifier: BSD-2-Clause */
#include "aes/modes_byte.h"

#include <errno.h>

#include "aes/aes.h"
#include "aes/aes_inverse.h"
#include "aes/c_cipher.h"

static int set_key(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
		   unsigned int key_bits, bool decrypt)
{
	(void)hw;
	const int status = decrypt ? cl_aes_expand_key(key, key_bytes, key_bits) : -EINVAL;

	if (status == 0) {
		cl_aes_invert_key(key);
	}
	return status;
}

static int ecb_decrypt(void *hw, const struct cl_engine_key *key, uint32_t chain[4],
		       const uint32_t *in, uint32_t *out, size_t blocks)
{
	(void)hw;
	(void)chain;
	for (; blocks > 0; blocks--, in += 4, out += 4) {
		cl_c_block((struct cl_c_cipher){.by = CL_C_BYTES, .inverse = true}, key, in, out);
	}
	return 0;
}

const struct cl_modes cl_modes_byte = {
	.name = "byte",
	.set_key = set_key,
	.ecb = {{NULL}, {ecb_decrypt, ecb_decrypt, ecb_decrypt}},
};
