/* SPDX-License-Identifier: BSD-2-Clause */
#include "mka/kdf.h"

#include <string.h>

#include "engine/cmac.h"
#include "zeroize.h"

int cl_mka_kdf(const struct cl_engine *engine, const uint8_t *key_bytes, unsigned int key_bits,
	       const char *label, const uint8_t *context, size_t context_bytes, uint8_t *out,
	       unsigned int out_bits)
{
	/*
	 * `text` is the input of AES-CMAC: the block number, the label, a zero byte, the context,
	 * and the length of `out` in bits.
	 */
	uint8_t text[1 + CL_MKA_LABEL_BYTES + 1 + CL_MKA_CONTEXT_MAX + 2];
	uint8_t *const context_at = text + 1 + CL_MKA_LABEL_BYTES + 1;
	uint8_t *const length_at = context_at + context_bytes;
	int status = 0;

	memcpy(text + 1, label, CL_MKA_LABEL_BYTES);
	text[1 + CL_MKA_LABEL_BYTES] = 0;
	memcpy(context_at, context, context_bytes);
	length_at[0] = (uint8_t)(out_bits >> 8);
	length_at[1] = (uint8_t)out_bits;
	for (unsigned int i = 0; i < out_bits / 128 && status == 0; i++) {
		text[0] = (uint8_t)(i + 1);
		status = cl_cmac(engine, key_bytes, key_bits, text, (size_t)(length_at + 2 - text),
				 out + i * CL_BLOCK_BYTES);
	}
	if (status != 0) {
		cl_zeroize(out, out_bits / 8);
	}
	cl_zeroize(text, sizeof(text));
	return status;
}
