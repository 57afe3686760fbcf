/* SPDX-License-Identifier: BSD-2-Clause */
#include "service/identity.h"

#include <errno.h>

#include "cl_wire.h"
#include "engine/cbc_mac.h"
#include "zeroize.h"

/** Codes for the purposes of CBC-MACs. Every CBC-MAC's message begins with one of these codes. */
enum purpose {
	OF_KEY = 1,
	OF_TICKET = 2,
	OF_DRAW = 3,
};

#define DRAWN_BYTES 12u
/**
 * Number of blocks in the CBC-MAC message from which the board derives a random counter block. The
 * first block contains the code for the purpose. The next blocks contain random words, and the last
 * block contains bytes from the host.
 */
#define DRAW_BLOCKS (CL_IDENTITY_WORDS / 4u + 2u)

int cl_identity_key(const struct cl_platform *platform, const uint8_t *key, unsigned int key_bits,
		    uint64_t *identity)
{
	static const uint8_t message[2][CL_BLOCK_BYTES] = {{OF_KEY}};
	uint8_t mac[CL_BLOCK_BYTES];
	const int status = cl_cbc_mac(platform->identity, key, key_bits, message, 2, mac);

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
	const int status = cl_cbc_mac(platform->identity, key, key_bits,
				      (const uint8_t(*)[16])message, 2, mac);

	*ticket = cl_load_u64(mac);
	cl_zeroize(mac, sizeof(mac));
	return status;
}

int cl_identity_draw(const struct cl_platform *platform, const uint8_t host[CL_BLOCK_BYTES],
		     uint8_t iv[CL_BLOCK_BYTES])
{
	static const uint8_t key[CL_BLOCK_BYTES];
	uint32_t words[CL_IDENTITY_WORDS] = {0};
	uint8_t message[DRAW_BLOCKS][CL_BLOCK_BYTES] = {{OF_DRAW}};
	int status = 0;

	if (platform->kind != CL_WIRE_KIND_SIM) {
		status = platform->random == NULL
				 ? -ENODEV
				 : platform->random(platform->context, words, CL_IDENTITY_WORDS);
	}
	if (status == 0) {
		memcpy(message[1], words, sizeof(words));
		memcpy(message[DRAW_BLOCKS - 1], host, CL_BLOCK_BYTES);
		status = cl_cbc_mac(platform->identity, key, 8 * sizeof(key),
				    (const uint8_t(*)[16])message, DRAW_BLOCKS, iv);
		memset(iv + DRAWN_BYTES, 0, CL_BLOCK_BYTES - DRAWN_BYTES);
	}
	cl_zeroize(words, sizeof(words));
	cl_zeroize(message, sizeof(message));
	return status;
}
