#include "identity.h"

#include <errno.h>

#include "cl_wire.h"
#include "zeroize.h"

/** First byte of a message: what it is for. */
enum purpose {
	OF_KEY = 1,
	OF_TICKET = 2,
	OF_DRAW = 3,
};

#define DRAWN_BYTES  12u
#define KEY_WORDS    4u
#define RANDOM_WORDS 8u

/** CBC-MAC of @p blocks under a key; @p mac holds nothing else on failure. */
static int condense(const struct cl_platform *platform, const uint8_t *key_bytes,
		    unsigned int key_bits, const uint8_t (*blocks)[CL_BLOCK_BYTES], size_t count,
		    uint8_t mac[CL_BLOCK_BYTES])
{
	static const uint8_t zeros[CL_BLOCK_BYTES];
	const struct cl_engine *const engine = platform->identity;
	struct cl_engine_key key = {0};
	uint8_t chain[CL_BLOCK_BYTES] = {0};
	int status = engine->set_key(engine, &key, key_bytes, key_bits);

	memset(mac, 0, CL_BLOCK_BYTES);
	for (size_t i = 0; status == 0 && i < count; i++) {
		for (size_t j = 0; j < CL_BLOCK_BYTES; j++) {
			chain[j] = mac[j] ^ blocks[i][j];
		}
		/* The block cipher, as the keystream of the block as counter. */
		status = engine->ctr(engine, &key, chain, zeros, mac, CL_BLOCK_BYTES);
	}
	if (status != 0) {
		cl_zeroize(mac, CL_BLOCK_BYTES);
	}
	engine->clear(engine, &key);
	cl_zeroize(chain, sizeof(chain));
	return status;
}

int cl_identity_key(const struct cl_platform *platform, const uint8_t *key, unsigned int key_bits,
		    uint64_t *identity)
{
	static const uint8_t message[2][CL_BLOCK_BYTES] = {{OF_KEY}};
	uint8_t mac[CL_BLOCK_BYTES];
	const int status = condense(platform, key, key_bits, message, 2, mac);

	*identity = cl_load_u64(mac);
	cl_zeroize(mac, sizeof(mac));
	return status;
}

int cl_identity_ticket(const struct cl_platform *platform, const uint8_t *key,
		       unsigned int key_bits, const uint8_t iv[CL_BLOCK_BYTES], uint32_t session,
		       uint64_t *ticket)
{
	uint8_t message[2][CL_BLOCK_BYTES] = {{OF_TICKET}};
	uint8_t mac[CL_BLOCK_BYTES];

	cl_store_u32(message[0] + 1, session);
	memcpy(message[1], iv, CL_BLOCK_BYTES);
	const int status = condense(platform, key, key_bits, (const uint8_t(*)[16])message, 2, mac);

	*ticket = cl_load_u64(mac);
	cl_zeroize(mac, sizeof(mac));
	return status;
}

int cl_identity_draw(const struct cl_platform *platform, const uint8_t host[CL_BLOCK_BYTES],
		     uint8_t iv[CL_BLOCK_BYTES])
{
	const bool simulated = platform->kind == CL_KIND_SIM;
	uint32_t words[RANDOM_WORDS] = {0};
	uint8_t message[3][CL_BLOCK_BYTES] = {{OF_DRAW}};
	int status = -ENODEV;

	if (platform->random != NULL) {
		status = platform->random(platform->context, words, RANDOM_WORDS);
	} else if (simulated) {
		status = 0;
	}
	if (simulated) {
		memset(words, 0, sizeof(words));
	}
	if (status == 0) {
		memcpy(message[1], words + KEY_WORDS, CL_BLOCK_BYTES);
		memcpy(message[2], host, CL_BLOCK_BYTES);
		status = condense(platform, (const uint8_t *)words, 8 * CL_BLOCK_BYTES,
				  (const uint8_t(*)[16])message, 3, iv);
		memset(iv + DRAWN_BYTES, 0, CL_BLOCK_BYTES - DRAWN_BYTES);
	}
	cl_zeroize(words, sizeof(words));
	cl_zeroize(message, sizeof(message));
	return status;
}
