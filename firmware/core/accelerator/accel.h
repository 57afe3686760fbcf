/**
 * @file
 * Driver of the CTR accelerator: AES-CTR from memory to memory by its own DMA.
 *
 * Sequence: cl_accel_init once; cl_accel_set_key for each key, into a slot of its own;
 * cl_accel_ctr or cl_accel_eea2 for each piece of data, which wait for their end. Or
 * cl_accel_submit, several before the first has ended, and cl_accel_poll for each.
 *
 * No call waits longer than a bound that its arguments give. Results common to all: -EBUSY the
 * accelerator cannot take this now; -ETIMEDOUT it or the bus did not answer in time.
 */
#ifndef CL_ACCEL_H
#define CL_ACCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl_accel_regs.h"

/** Key slots. */
#define CL_ACCEL_SLOTS CL_ACCEL_KEY_VALID_BITS

struct cl_accel {
	/** Base of the registers of cl_accel_regs.h. */
	volatile uint32_t *regs;
	/**
	 * Drops the CPU's copies of the DMA's memory. NULL where the CPU does not cache that
	 * memory. The cache must write through and not prefetch.
	 */
	void (*dcache_flush)(void);
};

/** What to encrypt or decrypt, and how. */
struct cl_accel_descriptor {
	/**
	 * Buffers at any alignment, in memory that the DMA may reach. @p out may equal @p in, or
	 * begin before it; it must not begin inside it otherwise.
	 */
	const uint8_t *in;
	uint8_t *out;
	/** In bytes, or in bits with in_bits; 0 is allowed. */
	uint32_t length;
	/** The length is in bits; the bits of the last byte behind the last are written as 0. */
	bool in_bits;
	/** Raise the interrupt at the end. */
	bool interrupt;
	/** Begin when all before it have ended: needed where it reads what one of them writes. */
	bool ordered;
	/** The CPU does not cache @p out: cl_accel_run leaves its cache as it is. */
	bool uncached;
	/** Key slot. */
	uint8_t slot;
	/** Bits of the counter block that are counted: CL_ACCEL_OPTIONS_WIDTH_*. */
	uint8_t width;
	/** Counter block T1 (SP 800-38A, 6.5); the first block's is T1 + index. */
	_Alignas(sizeof(uint32_t)) uint8_t counter[16];
	uint64_t index;
};

/**
 * Takes over the accelerator, and zeroizes it.
 *
 * @retval 0 done
 * @retval -ETIMEDOUT see above
 */
int cl_accel_init(struct cl_accel *accel, volatile uint32_t *regs, void (*dcache_flush)(void));

/**
 * Loads a key into a slot and waits for its schedule; the slot's key before it is lost. What runs
 * with other slots goes on.
 *
 * @param key words of the key, each four of its bytes loaded little-endian
 * @retval 0 done
 * @retval -EINVAL no such slot, or key_bits is not 128, 192 or 256
 * @retval -EBUSY a descriptor of the slot is outstanding, or see above
 * @retval -ETIMEDOUT see above; every slot was zeroized
 * @retval -EIO the accelerator does not report a valid key
 */
int cl_accel_set_key(const struct cl_accel *accel, unsigned int slot, const uint32_t *key,
		     unsigned int key_bits);

/**
 * Zeroizes a slot.
 *
 * @retval 0 done
 * @retval -EINVAL no such slot
 * @retval -EBUSY a descriptor of the slot is outstanding, or see above: the key is still there
 * @retval -ETIMEDOUT see above
 */
int cl_accel_clear_key(const struct cl_accel *accel, unsigned int slot);

/**
 * Sets every copy of every key in the accelerator to zero, ending what is under way.
 *
 * @retval 0 done
 * @retval -ETIMEDOUT see above
 */
int cl_accel_zeroize(const struct cl_accel *accel);

/**
 * Ends all outstanding descriptors; keys stay.
 *
 * @retval 0 done, or none was outstanding
 * @retval -ETIMEDOUT see above
 */
int cl_accel_abort(const struct cl_accel *accel);

/**
 * Queues a descriptor. Until it has ended, the CPU shall not touch its buffers.
 *
 * @param[out] number for cl_accel_poll, to be asked before 8 more have been submitted
 * @retval 0 done
 * @retval -EINVAL no such slot or width
 * @retval -EFAULT an address is beyond 32 bits
 * @retval -EBUSY the queue is full
 */
int cl_accel_submit(const struct cl_accel *accel, const struct cl_accel_descriptor *descriptor,
		    uint16_t *number);

/**
 * Tells how a descriptor ended; its result is then visible to the CPU.
 *
 * @retval 0 it ended well
 * @retval -EAGAIN it has not ended
 * @retval -EINVAL the slot holds no key, or @p out begins inside @p in
 * @retval -EFAULT a buffer is not in memory that the DMA may reach
 * @retval -EIO the bus reported an error; the output is incomplete
 * @retval -ETIMEDOUT the bus did not answer; the output is incomplete
 * @retval -ECANCELED it was aborted; the output is incomplete
 */
int cl_accel_poll(const struct cl_accel *accel, uint16_t number);

/**
 * Queues a descriptor and waits for its end. The CPU's stack and @p accel shall share no cache line
 * with its output.
 *
 * @retval 0 done
 * @retval -ETIMEDOUT see above; all outstanding descriptors were aborted
 * @retval -EINVAL, -EFAULT, -EBUSY, -EIO, -ECANCELED as cl_accel_submit and cl_accel_poll
 */
int cl_accel_run(const struct cl_accel *accel, const struct cl_accel_descriptor *descriptor);

/**
 * Encrypts or decrypts with T1 + @p index as the first counter block modulo 2^128, and waits for
 * the end. The CPU's stack and @p accel shall share no cache line with @p out.
 *
 * @param in, out as in struct cl_accel_descriptor
 * @param len bytes, 0 allowed
 * @retval 0 done
 * @retval -EINVAL no key in the slot, @p out begins inside @p in, or @p len is 2^32 or more
 * @retval -ETIMEDOUT see above; all outstanding descriptors were aborted
 * @retval -EFAULT, -EBUSY, -EIO, -ECANCELED as cl_accel_submit and cl_accel_poll
 */
int cl_accel_ctr(const struct cl_accel *accel, unsigned int slot, const uint8_t counter[16],
		 uint64_t index, const uint8_t *in, uint8_t *out, size_t len);

/** T1 of 128-EEA2 (3GPP TS 33.401, B.1.3) from COUNT, BEARER (5 bits) and DIRECTION (1 bit). */
void cl_accel_eea2_counter(uint8_t counter[16], uint32_t count, unsigned int bearer,
			   unsigned int direction);

/**
 * 128-EEA2 over @p bits bits, and waits for the end; otherwise as cl_accel_ctr.
 *
 * @retval -EINVAL also: bearer above 31 or direction above 1
 */
int cl_accel_eea2(const struct cl_accel *accel, unsigned int slot, uint32_t count,
		  unsigned int bearer, unsigned int direction, const uint8_t *in, uint8_t *out,
		  uint32_t bits);

#endif
