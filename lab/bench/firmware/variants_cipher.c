/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The benchmark's variant for a cipher other than AES. BENCH_CIPHER names the cipher's header in
 * ciphers/. If BENCH_PTLU is 1, the cipher looks up its tables with the `ptlu` instruction. The
 * variant only encrypts, with a key of 16 bytes. Its function for ECB calls the cipher's function
 * cipher_run once. The program always counts blocks of 16 bytes, even if the cipher's blocks are
 * shorter.
 */
#include "board_bench.h"

#include <errno.h>

#include BENCH_CIPHER

static int set_key(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
		   unsigned int key_bits, bool decrypt)
{
	(void)hw;
	(void)key;
	if (key_bits != 128 || decrypt) {
		return -EINVAL;
	}
	cipher_set_key(key_bytes);
	return 0;
}

static int run(void *hw, const struct cl_engine_key *key, uint32_t chain[4], const uint32_t *in,
	       uint32_t *out, size_t blocks)
{
	(void)hw;
	(void)key;
	(void)chain;
	cipher_run(in, out, blocks);
	return 0;
}

static const struct cl_modes modes = {
	.name = "cipher",
	.set_key = set_key,
	.ecb = {{run}},
};

const struct bench_variant bench_variants[] = {
	{.modes = &modes},
};

const uint32_t bench_variant_count = sizeof(bench_variants) / sizeof(bench_variants[0]);
