/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Interface of the modes ECB and CBC (SP 800-38A, 6.1 and 6.2). CTR mode is part of the interface
 * in engine.h.
 *
 * A key is set for one direction, encryption or decryption. Decryption needs the round keys of the
 * equivalent inverse cipher (FIPS-197, 5.3.5). Each direction and key length has its own function,
 * so that speed and size can be measured separately.
 */
#ifndef CL_MODES_H
#define CL_MODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

/**
 * Runs ECB or CBC over whole blocks.
 *
 * @param hw    the device that the functions use: a struct cl_ise_device for the vector unit;
 *              not used by modes in plain C
 * @param key   from cl_modes.set_key, for this direction and key length
 * @param chain CBC: the IV; on return the last block of ciphertext, which is the IV of the next
 *              call. ECB: not used.
 * @param in    4-byte aligned
 * @param out   4-byte aligned; equal to @p in, or not overlapping it
 * @retval 0 done
 * @retval -errno the hardware reported a fault; @p out is undefined
 */
typedef int cl_modes_run(void *hw, const struct cl_engine_key *key, uint32_t chain[4],
			 const uint32_t *in, uint32_t *out, size_t blocks);

/** Index of a key length in the arrays of struct cl_modes. */
#define CL_MODES_KEY(key_bits) ((key_bits) / 64 - 2)

struct cl_modes {
	const char *name;
	/**
	 * Makes @p key ready for one direction.
	 *
	 * @retval 0 done
	 * @retval -EINVAL key_bits is not 128, 192 or 256
	 */
	int (*set_key)(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
		       unsigned int key_bits, bool decrypt);
	/** Functions, indexed by [decrypt][CL_MODES_KEY(key_bits)]. */
	cl_modes_run *ecb[2][3];
	cl_modes_run *cbc[2][3];
};

#endif
