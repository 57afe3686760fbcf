/* SPDX-License-Identifier: BSD-2-Clause */
#include "accelerator/engine_accel.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "cl_wire.h"
#include "aes/engines.h"
#include "zeroize.h"

/** Upper bound of the bytes of old data that the DMA's queues can hold after a transfer. */
#define PASSING_BYTES 2048u

int cl_engine_accel_check_key(const struct cl_accel_device *device, const struct cl_engine_key *key)
{
	if (key->key_bits == 0) {
		return -EINVAL;
	}
	return device->slots[key->slot] == key->generation ? 0 : -EIO;
}

static bool is_inside(uintptr_t origin, size_t bytes, const uint8_t *buffer, size_t len)
{
	const uintptr_t offset = (uintptr_t)buffer - origin;

	return offset <= bytes && len <= bytes - offset;
}

bool cl_engine_accel_reaches(const struct cl_accel_device *device, const uint8_t *buffer,
			     size_t len)
{
	return is_inside(device->dma_origin, device->dma_bytes, buffer, len) ||
	       is_inside(device->uncached_origin, device->uncached_bytes, buffer, len);
}

/**
 * Runs CTR on data that the DMA cannot reach, by copying them through the bounce buffer. Not
 * inlined, so that the code for data that the DMA can reach occupies few cache lines.
 */
static __attribute__((noinline)) int bounce(const struct cl_accel_device *device, unsigned int slot,
					    const uint8_t *counter, const uint8_t *in, uint8_t *out,
					    size_t len)
{
	const size_t most = device->bounce_bytes - device->bounce_bytes % CL_BLOCK_BYTES;
	const size_t used = len < most ? len : most;
	int result = 0;

	if (most == 0) {
		return -EINVAL;
	}
	for (uint64_t index = 0; len > 0 && result == 0; index += most / CL_BLOCK_BYTES) {
		const size_t part = len < most ? len : most;

		memcpy(device->bounce, in, part);
		result = cl_accel_ctr(&device->accel, slot, counter, index, device->bounce,
				      device->bounce, part);
		if (result == 0) {
			memcpy(out, device->bounce, part);
		}
		in += part;
		out += part;
		len -= part;
	}
	cl_zeroize(device->bounce, used);
	return result;
}

/**
 * Overwrites old data in the accelerator's queues and buffers, which earlier requests have left
 * there. For this purpose, encrypts zeros with an all-zero key.
 *
 * @retval 0 done, or there is no bounce buffer and nothing was overwritten
 * @retval -errno as cl_accel_set_key
 */
static int overwrite(const struct cl_accel_device *device, unsigned int slot)
{
	static const uint32_t zero_key[4];
	static const uint8_t counter[CL_BLOCK_BYTES];
	const size_t most = device->bounce_bytes - device->bounce_bytes % CL_BLOCK_BYTES;

	if (most == 0) {
		return 0;
	}
	const int result = cl_accel_set_key(&device->accel, slot, zero_key, 128);

	if (result != 0) {
		return result;
	}
	for (size_t passed = 0; passed < PASSING_BYTES; passed += most) {
		if (device->pass != NULL) {
			device->pass(device, slot, most);
			continue;
		}
		(void)cl_accel_ctr(&device->accel, slot, counter, 0, device->bounce, device->bounce,
				   most);
	}
	cl_zeroize(device->bounce, most);
	return 0;
}

/**
 * Marks all slots as free, and overwrites the data that remain in the accelerator. Call it after
 * all slots have been zeroized.
 */
static int begin_anew(struct cl_accel_device *device)
{
	memset(device->slots, 0, sizeof(device->slots));
	(void)overwrite(device, 0);
	return cl_accel_clear_key(&device->accel, 0);
}

static int accel_set_key(const struct cl_engine *engine, struct cl_engine_key *key,
			 const uint8_t *key_bytes, unsigned int key_bits)
{
	struct cl_accel_device *device = engine->hw;
	uint32_t words[CL_KEY_BYTES_MAX / sizeof(uint32_t)];
	uint8_t slot = 0;

	if (key_bits != 128 && key_bits != 192 && key_bits != 256) {
		return -EINVAL;
	}
	while (device->slots[slot] != 0) {
		slot++;
		if (slot == CL_ACCEL_SLOTS) {
			return -EBUSY;
		}
	}
	memcpy(words, key_bytes, key_bits / 8);
	const int result = cl_accel_set_key(&device->accel, slot, words, key_bits);

	cl_zeroize(words, sizeof(words));
	if (result == -ETIMEDOUT) {
		(void)begin_anew(device);
	}
	if (result != 0) {
		return result;
	}
	device->generation++;
	if (device->generation == 0) {
		device->generation = 1;
	}
	device->slots[slot] = device->generation;
	*key = (struct cl_engine_key){
		.generation = device->generation,
		.key_bits = (uint16_t)key_bits,
		.rounds = (uint8_t)(key_bits / 32 + 6),
		.slot = slot,
	};
	return 0;
}

static int accel_ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
		     const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
		     size_t len)
{
	struct cl_accel_device *device = engine->hw;
	const int refused = cl_engine_accel_check_key(device, key);

	if (refused != 0 || len == 0) {
		return refused;
	}
	if (cl_engine_accel_reaches(device, in, len) && cl_engine_accel_reaches(device, out, len)) {
		struct cl_accel_descriptor descriptor = {
			.in = in,
			.out = out,
			.length = (uint32_t)len,
			.uncached = !is_inside(device->dma_origin, device->dma_bytes, out, len),
			.slot = key->slot,
			.width = CL_ACCEL_OPTIONS_WIDTH_128,
		};

		memcpy(descriptor.counter, counter, sizeof(descriptor.counter));
		return cl_accel_run(&device->accel, &descriptor);
	}
	return bounce(device, key->slot, counter, in, out, len);
}

int cl_engine_accel_init(struct cl_accel_device *device, volatile uint32_t *regs,
			 void (*dcache_flush)(void))
{
	const int result = cl_accel_init(&device->accel, regs, dcache_flush);

	return result != 0 ? result : begin_anew(device);
}

static void accel_clear(const struct cl_engine *engine, struct cl_engine_key *key)
{
	struct cl_accel_device *device = engine->hw;

	if (cl_engine_accel_check_key(device, key) == 0) {
		if (overwrite(device, key->slot) == 0 &&
		    cl_accel_clear_key(&device->accel, key->slot) == 0) {
			device->slots[key->slot] = 0;
		} else {
			(void)cl_accel_zeroize(&device->accel);
			(void)begin_anew(device);
		}
	}
	cl_engine_c_clear(engine, key);
}

struct cl_engine cl_engine_accel(struct cl_accel_device *device)
{
	return (struct cl_engine){
		.code = CL_WIRE_ENGINE_ACCELERATOR,
		.name = "accelerator",
		.set_key = accel_set_key,
		.ctr = accel_ctr,
		.clear = accel_clear,
		.anywhere = true,
		.hw = device,
	};
}
