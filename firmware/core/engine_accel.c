#include "engine_accel.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "cl_wire.h"
#include "engines.h"
#include "zeroize.h"

/** After every slot was zeroized. */
static void forget(struct cl_accel_device *device)
{
	memset(device->slots, 0, sizeof(device->slots));
}

/** The slot that holds a key of this generation, or CL_ACCEL_SLOTS. */
static unsigned int find_slot(const struct cl_accel_device *device, uint32_t generation)
{
	unsigned int slot = 0;

	while (slot < CL_ACCEL_SLOTS && device->slots[slot].generation != generation) {
		slot++;
	}
	return slot;
}

/** The slot whose key has not been used for the longest time. */
static unsigned int oldest_slot(const struct cl_accel_device *device)
{
	unsigned int oldest = 0;

	for (unsigned int slot = 1; slot < CL_ACCEL_SLOTS; slot++) {
		if (device->calls - device->slots[slot].used >
		    device->calls - device->slots[oldest].used) {
			oldest = slot;
		}
	}
	return oldest;
}

int cl_engine_accel_load_key(struct cl_accel_device *device, const struct cl_engine_key *key,
			     unsigned int *slot)
{
	int result = 0;

	device->calls++;
	*slot = find_slot(device, key->generation);
	if (*slot == CL_ACCEL_SLOTS) {
		*slot = find_slot(device, 0);
		if (*slot == CL_ACCEL_SLOTS) {
			*slot = oldest_slot(device);
		}
		device->slots[*slot].generation = 0;
		result = cl_accel_set_key(&device->accel, *slot, key->round_key, key->key_bits);
		if (result == 0) {
			device->slots[*slot].generation = key->generation;
		} else if (result == -ETIMEDOUT) {
			forget(device);
		}
	}
	device->slots[*slot].used = device->calls;
	return result;
}

bool cl_engine_accel_reaches(const struct cl_accel_device *device, const uint8_t *buffer,
			     size_t len)
{
	const uintptr_t offset = (uintptr_t)buffer - device->dma_origin;

	return offset <= device->dma_bytes && len <= device->dma_bytes - offset;
}

/** CTR through the bounce buffer, piece by piece. Apart, as the usual way shall fit few cache
 * lines. */
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

static int accel_set_key(const struct cl_engine *engine, struct cl_engine_key *key,
			 const uint8_t *key_bytes, unsigned int key_bits)
{
	struct cl_accel_device *device = engine->hw;

	if (key_bits != 128 && key_bits != 192 && key_bits != 256) {
		return -EINVAL;
	}
	cl_zeroize(key, sizeof(*key));
	memcpy(key->round_key, key_bytes, key_bits / 8);
	key->key_bits = (uint16_t)key_bits;
	key->rounds = (uint8_t)(key_bits / 32 + 6);
	device->generation++;
	if (device->generation == 0) {
		device->generation = 1;
	}
	key->generation = device->generation;
	unsigned int slot;
	const int result = cl_engine_accel_load_key(device, key, &slot);

	if (result != 0) {
		cl_zeroize(key, sizeof(*key));
	}
	return result;
}

static int accel_ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
		     const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
		     size_t len)
{
	struct cl_accel_device *device = engine->hw;

	if (key->key_bits == 0) {
		return -EINVAL;
	}
	if (len == 0) {
		return 0;
	}
	unsigned int slot;
	const int result = cl_engine_accel_load_key(device, key, &slot);

	if (result != 0) {
		return result;
	}
	if (cl_engine_accel_reaches(device, in, len) && cl_engine_accel_reaches(device, out, len)) {
		return cl_accel_ctr(&device->accel, slot, counter, 0, in, out, len);
	}
	return bounce(device, slot, counter, in, out, len);
}

static void accel_clear(const struct cl_engine *engine, struct cl_engine_key *key)
{
	struct cl_accel_device *device = engine->hw;

	const unsigned int slot =
		key->generation != 0 ? find_slot(device, key->generation) : CL_ACCEL_SLOTS;

	if (slot < CL_ACCEL_SLOTS) {
		if (cl_accel_clear_key(&device->accel, slot) == 0) {
			device->slots[slot].generation = 0;
		} else {
			(void)cl_accel_zeroize(&device->accel);
			forget(device);
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
		.hw = device,
	};
}
