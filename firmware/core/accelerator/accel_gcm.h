/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * AES-GCM (SP 800-38D) by the accelerator, from memory to memory. Only for a SoC whose accelerator
 * supports GCM (configuration `gcm`). Such an accelerator computes the hash subkey when it loads a
 * key, and never outputs it.
 */
#ifndef CL_ACCEL_GCM_H
#define CL_ACCEL_GCM_H

#include "accelerator/accel.h"

/** Describes a GCM message. */
struct cl_accel_gcm {
	/**
	 * The operation: CL_ACCEL_OPTIONS_MODE_ENCRYPT, _DECRYPT or _VERIFY. _VERIFY does not use
	 * @p out.
	 */
	uint8_t mode;
	/** Key slot to use. */
	uint8_t slot;
	/** Length of the tag in bytes: 4, 8 or 12 to 16. */
	uint8_t tag_length;
	/** True: the accelerator raises its interrupt when it has finished this message. */
	bool interrupt;
	/**
	 * True: the accelerator begins this message only after it has finished all earlier
	 * descriptors.
	 */
	bool ordered;
	/**
	 * True if the CPU caches neither @p out nor @p tag: cl_accel_gcm_run then does not flush
	 * the cache.
	 */
	bool uncached;
	/**
	 * The IV. If it has 12 bytes, the driver copies it to registers, so it can be in any
	 * memory. An IV of another length must be in memory that the DMA can reach. It must not
	 * change until the accelerator has finished the message.
	 */
	const uint8_t *iv;
	uint32_t iv_length;
	/**
	 * Buffers at any alignment, in memory that the DMA can reach. A buffer of length 0 can be
	 * NULL. If @p out overlaps @p in, @p out must begin at or before the first byte of @p in.
	 */
	const uint8_t *aad;
	uint32_t aad_length;
	const uint8_t *in;
	uint8_t *out;
	uint32_t length;
	/**
	 * Buffer of the tag. Encryption writes the tag here; decryption and verification read it.
	 */
	uint8_t *tag;
};

/**
 * Queues a message. The CPU must not access the message's buffers until the accelerator has
 * finished the message (cl_accel_poll).
 *
 * @retval 0 done
 * @retval -EINVAL no such slot or mode
 * @retval -EFAULT an address is beyond 32 bits
 * @retval -EBUSY the queue is full
 */
int cl_accel_gcm_submit(const struct cl_accel *accel, const struct cl_accel_gcm *message,
			uint16_t *number);

/**
 * Queues a message and waits until the accelerator has finished it. If a ciphertext does not fit in
 * the accelerator's memory, the function first verifies the tag, and then decrypts the ciphertext
 * in CTR mode. Between these two steps, the ciphertext must not change.
 *
 * @retval 0 done
 * @retval -EBADMSG the tag is wrong; nothing was written
 * @retval -EMSGSIZE a length is not allowed; or the ciphertext does not fit the accelerator's
 *                   memory and the IV is not 12 bytes long; nothing was done
 * @retval -EINVAL, -EFAULT, -EBUSY, -EIO, -ETIMEDOUT, -ECANCELED as cl_accel_run
 */
int cl_accel_gcm_run(const struct cl_accel *accel, const struct cl_accel_gcm *message);

#endif
