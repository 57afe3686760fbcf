/**
 * @file
 * Engine on the CTR accelerator: CTR by its own DMA, key schedule included.
 */
#ifndef CL_ENGINE_ACCEL_H
#define CL_ENGINE_ACCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "accel.h"
#include "engine.h"

/** One accelerator and what its engine remembers. */
struct cl_accel_device {
	/** Set up by cl_accel_init. */
	struct cl_accel accel;
	/** Memory that the DMA may reach: buffers in it need no copy, at any alignment. */
	uintptr_t dma_origin;
	size_t dma_bytes;
	/**
	 * Where other buffers pass through, in the memory above. With bounce_bytes below 16 such
	 * buffers are refused with -EINVAL.
	 */
	uint8_t *bounce;
	size_t bounce_bytes;
	/** What each key slot holds. */
	struct {
		/** Generation of its key, 0 when there is none. */
		uint32_t generation;
		/** When it was last used, in calls. */
		uint32_t used;
	} slots[CL_ACCEL_SLOTS];
	/** Last generation given out. */
	uint32_t generation;
	/** Calls. */
	uint32_t calls;
};

/** Whether the DMA can take @p buffer as it is. */
bool cl_engine_accel_reaches(const struct cl_accel_device *device, const uint8_t *buffer,
			     size_t len);

/**
 * Finds a key in a slot, or loads it: into a free slot, or else over the oldest. For ports that
 * submit descriptors themselves; the engine does it by itself.
 *
 * @retval 0 done
 * @retval -errno as cl_accel_set_key
 */
int cl_engine_accel_load_key(struct cl_accel_device *device, const struct cl_engine_key *key,
			     unsigned int *slot);

/** The engine `accelerator` on @p device, whose `accel` must have been set up. */
struct cl_engine cl_engine_accel(struct cl_accel_device *device);

#endif
