/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/cbc_mac.h"

#include <string.h>

#include "zeroize.h"

int cl_cbc_mac(const struct cl_engine *engine, const uint8_t *key_bytes, unsigned int key_bits,
	       const uint8_t (*blocks)[CL_BLOCK_BYTES], size_t count, uint8_t mac[CL_BLOCK_BYTES])
{
	static const uint8_t zeros[CL_BLOCK_BYTES];
	struct cl_engine_key key = {0};
	uint8_t chain[CL_BLOCK_BYTES] = {0};
	int status = engine->set_key(engine, &key, key_bytes, key_bits);

	memset(mac, 0, CL_BLOCK_BYTES);
	for (size_t i = 0; status == 0 && i < count; i++) {
		for (size_t j = 0; j < CL_BLOCK_BYTES; j++) {
			chain[j] = mac[j] ^ blocks[i][j];
		}
		/*
		 * Encrypt the block `chain` by CTR mode. With `chain` as counter block and zeros as
		 * data, the output is the encryption of `chain`.
		 */
		status = engine->ctr(engine, &key, chain, zeros, mac, CL_BLOCK_BYTES);
	}
	if (status != 0) {
		cl_zeroize(mac, CL_BLOCK_BYTES);
	}
	engine->clear(engine, &key);
	cl_zeroize(chain, sizeof(chain));
	return status;
}
