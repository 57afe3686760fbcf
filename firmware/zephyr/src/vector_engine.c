/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the vector AES unit's engines in firmware/core usable for Zephyr's threads. Each call runs
 * in a hardware context that its thread leases for this call. A key is not bound to a context. If
 * the leased context contains another key, the call first loads its own key.
 */
#include <string.h>

#include <zephyr/sys/util.h>

#include <cipherlane/contexts.h>
#include <cipherlane/engines.h>

#include "cl_wire.h"
#include "aes/engines.h"
#include "engine/ctr.h"
#include "gcm/gcm.h"
#include "zeroize.h"

/**
 * Maximum number of blocks that are copied to the stack at a time. Only data that are not
 * word-aligned are copied.
 */
#define CHUNK_BLOCKS 16u

/** A function that returns an engine of firmware/core for the hardware context @p device. */
typedef struct cl_engine maker(struct cl_ise_device *device);

struct style {
	maker *make;
};

static struct cl_engine engine_on(const struct cl_engine *engine, const struct cl_lease *lease)
{
	const struct style *const style = engine->hw;

	return style->make(lease->device);
}

static int set_key(const struct cl_engine *engine, struct cl_engine_key *key,
		   const uint8_t *key_bytes, unsigned int key_bits)
{
	struct cl_lease lease;

	cl_lease_begin(&lease);
	const struct cl_engine inner = engine_on(engine, &lease);

	/* Store the new key's generation number minus 1, because `set_key` adds 1. */
	lease.device->generation = cl_contexts_generation() - 1;
	const int result = inner.set_key(&inner, key, key_bytes, key_bits);

	cl_lease_end(&lease);
	return result;
}

/**
 * Runs CTR over data that are not word-aligned. Copies the data in parts to an aligned buffer. This
 * is faster than passing unaligned data to an engine.
 */
static int ctr_by_copies(const struct cl_engine *inner, const struct cl_engine_key *key,
			 const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
			 size_t len)
{
	uint32_t chunk[CHUNK_BLOCKS * CL_BLOCK_BYTES / sizeof(uint32_t)];
	uint8_t first[CL_BLOCK_BYTES];
	int result = 0;

	for (size_t done = 0; done < len && result == 0; done += sizeof(chunk)) {
		const size_t part = MIN(len - done, sizeof(chunk));

		cl_ctr_counter(first, counter, done / CL_BLOCK_BYTES);
		memcpy(chunk, in + done, part);
		result = inner->ctr(inner, key, first, (const uint8_t *)chunk, (uint8_t *)chunk,
				    part);
		memcpy(out + done, chunk, part);
	}
	cl_zeroize(chunk, sizeof(chunk));
	return result;
}

static int ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
	       const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out, size_t len)
{
	struct cl_lease lease;

	cl_lease_begin(&lease);
	const struct cl_engine inner = engine_on(engine, &lease);
	const bool aligned = (((uintptr_t)in | (uintptr_t)out) & 3) == 0;
	const int result =
		(aligned ? inner.ctr : ctr_by_copies)(&inner, key, counter, in, out, len);

	cl_lease_end(&lease);
	return result;
}

static int gcm(const struct cl_engine *engine, const struct cl_engine_key *key,
	       const struct cl_gcm_message *message)
{
	struct cl_lease lease;

	cl_lease_begin(&lease);
	struct cl_engine inner = engine_on(engine, &lease);

	if (IS_ENABLED(CONFIG_CIPHERLANE_VECTOR_PRODUCTS)) {
		inner = cl_engine_ise_with_gcm(inner);
	}
	const int result = cl_gcm_run(&inner, key, message);

	cl_lease_end(&lease);
	return result;
}

static void clear(const struct cl_engine *engine, struct cl_engine_key *key)
{
	if (key->generation != 0) {
		cl_contexts_forget(key->generation);
	}
	cl_engine_c_clear(engine, key);
}

static uint32_t falls(const struct cl_engine *engine)
{
	struct cl_contexts_counters counters;

	(void)engine;
	cl_contexts_count(&counters);
	return counters.falls;
}

static struct style ise = {cl_engine_ise};
static struct style ise_fused = {cl_engine_ise_fused};
static struct style ise_vmem = {cl_engine_ise_vmem};

#define ENGINE(style, engine_code, falls_of)                                                       \
	const struct cl_engine cl_zephyr_##style = {                                               \
		.code = engine_code,                                                               \
		.name = #style,                                                                    \
		.set_key = set_key,                                                                \
		.ctr = ctr,                                                                        \
		.clear = clear,                                                                    \
		.gcm = gcm,                                                                        \
		.falls = falls_of,                                                                 \
		.hw = &style,                                                                      \
	}

ENGINE(ise, CL_WIRE_ENGINE_ISE, NULL);
ENGINE(ise_fused, CL_WIRE_ENGINE_ISE_FUSED, NULL);
ENGINE(ise_vmem, CL_WIRE_ENGINE_ISE_VMEM, falls);

#ifdef CONFIG_CIPHERLANE_VECTOR_PRODUCTS
static int hash(void *hw, const uint8_t subkey[CL_BLOCK_BYTES], uint8_t so_far[CL_BLOCK_BYTES],
		const uint8_t *data, size_t len)
{
	struct cl_lease lease;

	ARG_UNUSED(hw);
	cl_lease_begin(&lease);
	const struct cl_hasher inner = cl_ise_hasher(lease.device);
	const int result = inner.hash(inner.hw, subkey, so_far, data, len);

	cl_lease_end(&lease);
	return result;
}

const struct cl_hasher cl_zephyr_hasher = {.hash = hash};
#endif
