#include <errno.h>
#include <string.h>

#include "aes.h"
#include "cl_wire.h"
#include "ctr.h"
#include "engines.h"
#include "zeroize.h"

/** Multiplication by {02} (FIPS-197, 4.2.1), without a branch on the data. */
static inline uint8_t xtime(uint8_t b)
{
	return (uint8_t)(b << 1 ^ (b >> 7) * 0x1b);
}

/** SubBytes, ShiftRows, MixColumns and AddRoundKey of one column, gathered from the state. */
static inline void round_column(const uint8_t state[16], uint8_t out[16], const uint8_t *key,
				unsigned int c)
{
	/* ShiftRows: row r of this column comes from column c + r. */
	const uint8_t a0 = cl_aes_sbox[state[4 * c]];
	const uint8_t a1 = cl_aes_sbox[state[(4 * c + 5) % 16]];
	const uint8_t a2 = cl_aes_sbox[state[(4 * c + 10) % 16]];
	const uint8_t a3 = cl_aes_sbox[state[(4 * c + 15) % 16]];
	const uint8_t sum = a0 ^ a1 ^ a2 ^ a3;

	out[4 * c] = key[4 * c] ^ a0 ^ sum ^ xtime(a0 ^ a1);
	out[4 * c + 1] = key[4 * c + 1] ^ a1 ^ sum ^ xtime(a1 ^ a2);
	out[4 * c + 2] = key[4 * c + 2] ^ a2 ^ sum ^ xtime(a2 ^ a3);
	out[4 * c + 3] = key[4 * c + 3] ^ a3 ^ sum ^ xtime(a3 ^ a0);
}

static void encrypt(const struct cl_engine_key *key, const uint32_t in[4], uint32_t out[4])
{
	const uint8_t *round_key = (const uint8_t *)key->round_key;
	uint8_t state[CL_BLOCK_BYTES];
	uint8_t next[CL_BLOCK_BYTES];

	memcpy(state, in, sizeof(state));
	for (unsigned int i = 0; i < CL_BLOCK_BYTES; i++) {
		state[i] ^= round_key[i];
	}
	for (unsigned int round = 1; round < key->rounds; round++) {
		round_key += CL_BLOCK_BYTES;
		for (unsigned int c = 0; c < 4; c++) {
			round_column(state, next, round_key, c);
		}
		memcpy(state, next, sizeof(state));
	}
	round_key += CL_BLOCK_BYTES;
	for (unsigned int i = 0; i < CL_BLOCK_BYTES; i++) {
		/* Row i % 4 comes from i % 4 columns further: 4 * (i % 4) bytes. */
		next[i] = round_key[i] ^ cl_aes_sbox[state[(i + 4 * (i % 4)) % 16]];
	}
	memcpy(out, next, sizeof(next));
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
