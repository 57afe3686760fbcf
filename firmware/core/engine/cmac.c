/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/cmac.h"

#include <string.h>

#include "zeroize.h"

void cl_cmac_double(uint8_t block[CL_BLOCK_BYTES])
{
	unsigned int sum = 0x87u & -(unsigned int)(block[0] >> 7);

	for (size_t i = CL_BLOCK_BYTES; i-- > 0;) {
		sum ^= (unsigned int)block[i] << 1;
		block[i] = (uint8_t)sum;
		sum >>= 8;
	}
}

static void xor_bytes(uint8_t *to, const uint8_t *from, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		to[i] ^= from[i];
	}
}

int cl_cmac(const struct cl_engine *engine, const uint8_t *key_bytes, unsigned int key_bits,
	    const uint8_t *data, size_t size, uint8_t mac[CL_BLOCK_BYTES])
{
	static const uint8_t zeros[CL_BLOCK_BYTES];
	struct cl_engine_key key = {0};
	uint8_t subkey[CL_BLOCK_BYTES] = {0};
	uint8_t block[CL_BLOCK_BYTES] = {0};
	int status = engine->set_key(engine, &key, key_bytes, key_bits);
	bool last = false;

	memset(mac, 0, CL_BLOCK_BYTES);
	/*
	 * Single blocks are encrypted by CTR mode. With the block as counter block and zeros as
	 * data, the output is the encrypted block.
	 */
	if (status == 0) {
		status = engine->ctr(engine, &key, zeros, zeros, subkey, CL_BLOCK_BYTES);
	}
	while (status == 0 && !last) {
		const size_t some = size < CL_BLOCK_BYTES ? size : CL_BLOCK_BYTES;

		last = size <= CL_BLOCK_BYTES;
		memcpy(block, mac, CL_BLOCK_BYTES);
		xor_bytes(block, data, some);
		if (last) {
			cl_cmac_double(subkey);
			if (some < CL_BLOCK_BYTES) {
				block[some] ^= 0x80;
				cl_cmac_double(subkey);
			}
			xor_bytes(block, subkey, CL_BLOCK_BYTES);
		}
		status = engine->ctr(engine, &key, block, zeros, mac, CL_BLOCK_BYTES);
		data += some;
		size -= some;
	}
	if (status != 0) {
		cl_zeroize(mac, CL_BLOCK_BYTES);
	}
	engine->clear(engine, &key);
	cl_zeroize(subkey, sizeof(subkey));
	cl_zeroize(block, sizeof(block));
	return status;
}
