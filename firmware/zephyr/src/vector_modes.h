/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * ECB and CBC on the vector AES unit for Zephyr's threads. Each call leases a hardware context.
 */
#ifndef CL_VECTOR_MODES_H
#define CL_VECTOR_MODES_H

#include "engine/modes.h"

/**
 * Prepares a key for encryption or decryption. CTR mode needs keys for encryption.
 *
 * @param key the structure for the key. It must contain no key: it is zero, or cl_vector_clear has
 *            cleared it
 * @retval 0 done
 * @retval -EINVAL key_bits is not 128, 192 or 256
 */
int cl_vector_set_key(struct cl_engine_key *key, const uint8_t *key_bytes, unsigned int key_bits,
		      bool decrypt);

/**
 * Runs ECB or CBC over whole blocks at any alignment.
 *
 * @param run an entry of cl_modes_ise_vmem for the key's direction and length
 * @retval 0 done
 * @retval -errno an error of cl_modes_run
 */
int cl_vector_run(cl_modes_run *run, const struct cl_engine_key *key, uint32_t chain[4],
		  const uint8_t *in, uint8_t *out, size_t blocks);

/**
 * Zeroizes a key and its copies in the vector unit. Also allowed if no key was ever set in the
 * structure and the structure is zero.
 */
void cl_vector_clear(struct cl_engine_key *key);

#endif
