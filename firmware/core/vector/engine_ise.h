/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Engines that use the vector AES unit. They exist only in firmware for a SoC with this unit, which
 * must be enabled.
 *
 * Engines that use the same hardware context must share one struct cl_ise_device. Only one call at
 * a time is allowed to use the structure.
 */
#ifndef CL_ENGINE_ISE_H
#define CL_ENGINE_ISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "engine/modes.h"

/**
 * Memory that vector loads and stores reach, and functions that keep it consistent with the CPU's
 * cache.
 *
 * The unit's memory port bypasses the CPU's data cache and store buffer. So a sequence of vector
 * loads and stores follows these rules, in this order:
 *
 * 1. Call `drain` before the first load or store. It waits until the CPU's earlier stores are in
 *    memory. The cache is write-through, so no other stores are pending.
 * 2. Meanwhile, the CPU accesses neither the input buffer nor the output buffer.
 * 3. Use the instruction `memory_status` after the last load or store. It waits until all loads and
 *    stores are done, and reports faults.
 * 4. Call `dcache_flush` before the CPU reads the memory again. It drops old copies in the CPU's
 *    cache.
 */
struct cl_ise_memory {
	/**
	 * First address of the memory, and its size in bytes. A size of 0 means that there is no
	 * such memory.
	 */
	uintptr_t origin;
	size_t bytes;
	/**
	 * Waits until all earlier stores of the CPU are in memory. NULL if the CPU never has
	 * pending stores.
	 */
	void (*drain)(void);
	/** Invalidates the CPU's data cache. NULL if the CPU does not cache this memory. */
	void (*dcache_flush)(void);
};

/** State of one hardware context and of the key in its registers. */
struct cl_ise_device {
	/** Generation number (cl_engine_key.generation) of the loaded key; 0 if none is loaded. */
	uint32_t loaded;
	/** Generation number of the key that cl_ise_set_key has set last. */
	uint32_t generation;
	/**
	 * Number of calls that used scalar loads and stores because vector loads and stores cannot
	 * reach the call's buffers.
	 */
	uint32_t falls;
	/** Number of the hardware context, 0 to 7. */
	uint8_t context;
	struct cl_ise_memory memory;
};

/**
 * cl_engine_key.engine_word[0] has this value if the key is for decryption in ECB or CBC. The unit
 * then uses the round keys of the equivalent inverse cipher.
 */
#define CL_ISE_INVERSE 1u

/**
 * Makes @p key ready for use and loads it into the registers. If @p inverse is true, the key is for
 * decryption in ECB or CBC, otherwise for encryption. The key structure stores only the cipher key.
 *
 * @retval 0 done
 * @retval -EINVAL key_bits is not 128, 192 or 256
 */
int cl_ise_set_key(struct cl_ise_device *device, struct cl_engine_key *key,
		   const uint8_t *key_bytes, unsigned int key_bits, bool inverse);

/** Zeroizes all contexts. After a restart they may still hold keys. */
void cl_ise_zeroize(void);

/** Selects the hardware context of @p device, and loads @p key unless it is already loaded. */
void cl_ise_use_key(struct cl_ise_device *device, const struct cl_engine_key *key);

/** Returns true if vector loads and stores reach the @p len bytes at @p buffer. */
static inline bool cl_ise_reaches(const struct cl_ise_memory *memory, const void *buffer,
				  size_t len)
{
	const uintptr_t offset = (uintptr_t)buffer - memory->origin;

	return (uintptr_t)buffer % CL_BLOCK_BYTES == 0 && offset <= memory->bytes &&
	       len <= memory->bytes - offset;
}

/**
 * Waits for the CPU's stores (rule 1 of struct cl_ise_memory). Call this function before the first
 * vector load or store.
 */
void cl_ise_memory_begin(const struct cl_ise_memory *memory);

/**
 * Waits for all vector loads and stores, then flushes the data cache (rules 3 and 4 of struct
 * cl_ise_memory). Call this function after the last vector load or store.
 *
 * @retval 0 all loads and stores were carried out
 * @retval -EFAULT the unit refused a load or store: its address is not aligned, or not in memory
 *                 that the unit's memory port reaches
 */
int cl_ise_memory_end(const struct cl_ise_memory *memory);

/**
 * Returns the engine `ise`. It uses two instructions per round, as in Jenkins et al. 2007, and
 * scalar loads and stores.
 */
struct cl_engine cl_engine_ise(struct cl_ise_device *device);

/**
 * Returns the engine `ise_fused`. It uses one instruction per round, and scalar loads and stores.
 */
struct cl_engine cl_engine_ise_fused(struct cl_ise_device *device);

/**
 * Returns the engine `ise_vmem`. It uses one instruction per round. It uses vector loads and stores
 * if both buffers are aligned to 16 bytes and in the memory that `memory` in @p device describes.
 * Otherwise it uses scalar loads and stores, and counts the call in `falls`.
 */
struct cl_engine cl_engine_ise_vmem(struct cl_ise_device *device);

/**
 * Returns a copy of @p engine with an operation for GCM messages. @p engine must be one of the
 * engines above. The unit must have a multiplier (gateware/isa/README.md). Decryption verifies the
 * tag first, and then runs the engine's CTR.
 */
struct cl_engine cl_engine_ise_with_gcm(struct cl_engine engine);

/**
 * Adds data to a GHASH computation (SP 800-38D, 6.4) with the hash subkey of @p key. The unit must
 * have a multiplier. The function does not move the hash subkey out of the unit.
 *
 * @param[in,out] hash the GHASH value, 16 bytes in the order of FIPS-197; zeros before the first
 *             call. The function updates it with @p data
 * @param data any number of bytes at any alignment. A partial last block is padded with zeros
 * @retval 0 done
 * @retval -EINVAL no key is set
 * @retval -EFAULT the unit could not load the data; @p hash is undefined
 */
int cl_ise_ghash(struct cl_ise_device *device, const struct cl_engine_key *key,
		 uint8_t hash[CL_BLOCK_BYTES], const uint8_t *data, size_t len);

/**
 * Returns a hasher for engines without GCM of their own. The hasher uses the registers of a
 * hardware context, but not the key in these registers. The unit must have a multiplier.
 */
struct cl_hasher cl_ise_hasher(struct cl_ise_device *device);

/**
 * ECB and CBC with the instructions of the engines `ise`, `ise_fused` and `ise_vmem`. The argument
 * `hw` of all their functions is a struct cl_ise_device.
 */
extern const struct cl_modes cl_modes_ise;
extern const struct cl_modes cl_modes_ise_fused;
extern const struct cl_modes cl_modes_ise_vmem;

#endif
