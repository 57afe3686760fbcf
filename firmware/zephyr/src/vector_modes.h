/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * ECB, CBC and GHASH on the vector AES unit for Zephyr's threads. Each call leases a hardware
 * context.
 */
#ifndef CL_VECTOR_MODES_H
#define CL_VECTOR_MODES_H

#include "engine/modes.h"

/**
 * Prepares a key for decryption if @p decrypt is true, otherwise for encryption. CTR mode uses a
 * key for encryption in both directions.
 *
 * @param key the structure for the key. It must be zero, as it is after cl_vector_clear
 * @retval 0 done
 * @retval -EINVAL key_bits is not 128, 192 or 256
 */
int cl_vector_set_key(struct cl_engine_key *key, const uint8_t *key_bytes, unsigned int key_bits,
		      bool decrypt);

/**
 * Runs ECB or CBC over whole blocks at any alignment.
 *
 * @param run a function from cl_modes_ise_vmem for the key's direction and length
 * @retval 0 done
 * @retval -errno @p run returned this error
 */
int cl_vector_run(cl_modes_run *run, const struct cl_engine_key *key, uint32_t chain[4],
		  const uint8_t *in, uint8_t *out, size_t blocks);

/**
 * Encrypts or decrypts one block at any alignment, in the direction of @p key.
 *
 * @retval 0 done
 * @retval -EINVAL no key is set
 */
int cl_vector_block(const struct cl_engine_key *key, const uint8_t in[CL_BLOCK_BYTES],
		    uint8_t out[CL_BLOCK_BYTES]);

/**
 * Updates a GHASH value (SP 800-38D, 6.4) with @p data. The hash subkey comes from @p key. If the
 * unit has no multiplier, C code without tables computes GHASH.
 *
 * @param hash the GHASH value of all earlier data; 16 zero bytes if there are none. The function
 *             writes the new value here
 * @param data any number of bytes at any alignment. A partial last block is padded with zeros
 * @retval 0 done
 * @retval -EINVAL no key is set
 * @retval -EFAULT the unit could not load the data; @p hash is undefined
 */
int cl_vector_ghash(const struct cl_engine_key *key, uint8_t hash[CL_BLOCK_BYTES],
		    const uint8_t *data, size_t len);

/**
 * Zeroizes a key and its copies in the vector unit. If no key was ever set in the structure @p key,
 * all bytes of the structure must be zero.
 */
void cl_vector_clear(struct cl_engine_key *key);

#endif
