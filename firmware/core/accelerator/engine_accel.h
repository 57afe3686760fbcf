/**
 * @file
 * Engine on the CTR accelerator: CTR by its own DMA, key schedule included.
 */
#ifndef CL_ENGINE_ACCEL_H
#define CL_ENGINE_ACCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "accelerator/accel.h"
#include "engine/engine.h"

/** One accelerator and what its engine remembers. */
struct cl_accel_device {
	/** Set up by cl_engine_accel_init. */
	struct cl_accel accel;
	/** Memory that the DMA may reach: buffers in it need no copy, at any alignment. */
	uintptr_t dma_origin;
	size_t dma_bytes;
	/** More such memory, which the CPU does not cache; 0 bytes where there is none. */
	uintptr_t uncached_origin;
	size_t uncached_bytes;
	/**
	 * Where other buffers pass through, in the memory above. With bounce_bytes below 16 such
	 * buffers are refused with -EINVAL.
	 */
	uint8_t *bounce;
	size_t bounce_bytes;
	/** Generation of the key that each key slot holds, 0 when it is free. */
	uint32_t slots[CL_ACCEL_SLOTS];
	/** Last generation given out. */
	uint32_t generation;
};

/**
 * Takes over the accelerator, with no key, and erases what a restart left of keys and data. The
 * rest of @p device is set.
 *
 * @retval 0 done
 * @retval -errno as cl_accel_init
 */
int cl_engine_accel_init(struct cl_accel_device *device, volatile uint32_t *regs,
			 void (*dcache_flush)(void));

/** Whether the DMA can take @p buffer as it is. */
bool cl_engine_accel_reaches(const struct cl_accel_device *device, const uint8_t *buffer,
			     size_t len);

/**
 * Whether the key's slot still holds it. For ports that submit descriptors themselves; the engine
 * asks by itself.
 *
 * @retval 0 it does: cl_engine_key.slot
 * @retval -EINVAL no key is set
 * @retval -EIO after a fault all slots were zeroized
 */
int cl_engine_accel_check_key(const struct cl_accel_device *device,
			      const struct cl_engine_key *key);

/**
 * The engine `accelerator` on @p device, which must have been initialised. A key has a slot of
 * its own from set_key to clear, and is nowhere else: set_key returns -EBUSY when none is free.
 */
struct cl_engine cl_engine_accel(struct cl_accel_device *device);

#endif
