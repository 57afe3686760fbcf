/**
 * @file
 * Engines on the vector AES unit (target only), which must be enabled.
 *
 * All engines on one hardware context share its struct cl_ise_device. They are not reentrant on it.
 */
#ifndef CL_ENGINE_ISE_H
#define CL_ENGINE_ISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "engine/modes.h"

/**
 * Memory that vector loads and stores reach, and what keeps the CPU's view of it right.
 *
 * The unit's port bypasses the CPU's data cache and store buffer. So a pass of vector loads and
 * stores follows these rules, in this order:
 *
 * 1. `drain` before the first one. It waits until the CPU's earlier stores are in memory. The cache
 *    writes through, so only stores under way matter.
 * 2. The CPU touches neither buffer.
 * 3. `memory_status` after the last one. It waits for them and reports a fault.
 * 4. `dcache_flush` before the CPU reads again. It drops the CPU's stale copies.
 */
struct cl_ise_memory {
	/** First address and size. A size of 0 means that there is no such memory. */
	uintptr_t origin;
	size_t bytes;
	/** Waits until all earlier stores of the CPU are in memory. NULL where none can be under
	 * way. */
	void (*drain)(void);
	/** Invalidates the CPU's data cache. NULL where the CPU does not cache this memory. */
	void (*dcache_flush)(void);
};

/** One hardware context: whose key its registers hold. */
struct cl_ise_device {
	/** Generation of the key in the registers, 0 when there is none. */
	uint32_t loaded;
	/** Last generation given out. */
	uint32_t generation;
	/** Calls that took scalar loads and stores for buffers that vector ones do not reach. */
	uint32_t falls;
	/** Number of the hardware context, 0 to 7. */
	uint8_t context;
	struct cl_ise_memory memory;
};

/** In cl_engine_key.engine_word[0]: the round keys are those of the equivalent inverse cipher. */
#define CL_ISE_INVERSE 1u

/**
 * Makes @p key ready, for decryption in ECB or CBC if @p inverse, and loads it into the registers.
 * The key structure keeps the cipher key alone.
 *
 * @retval 0 done
 * @retval -EINVAL key_bits is not 128, 192 or 256
 */
int cl_ise_set_key(struct cl_ise_device *device, struct cl_engine_key *key,
		   const uint8_t *key_bytes, unsigned int key_bits, bool inverse);

/** Zeroizes all contexts: after a restart they may hold keys. */
void cl_ise_zeroize(void);

/** Selects the context and makes sure that its registers hold @p key. */
void cl_ise_use_key(struct cl_ise_device *device, const struct cl_engine_key *key);

/** Whether vector loads and stores reach the @p len bytes at @p buffer. */
static inline bool cl_ise_reaches(const struct cl_ise_memory *memory, const void *buffer,
				  size_t len)
{
	const uintptr_t offset = (uintptr_t)buffer - memory->origin;

	return (uintptr_t)buffer % CL_BLOCK_BYTES == 0 && offset <= memory->bytes &&
	       len <= memory->bytes - offset;
}

/** Rule 1: before the first vector load or store. */
void cl_ise_memory_begin(const struct cl_ise_memory *memory);

/**
 * Rules 3 and 4: after the last vector load or store.
 *
 * @retval 0 all were carried out
 * @retval -EFAULT one was refused: an address that is not aligned or not in the unit's memory
 */
int cl_ise_memory_end(const struct cl_ise_memory *memory);

/** Engine `ise`: the paper's seven instructions, two a round; scalar loads and stores. */
struct cl_engine cl_engine_ise(struct cl_ise_device *device);

/** Engine `ise_fused`: one instruction a round; scalar loads and stores. */
struct cl_engine cl_engine_ise_fused(struct cl_ise_device *device);

/**
 * Engine `ise_vmem`: one instruction a round; vector loads and stores where both buffers are
 * aligned to 16 bytes and in the memory that @p device names, otherwise scalar ones, which it
 * counts.
 */
struct cl_engine cl_engine_ise_vmem(struct cl_ise_device *device);

/** ECB and CBC of the three; cl_modes.hw is a struct cl_ise_device. */
extern const struct cl_modes cl_modes_ise;
extern const struct cl_modes cl_modes_ise_fused;
extern const struct cl_modes cl_modes_ise_vmem;

#endif
