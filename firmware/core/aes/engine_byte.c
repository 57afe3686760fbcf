/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "aes/aes.h"
#include "aes/c_cipher.h"
#include "cl_wire.h"
#include "engine/ctr.h"
#include "aes/engines.h"
#include "zeroize.h"

static void encrypt(const struct cl_engine_key *key, const uint32_t in[4], uint32_t out[4])
{
	cl_c_block((struct cl_c_cipher){.by = CL_C_BYTES, .style = CL_C_SWAP}, key, in, out);
}

static int ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
	       const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out, size_t len)
{
	(void)engine;
	if (key->key_bits == 0) {
		return -EINVAL;
	}
	cl_ctr_run(encrypt, key, counter, in, out, len);
	return 0;
}

int cl_engine_c_set_key(const struct cl_engine *engine, struct cl_engine_key *key,
			const uint8_t *key_bytes, unsigned int key_bits)
{
	(void)engine;
	return cl_aes_expand_key(key, key_bytes, key_bits);
}

void cl_engine_c_clear(const struct cl_engine *engine, struct cl_engine_key *key)
{
	(void)engine;
	cl_zeroize(key, sizeof(*key));
}

const struct cl_engine cl_engine_byte = {
	.code = CL_WIRE_ENGINE_BYTE,
	.name = "byte",
	.set_key = cl_engine_c_set_key,
	.ctr = ctr,
	.clear = cl_engine_c_clear,
	.hw = NULL,
};
