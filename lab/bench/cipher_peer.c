/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run a cipher of lab/bench/firmware/ciphers on the host. With BENCH_PTLU, the cipher looks up its
 * tables with a software model of the instruction `ptlu`.
 *
 * Standard input: a key of 16 bytes, then data, a multiple of 16 bytes. Standard output: the
 * encrypted data. Standard error: the numbers of `ptlu` lookups, lookup instructions and table
 * writes needed to encrypt the data, without the key schedule.
 */
#include <stdbool.h>
#include <stdio.h>

#include "ptlu_model.h"
#include BENCH_CIPHER

int main(void)
{
	static uint32_t data[4096];
	uint8_t key[16];

	if (fread(key, sizeof(key), 1, stdin) != 1) {
		return 1;
	}
	cipher_set_key(key);
	ptlu_writes = 0;
	const size_t pieces = fread(data, 16, sizeof(data) / 16, stdin);

	/*
	 * Encrypt in two calls, to test that a stream cipher continues its keystream in the second
	 * call.
	 */
	cipher_run(data, data, pieces / 2);
	cipher_run(data + 4 * (pieces / 2), data + 4 * (pieces / 2), pieces - pieces / 2);
	fprintf(stderr, "%lu %lu %lu\n", ptlu_lookups, ptlu_instructions, ptlu_writes);
	return fwrite(data, 16, pieces, stdout) == pieces ? 0 : 1;
}
