/**
 * @file
 * Driver of the CTR accelerator: AES-CTR from memory to memory by its own DMA.
 *
 * Sequence: cl_accel_init once; cl_accel_set_key and cl_accel_set_counter for each key and stream;
 * cl_accel_ctr for each piece of it, in any order. Every call returns with the accelerator idle,
 * whatever happened, and waits no longer than a bound that its arguments give.
 *
 * Results common to all: -EBUSY the accelerator is busy (another owner started it); -ETIMEDOUT it
 * or the bus did not answer in time, and what was under way has been ended.
 */
#ifndef CL_ACCEL_H
#define CL_ACCEL_H

#include <stddef.h>
#include <stdint.h>

#define CL_ACCEL_ALIGNMENT 16u

struct cl_accel {
	/** Base of the registers of cl_accel_regs.h. */
	volatile uint32_t *regs;
	/**
	 * Drops the CPU's copies of the DMA's memory; called while a run is under way, in which the
	 * CPU reads nothing of it. NULL where the CPU does not cache that memory. The cache must
	 * write through and not prefetch.
	 */
	void (*dcache_flush)(void);
};

/**
 * Takes over the accelerator, and zeroizes it.
 *
 * @retval 0 done
 * @retval -ETIMEDOUT see above
 */
int cl_accel_init(struct cl_accel *accel, volatile uint32_t *regs, void (*dcache_flush)(void));

/**
 * Loads a key and waits for its schedule; the key before it is lost.
 *
 * @param key words of the key, each four of its bytes loaded little-endian
 * @retval 0 done
 * @retval -EINVAL key_bits is not 128, 192 or 256
 * @retval -EBUSY, -ETIMEDOUT see above
 * @retval -EIO the accelerator does not report a valid key
 */
int cl_accel_set_key(const struct cl_accel *accel, const uint32_t *key, unsigned int key_bits);

/** Sets counter block T1 (SP 800-38A, 6.5), 16 bytes at any alignment. */
void cl_accel_set_counter(const struct cl_accel *accel, const uint8_t counter[16]);

/**
 * Encrypts or decrypts with T1 + @p index as the first counter block, and waits for the end.
 *
 * @param in, out aligned to CL_ACCEL_ALIGNMENT, in memory that the DMA may reach; equal, or not
 *                overlapping
 * @param len bytes, 0 allowed
 * @retval 0 done
 * @retval -EINVAL no key, buffers not aligned, @p out begins inside @p in, or @p len is 2^32 or
 * more
 * @retval -EFAULT a buffer is not in memory that the DMA may reach
 * @retval -EBUSY, -ETIMEDOUT see above
 * @retval -EIO the bus reported an error; @p out is incomplete
 * @retval -ECANCELED someone aborted the run; @p out is incomplete
 */
int cl_accel_ctr(const struct cl_accel *accel, uint64_t index, const uint8_t *in, uint8_t *out,
		 size_t len);

/**
 * Sets every copy of the key in the accelerator to zero, ending what is under way.
 *
 * @retval 0 done
 * @retval -ETIMEDOUT see above
 */
int cl_accel_zeroize(const struct cl_accel *accel);

#endif
