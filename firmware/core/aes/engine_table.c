/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "aes/c_cipher.h"
#include "cl_wire.h"
#include "engine/ctr.h"
#include "aes/engines.h"

/*
 * The loop computes two rounds per iteration, so the state is never copied between rounds. Its code
 * fits into an instruction cache of 4 KB; the code of fourteen unrolled rounds would not.
 */
static inline __attribute__((always_inline)) void encrypt(const struct cl_engine_key *key,
							  const uint32_t in[4], uint32_t out[4])
{
	cl_c_block((struct cl_c_cipher){.by = CL_C_TABLES, .style = CL_C_SWAP}, key, in, out);
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

const struct cl_engine cl_engine_table = {
	.code = CL_WIRE_ENGINE_TABLE,
	.name = "table",
	.set_key = cl_engine_c_set_key,
	.ctr = ctr,
	.clear = cl_engine_c_clear,
	.hw = NULL,
};
