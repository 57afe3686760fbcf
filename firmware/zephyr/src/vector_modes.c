/* SPDX-License-Identifier: BSD-2-Clause */
#include "vector_modes.h"

#include <errno.h>
#include <string.h>

#include <zephyr/sys/util.h>

#include <cipherlane/contexts.h>

#include "gcm/ghash.h"
#include "vector/block_ise.h"
#include "zeroize.h"

/**
 * Maximum number of blocks that are copied to the stack at a time. Only data that are not
 * word-aligned are copied.
 */
#define CHUNK_BLOCKS 8u

int cl_vector_set_key(struct cl_engine_key *key, const uint8_t *key_bytes, unsigned int key_bits,
		      bool decrypt)
{
	struct cl_lease lease;

	cl_lease_begin(&lease);
	/* Store the new key's generation number minus 1, because cl_ise_set_key adds 1. */
	lease.device->generation = cl_contexts_generation() - 1;
	const int result = cl_ise_set_key(lease.device, key, key_bytes, key_bits, decrypt);

	cl_lease_end(&lease);
	return result;
}

int cl_vector_run(cl_modes_run *run, const struct cl_engine_key *key, uint32_t chain[4],
		  const uint8_t *in, uint8_t *out, size_t blocks)
{
	const bool aligned = (((uintptr_t)in | (uintptr_t)out) & 3) == 0;
	struct cl_lease lease;
	int result = 0;

	cl_lease_begin(&lease);
	if (aligned) {
		result = run(lease.device, key, chain, (const uint32_t *)(const void *)in,
			     (uint32_t *)(void *)out, blocks);
	} else {
		uint32_t chunk[CHUNK_BLOCKS * CL_BLOCK_BYTES / sizeof(uint32_t)];

		while (blocks > 0 && result == 0) {
			const size_t part = MIN(blocks, CHUNK_BLOCKS);

			memcpy(chunk, in, part * CL_BLOCK_BYTES);
			result = run(lease.device, key, chain, chunk, chunk, part);
			memcpy(out, chunk, part * CL_BLOCK_BYTES);
			in += part * CL_BLOCK_BYTES;
			out += part * CL_BLOCK_BYTES;
			blocks -= part;
		}
		cl_zeroize(chunk, sizeof(chunk));
	}
	cl_lease_end(&lease);
	return result;
}

int cl_vector_block(const struct cl_engine_key *key, const uint8_t in[CL_BLOCK_BYTES],
		    uint8_t out[CL_BLOCK_BYTES])
{
	uint32_t block[CL_BLOCK_BYTES / sizeof(uint32_t)];
	struct cl_lease lease;

	if (key->key_bits == 0) {
		return -EINVAL;
	}
	memcpy(block, in, sizeof(block));
	cl_lease_begin(&lease);
	const int result = cl_ise_ecb_by_block(lease.device, key, NULL, block, block, 1);

	cl_lease_end(&lease);
	memcpy(out, block, sizeof(block));
	cl_zeroize(block, sizeof(block));
	return result;
}

#ifdef CONFIG_CIPHERLANE_VECTOR_PRODUCTS
int cl_vector_ghash(const struct cl_engine_key *key, uint8_t hash[CL_BLOCK_BYTES],
		    const uint8_t *data, size_t len)
{
	struct cl_lease lease;

	cl_lease_begin(&lease);
	const int result = cl_ise_ghash(lease.device, key, hash, data, len);

	cl_lease_end(&lease);
	return result;
}
#else
int cl_vector_ghash(const struct cl_engine_key *key, uint8_t hash[CL_BLOCK_BYTES],
		    const uint8_t *data, size_t len)
{
	static const uint8_t zeros[CL_BLOCK_BYTES];
	uint8_t subkey[CL_BLOCK_BYTES];
	/* The hash subkey is the ciphertext of a block of zeros. */
	int result = cl_vector_block(key, zeros, subkey);

	if (result == 0) {
		result = cl_hasher_c.hash(NULL, subkey, hash, data, len);
	}
	cl_zeroize(subkey, sizeof(subkey));
	return result;
}
#endif

void cl_vector_clear(struct cl_engine_key *key)
{
	if (key->generation != 0) {
		cl_contexts_forget(key->generation);
	}
	cl_zeroize(key, sizeof(*key));
}
