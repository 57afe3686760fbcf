/*
 * A cipher of firmware/bench/ciphers on the host, where BENCH_PTLU says so with a model of `ptlu`:
 * 16 bytes of key and whole pieces of 16 bytes from standard input, what they become to standard
 * output; to standard error, of the data alone, how many lookups of `ptlu`, instructions of them
 * and writes.
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

	/* In two calls: a stream cipher goes on. */
	cipher_run(data, data, pieces / 2);
	cipher_run(data + 4 * (pieces / 2), data + 4 * (pieces / 2), pieces - pieces / 2);
	fprintf(stderr, "%lu %lu %lu\n", ptlu_lookups, ptlu_instructions, ptlu_writes);
	return fwrite(data, 16, pieces, stdout) == pieces ? 0 : 1;
}
