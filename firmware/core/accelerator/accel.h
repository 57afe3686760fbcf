/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Driver of the CTR accelerator: AES-CTR from memory to memory by its own DMA.
 *
 * Sequence: call cl_accel_init once, then cl_accel_set_key for each key. Each key needs its own
 * slot. Then call cl_accel_ctr or cl_accel_eea2 for each piece of data; both return when the result
 * is complete. To queue several pieces, call cl_accel_submit for each piece, and later
 * cl_accel_poll for each piece.
 *
 * No call waits longer than a bound that its arguments determine. A function returns -EBUSY if the
 * accelerator cannot accept the command or descriptor now. It returns -ETIMEDOUT if the accelerator
 * or the bus did not answer in time.
 */
#ifndef CL_ACCEL_H
#define CL_ACCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl_accel_regs.h"

/** Number of key slots. */
#define CL_ACCEL_SLOTS CL_ACCEL_KEY_VALID_BITS

struct cl_accel {
	/** Base address of the accelerator's registers (cl_accel_regs.h). */
	volatile uint32_t *regs;
	/**
	 * Function that invalidates the CPU's data cache, so that the CPU reads the DMA's output
	 * from memory. NULL if the CPU does not cache the memory that the DMA writes. The cache
	 * must be write-through and must not prefetch.
	 */
	void (*dcache_flush)(void);
};

/** A descriptor: describes one piece of data that the accelerator encrypts or decrypts. */
struct cl_accel_descriptor {
	/**
	 * Buffers at any alignment, in memory that the DMA can reach.
	 * If @p out overlaps @p in, @p out must begin at or before the first byte of @p in.
	 */
	const uint8_t *in;
	uint8_t *out;
	/** Length in bytes, or in bits if in_bits is set; 0 is allowed. */
	uint32_t length;
	/**
	 * True if the length is in bits. The accelerator then sets the unused bits of the last
	 * output byte to 0.
	 */
	bool in_bits;
	/** True: the accelerator raises its interrupt when it has finished this descriptor. */
	bool interrupt;
	/**
	 * True: the accelerator begins this descriptor only after it has finished all earlier ones.
	 * Needed if this descriptor reads the output of an earlier one.
	 */
	bool ordered;
	/** True if the CPU does not cache @p out: cl_accel_run then does not flush the cache. */
	bool uncached;
	/** Key slot to use. */
	uint8_t slot;
	/**
	 * Counter width, one of the codes CL_ACCEL_OPTIONS_WIDTH_*. It selects how many low bits of
	 * the counter block the accelerator increments. The other bits are the same in all blocks.
	 */
	uint8_t width;
	/**
	 * `counter`: counter block T1 (SP 800-38A, 6.5). The first block of data uses T1 + `index`.
	 */
	_Alignas(sizeof(uint32_t)) uint8_t counter[16];
	uint64_t index;
};

/**
 * Initialises the driver, disables the accelerator's interrupt, and calls cl_accel_zeroize.
 *
 * @retval 0 done
 * @retval -ETIMEDOUT the accelerator did not answer in time
 */
int cl_accel_init(struct cl_accel *accel, volatile uint32_t *regs, void (*dcache_flush)(void));

/**
 * Loads a key into a slot, and waits until the accelerator has computed the round keys. The slot's
 * previous key is lost. Work with other slots continues.
 *
 * @param key the key as 32-bit words; each word is four key bytes, loaded little-endian
 * @retval 0 done
 * @retval -EINVAL no such slot, or key_bits is not 128, 192 or 256
 * @retval -EBUSY a descriptor of the slot is outstanding, or the accelerator cannot accept the
 * command now
 * @retval -ETIMEDOUT the accelerator did not load the key in time; every slot was zeroized
 * @retval -EIO the accelerator does not report a valid key
 */
int cl_accel_set_key(const struct cl_accel *accel, unsigned int slot, const uint32_t *key,
		     unsigned int key_bits);

/**
 * Zeroizes a slot.
 *
 * @retval 0 done
 * @retval -EINVAL no such slot
 * @retval -EBUSY a descriptor of the slot is outstanding, or the accelerator cannot accept the
 *                command now; the slot still holds its key
 * @retval -ETIMEDOUT the accelerator did not answer in time
 */
int cl_accel_clear_key(const struct cl_accel *accel, unsigned int slot);

/**
 * Zeroizes every copy of every key in the accelerator, and stops all work in progress.
 *
 * @retval 0 done
 * @retval -ETIMEDOUT the accelerator did not answer in time
 */
int cl_accel_zeroize(const struct cl_accel *accel);

/**
 * Aborts all outstanding descriptors. The slots keep their keys.
 *
 * @retval 0 done, or no descriptor was outstanding
 * @retval -ETIMEDOUT the accelerator did not answer in time
 */
int cl_accel_abort(const struct cl_accel *accel);

/**
 * Queues a descriptor. The CPU must not access the descriptor's buffers until the accelerator has
 * finished the descriptor.
 *
 * @param[out] number the descriptor's number. Pass it to cl_accel_poll before 8 more descriptors
 *                    are submitted.
 * @retval 0 done
 * @retval -EINVAL no such slot or width
 * @retval -EFAULT an address is beyond 32 bits
 * @retval -EBUSY the queue is full
 */
int cl_accel_submit(const struct cl_accel *accel, const struct cl_accel_descriptor *descriptor,
		    uint16_t *number);

/**
 * Returns the result of a descriptor, or -EAGAIN if the accelerator has not finished the
 * descriptor. After any result except -EAGAIN, the CPU can read the descriptor's output.
 *
 * @retval 0 the accelerator finished the descriptor without error
 * @retval -EAGAIN the accelerator has not finished the descriptor
 * @retval -EINVAL the slot holds no key, or @p out begins inside @p in
 * @retval -EFAULT a buffer is not in memory that the DMA can reach
 * @retval -EIO the bus reported an error; the output is incomplete
 * @retval -ETIMEDOUT the bus did not answer; the output is incomplete
 * @retval -ECANCELED the descriptor was aborted; the output is incomplete
 * @retval -EBADMSG the tag of a GCM message is wrong; nothing was written
 * @retval -EMSGSIZE a length of a GCM message is not allowed; nothing was done
 */
int cl_accel_poll(const struct cl_accel *accel, uint16_t number);

/**
 * Queues a descriptor and waits until the accelerator has finished it. The descriptor's output must
 * share no cache line with the CPU's stack or with @p accel.
 *
 * @retval 0 done
 * @retval -ETIMEDOUT it was not finished in time; all outstanding descriptors were aborted
 * @retval -EINVAL, -EFAULT, -EBUSY, -EIO, -ECANCELED as cl_accel_submit and cl_accel_poll
 */
int cl_accel_run(const struct cl_accel *accel, const struct cl_accel_descriptor *descriptor);

/**
 * Encrypts or decrypts in CTR mode, and waits until the accelerator has finished. The first counter
 * block is T1 + @p index modulo 2^128. @p out must share no cache line with the CPU's stack or with
 * @p accel.
 *
 * @param in, out as in struct cl_accel_descriptor
 * @param len bytes, 0 allowed
 * @retval 0 done
 * @retval -EINVAL no key in the slot, @p out begins inside @p in, or @p len is 2^32 or more
 * @retval -ETIMEDOUT the work was not finished in time; all outstanding descriptors were aborted
 * @retval -EFAULT, -EBUSY, -EIO, -ECANCELED as cl_accel_submit and cl_accel_poll
 */
int cl_accel_ctr(const struct cl_accel *accel, unsigned int slot, const uint8_t counter[16],
		 uint64_t index, const uint8_t *in, uint8_t *out, size_t len);

/**
 * Builds T1 of 128-EEA2 (3GPP TS 33.401, B.1.3) from COUNT, BEARER (5 bits) and DIRECTION (1 bit).
 */
void cl_accel_eea2_counter(uint8_t counter[16], uint32_t count, unsigned int bearer,
			   unsigned int direction);

/**
 * Encrypts or decrypts @p bits bits with 128-EEA2, and waits until the accelerator has finished.
 * Returns the same codes as cl_accel_ctr.
 *
 * @retval -EINVAL also if bearer is above 31 or direction above 1
 */
int cl_accel_eea2(const struct cl_accel *accel, unsigned int slot, uint32_t count,
		  unsigned int bearer, unsigned int direction, const uint8_t *in, uint8_t *out,
		  uint32_t bits);

#endif
