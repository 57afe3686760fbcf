/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Engine that uses the CTR accelerator. The accelerator computes CTR, including the key schedule,
 * with its own DMA.
 */
#ifndef CL_ENGINE_ACCEL_H
#define CL_ENGINE_ACCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "accelerator/accel.h"
#include "engine/engine.h"

/** State of one accelerator and of its engine. */
struct cl_accel_device {
	/** Set up by cl_engine_accel_init. */
	struct cl_accel accel;
	/**
	 * First address and size of the memory that the DMA can reach. Buffers in this memory need
	 * no copy, whatever their alignment.
	 */
	uintptr_t dma_origin;
	size_t dma_bytes;
	/**
	 * First address and size of a second memory area that the DMA can reach. The CPU does not
	 * cache this area. The size is 0 if there is no such area.
	 */
	uintptr_t uncached_origin;
	size_t uncached_bytes;
	/**
	 * Buffer in memory that the DMA can reach. Data in memory that the DMA cannot reach are
	 * copied through this buffer. If bounce_bytes is below 16, the engine refuses such data
	 * with -EINVAL.
	 */
	uint8_t *bounce;
	size_t bounce_bytes;
	/**
	 * Function that overwrites old data in the accelerator's queues and buffers. To do so, it
	 * encrypts @p len bytes of the bounce buffer in place, with the key in slot @p slot.
	 * cl_engine_accel_gcm sets this pointer. If the pointer is NULL, the engine calls
	 * cl_accel_ctr.
	 */
	void (*pass)(const struct cl_accel_device *device, unsigned int slot, size_t len);
	/** For each key slot, the generation number of its key; 0 if the slot is free. */
	uint32_t slots[CL_ACCEL_SLOTS];
	/** The generation number of the key that was set last. */
	uint32_t generation;
};

/**
 * Prepares the accelerator for use. Zeroizes all keys and data that it still contains after a
 * restart. Before this call, set the members of @p device that describe memory areas and the bounce
 * buffer.
 *
 * @retval 0 done
 * @retval -errno as cl_accel_init
 */
int cl_engine_accel_init(struct cl_accel_device *device, volatile uint32_t *regs,
			 void (*dcache_flush)(void));

/** Returns true if the DMA can use @p buffer without a copy. */
bool cl_engine_accel_reaches(const struct cl_accel_device *device, const uint8_t *buffer,
			     size_t len);

/**
 * Checks that the slot of @p key still holds this key. The engine's own functions include this
 * check. Firmware that submits descriptors itself must call this function first.
 *
 * @retval 0 the slot cl_engine_key.slot holds the key
 * @retval -EINVAL no key is set
 * @retval -EIO all slots were zeroized after a fault
 */
int cl_engine_accel_check_key(const struct cl_accel_device *device,
			      const struct cl_engine_key *key);

/**
 * Returns the engine `accelerator` on @p device. Initialise @p device before you use the engine.
 * The engine's set_key stores each key only in a key slot, one key per slot. If no slot is free,
 * set_key returns -EBUSY. The engine's clear frees the key's slot.
 */
struct cl_engine cl_engine_accel(struct cl_accel_device *device);

#endif
