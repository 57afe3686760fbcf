#include "engine/eia2.h"

#include <string.h>

#include "zeroize.h"

#define HEAD_BYTES 8u
#define BLOCK_BITS (8u * CL_BLOCK_BYTES)

/** The block cipher, as the keystream of the block as counter. */
static int encrypt(const struct cl_engine *engine, const struct cl_engine_key *key,
		   const uint8_t in[CL_BLOCK_BYTES], uint8_t out[CL_BLOCK_BYTES])
{
	static const uint8_t zeros[CL_BLOCK_BYTES];

	return engine->ctr(engine, key, in, zeros, out, CL_BLOCK_BYTES);
}

/** From one subkey the next (SP 800-38B, 6.1): times x, a block as a big-endian polynomial. */
static void times_x(uint8_t block[CL_BLOCK_BYTES])
{
	const unsigned int carry = block[0] >> 7;

	for (size_t i = 0; i + 1 < CL_BLOCK_BYTES; i++) {
		block[i] = (uint8_t)(block[i] << 1 | block[i + 1] >> 7);
	}
	block[CL_BLOCK_BYTES - 1] = (uint8_t)(block[CL_BLOCK_BYTES - 1] << 1 ^ (0x87u & -carry));
}

/** Byte @p n of what is authenticated: head, message, a 1 behind its last bit, zeros. */
static uint8_t byte_of(const struct cl_eia2_message *message, const uint8_t head[HEAD_BYTES],
		       uint32_t n)
{
	const uint32_t whole = message->bits / 8;
	const unsigned int rest = message->bits % 8;

	if (n < HEAD_BYTES) {
		return head[n];
	}
	n -= HEAD_BYTES;
	if (n < whole) {
		return message->data[n];
	}
	if (n > whole) {
		return 0;
	}
	return (uint8_t)((rest != 0 ? message->data[n] & 0xff00u >> rest : 0) | 0x80u >> rest);
}

int cl_eia2(const struct cl_engine *engine, const uint8_t *key_bytes,
	    const struct cl_eia2_message *message, uint8_t mac[CL_EIA2_BYTES])
{
	const uint32_t count = message->count;
	const uint8_t head[HEAD_BYTES] = {
		(uint8_t)(count >> 24),
		(uint8_t)(count >> 16),
		(uint8_t)(count >> 8),
		(uint8_t)count,
		(uint8_t)(message->bearer << 3 | message->direction << 2),
	};
	const uint32_t bits = 8 * HEAD_BYTES + message->bits;
	const uint32_t blocks = (bits + BLOCK_BITS - 1) / BLOCK_BITS;
	struct cl_engine_key key = {0};
	uint8_t chain[CL_BLOCK_BYTES] = {0};
	uint8_t subkey[CL_BLOCK_BYTES] = {0};
	uint8_t sum[CL_BLOCK_BYTES] = {0};
	int status = engine->set_key(engine, &key, key_bytes, 128);

	memset(mac, 0, CL_EIA2_BYTES);
	if (status == 0) {
		status = encrypt(engine, &key, chain, subkey);
	}
	times_x(subkey);
	if (bits % BLOCK_BITS != 0) {
		times_x(subkey);
	}
	for (uint32_t n = 0; status == 0 && n < blocks; n++) {
		for (uint32_t i = 0; i < CL_BLOCK_BYTES; i++) {
			sum[i] = chain[i] ^ byte_of(message, head, CL_BLOCK_BYTES * n + i);
			if (n == blocks - 1) {
				sum[i] ^= subkey[i];
			}
		}
		status = encrypt(engine, &key, sum, chain);
	}
	if (status == 0) {
		memcpy(mac, chain, CL_EIA2_BYTES);
	}
	engine->clear(engine, &key);
	cl_zeroize(chain, sizeof(chain));
	cl_zeroize(subkey, sizeof(subkey));
	cl_zeroize(sum, sizeof(sum));
	return status;
}
