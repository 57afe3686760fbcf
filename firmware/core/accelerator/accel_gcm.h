/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * AES-GCM (SP 800-38D) by the accelerator, from memory to memory. Only for a SoC that has GCM in
 * its accelerator (configuration `gcm`): there the accelerator computes the hash key of each slot
 * when it loads a key, and never gives it out.
 */
#ifndef CL_ACCEL_GCM_H
#define CL_ACCEL_GCM_H

#include "accelerator/accel.h"

/** Describes a GCM message. */
struct cl_accel_gcm {
	/** CL_ACCEL_OPTIONS_MODE_ENCRYPT, _DECRYPT or _VERIFY; the last one does not use @p out. */
	uint8_t mode;
	/** Key slot to use. */
	uint8_t slot;
	/** Bytes of the tag: 4, 8 or 12 to 16. */
	uint8_t tag_length;
	/** Raise the interrupt when the message has ended. */
	bool interrupt;
	/** Begin only when all earlier descriptors have ended. */
	bool ordered;
	/** The CPU caches neither @p out nor @p tag, so cl_accel_gcm_run need not flush the cache.
	 */
	bool uncached;
	/**
	 * The IV. With 12 bytes, any memory; otherwise memory that the DMA may reach, until the
	 * message has ended.
	 */
	const uint8_t *iv;
	uint32_t iv_length;
	/**
	 * Buffers at any alignment, in memory that the DMA may reach. @p out may equal @p in, or
	 * begin before it. A buffer without bytes may be NULL.
	 */
	const uint8_t *aad;
	uint32_t aad_length;
	const uint8_t *in;
	uint8_t *out;
	uint32_t length;
	/** Mode encrypt writes the tag, the other modes read it. */
	uint8_t *tag;
};

/**
 * Queues a message. The CPU must not access its buffers until it has ended (cl_accel_poll).
 *
 * @retval 0 done
 * @retval -EINVAL no such slot or mode
 * @retval -EFAULT an address is beyond 32 bits
 * @retval -EBUSY the queue is full
 */
int cl_accel_gcm_submit(const struct cl_accel *accel, const struct cl_accel_gcm *message,
			uint16_t *number);

/**
 * Queues a message and waits for its end. A text to decrypt that is longer than the accelerator
 * holds is verified first, and then decrypted in counter mode. Nobody may change it meanwhile.
 *
 * @retval 0 done
 * @retval -EBADMSG the tag is wrong; nothing was written
 * @retval -EMSGSIZE a length is not allowed; or the text to decrypt is longer than the accelerator
 *                   holds, and its IV has not 12 bytes; nothing was done
 * @retval -EINVAL, -EFAULT, -EBUSY, -EIO, -ETIMEDOUT, -ECANCELED as cl_accel_run
 */
int cl_accel_gcm_run(const struct cl_accel *accel, const struct cl_accel_gcm *message);

#endif
