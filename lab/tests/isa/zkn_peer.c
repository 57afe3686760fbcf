/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the engine `zkn` on the host, for test_engine_zkn.py. */
#include <errno.h>
#include <string.h>

#include "engine_zkn.h"
#include "model.h"

/** Prepares the model. Call it once, before peer_ctr(). */
void peer_start(void)
{
	units_aes_init();
}

/** Computes AES-CTR with the engine, then clears the key. @retval -EBADMSG the key structure is not
 *  zero afterwards */
int peer_ctr(const uint8_t *key_bytes, unsigned int key_bits, const uint8_t *counter,
	     const uint8_t *in, uint8_t *out, size_t len)
{
	static const struct cl_engine_key zero;
	struct cl_engine_key key = {0};
	int status = cl_engine_zkn.set_key(&cl_engine_zkn, &key, key_bytes, key_bits);

	if (status == 0) {
		status = cl_engine_zkn.ctr(&cl_engine_zkn, &key, counter, in, out, len);
	}
	cl_engine_zkn.clear(&cl_engine_zkn, &key);
	return memcmp(&key, &zero, sizeof(key)) != 0 ? -EBADMSG : status;
}
