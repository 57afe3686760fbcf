#include "engine_accel.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "cl_wire.h"
#include "engines.h"
#include "zeroize.h"

static int load_key(struct cl_accel_device *device, const struct cl_engine_key *key)
{
	if (device->loaded == key->generation) {
		return 0;
	}
	device->loaded = 0;
	const int result = cl_accel_set_key(&device->accel, key->round_key, key->key_bits);

	if (result == 0) {
		device->loaded = key->generation;
	}
	return result;
}

/** Whether the DMA can take @p buffer as it is. */
static bool is_reachable(const struct cl_accel_device *device, const uint8_t *buffer, size_t len)
{
	const uintptr_t offset = (uintptr_t)buffer - device->dma_origin;

	return (uintptr_t)buffer % CL_ACCEL_ALIGNMENT == 0 && offset <= device->dma_bytes &&
	       len <= device->dma_bytes - offset;
}

/** CTR through the bounce buffer, piece by piece; T1 is set. */
static int bounce(const struct cl_accel_device *device, const uint8_t *in, uint8_t *out, size_t len)
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
		result = cl_accel_ctr(&device->accel, index, device->bounce, device->bounce, part);
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
	const int result = load_key(device, key);

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
	const int result = load_key(device, key);

	if (result != 0) {
		return result;
	}
	cl_accel_set_counter(&device->accel, counter);
	if (is_reachable(device, in, len) && is_reachable(device, out, len)) {
		return cl_accel_ctr(&device->accel, 0, in, out, len);
	}
	return bounce(device, in, out, len);
}

static void accel_clear(const struct cl_engine *engine, struct cl_engine_key *key)
{
	struct cl_accel_device *device = engine->hw;

	if (key->generation != 0 && device->loaded == key->generation) {
		(void)cl_accel_zeroize(&device->accel);
		device->loaded = 0;
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
