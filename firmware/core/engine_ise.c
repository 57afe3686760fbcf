/*
 * CTR on the vector AES unit. Eight blocks go through the unit together; words of eight blocks do
 * not fit the CPU's registers, so scalar loads and stores move four blocks at a time.
 *
 * An instruction of the unit waits while a load, store or branch is in a later stage of the CPU's
 * pipeline. So loads, instructions of the unit and stores come in batches, kept apart by BATCH().
 */
#include "engine_ise.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cl_wire.h"
#include "ctr.h"
#include "engines.h"
#include "ise.h"
#include "zeroize.h"

#define WORDS       4u
#define GROUP       CL_ISE_BLOCKS_MAX
#define GROUP_BYTES (GROUP * CL_BLOCK_BYTES)
#define BATCH_WORDS 16u

/** Below this many bytes the upkeep of the data cache costs more than vector loads and stores save.
 */
#define VECTOR_BYTES_MIN 256u

/** The compiler moves no load or store across. */
#define BATCH() __asm__ volatile("" : : : "memory")

/**
 * Advances @p pointer here, and not where the compiler would: in one of the two slots between a
 * load and an instruction of the unit, which stay empty otherwise.
 */
#define ADVANCE(pointer, step)                                                                     \
	do {                                                                                       \
		(pointer) += (step);                                                               \
		__asm__ volatile("" : "+r"(pointer));                                              \
	} while (0)

/** XORs keystream onto four blocks: that of v @p first and the next three. */
#define XOR_BATCH(first, in, out, advance)                                                         \
	do {                                                                                       \
		uint32_t data_[BATCH_WORDS];                                                       \
                                                                                                   \
		BATCH();                                                                           \
		_Pragma("GCC unroll 16") for (unsigned int i = 0; i < BATCH_WORDS; i++)            \
		{                                                                                  \
			data_[i] = (in)[i];                                                        \
		}                                                                                  \
		BATCH();                                                                           \
		advance;                                                                           \
		_Pragma("GCC unroll 16") for (unsigned int i = 0; i < BATCH_WORDS; i++)            \
		{                                                                                  \
			data_[i] = CL_ISA_MOVE_OUT_XOR(i % WORDS, (first) + i / WORDS, data_[i]);  \
		}                                                                                  \
		BATCH();                                                                           \
		_Pragma("GCC unroll 16") for (unsigned int i = 0; i < BATCH_WORDS; i++)            \
		{                                                                                  \
			(out)[i] = data_[i];                                                       \
		}                                                                                  \
	} while (0)

/** Whole groups between word-aligned buffers, from block 0 on. */
CL_ISE_INLINE void ctr_scalar(struct cl_ise_cipher cipher, const uint32_t *in, uint32_t *out,
			      uint32_t groups)
{
	const uint32_t *const end = in + groups * GROUP * WORDS;
	uint32_t index = 0;

	while (in != end) {
		CL_ISE_EACH(s, GROUP)
		{
			CL_ISA_COUNTER_XOR(s, index, 0);
		}
		cl_ise_rounds(cipher, GROUP);
		XOR_BATCH(0, in, out, {
			ADVANCE(in, BATCH_WORDS);
			ADVANCE(index, GROUP);
		});
		XOR_BATCH(4, in, out - BATCH_WORDS, {
			ADVANCE(in, BATCH_WORDS);
			ADVANCE(out, GROUP * WORDS);
		});
	}
}

/**
 * Whole groups between buffers in the unit's memory, from block 0 on. The port takes two cycles for
 * a load and one for a store. Between the instructions of the last round the loads keep pace, each
 * one place behind, as a result can be used two cycles after its instruction.
 */
CL_ISE_INLINE void ctr_vector(struct cl_ise_cipher cipher, uintptr_t in, uintptr_t out,
			      uint32_t groups)
{
	const uintptr_t end = in + groups * GROUP_BYTES;

	for (uint32_t index = 0; in != end; index += GROUP) {
		CL_ISE_EACH(s, GROUP)
		{
			CL_ISA_COUNTER_XOR(s, index, 0);
		}
		cl_ise_middle_rounds(cipher, GROUP);
		cl_ise_last_round(cipher, 0);
		CL_ISE_EACH(s, GROUP - 1)
		{
			cl_ise_last_round(cipher, s + 1);
			CL_ISA_VLOAD_XOR(s, in);
		}
		CL_ISA_VLOAD_XOR(GROUP - 1, in);
		CL_ISE_EACH(s, GROUP)
		{
			CL_ISA_VSTORE(s, out);
		}
		in += GROUP_BYTES;
		out += GROUP_BYTES;
	}
}

/** What is left: less than a group, or buffers that are not word-aligned. One block at a time. */
CL_ISE_INLINE void ctr_rest(struct cl_ise_cipher cipher, const uint8_t *in, uint8_t *out,
			    uint32_t index, size_t len)
{
	const bool aligned = (((uintptr_t)in | (uintptr_t)out) & 3) == 0;
	uint32_t keystream[WORDS];

	if (len == 0) {
		return;
	}
	for (; len > 0; index++) {
		const size_t bytes = len < CL_BLOCK_BYTES ? len : CL_BLOCK_BYTES;

		CL_ISA_COUNTER_XOR(0, index, 0);
		cl_ise_rounds(cipher, 1);
		if (aligned && bytes == CL_BLOCK_BYTES) {
			uint32_t data[WORDS];

			cl_ctr_load_aligned(data, in);
#pragma GCC unroll 4
			for (unsigned int c = 0; c < WORDS; c++) {
				data[c] = CL_ISA_MOVE_OUT_XOR(c, 0, data[c]);
			}
			cl_ctr_store_aligned(out, data);
		} else {
#pragma GCC unroll 4
			for (unsigned int c = 0; c < WORDS; c++) {
				keystream[c] = CL_ISA_MOVE_OUT_XOR(c, 0, 0);
			}
			cl_ctr_xor_bytes(out, in, keystream, bytes);
		}
		in += bytes;
		out += bytes;
		len -= bytes;
	}
	cl_zeroize(keystream, sizeof(keystream));
}

/** Whether vector loads and stores reach @p buffer. */
static bool is_reachable(const struct cl_ise_memory *memory, const uint8_t *buffer, size_t len)
{
	const uintptr_t offset = (uintptr_t)buffer - memory->origin;

	return (uintptr_t)buffer % CL_BLOCK_BYTES == 0 && offset <= memory->bytes &&
	       len <= memory->bytes - offset;
}

/** CTR from k15 on. @return 0, or -EFAULT if the unit's memory port reports a fault. */
CL_ISE_INLINE int ctr_blocks(struct cl_ise_cipher cipher, const struct cl_ise_memory *memory,
			     const uint8_t *in, uint8_t *out, size_t len)
{
	const size_t groups = len / GROUP_BYTES;
	const size_t bulk = groups * GROUP_BYTES;
	size_t done = 0;
	int result = 0;

	if (memory != NULL && bulk >= VECTOR_BYTES_MIN && is_reachable(memory, in, bulk) &&
	    is_reachable(memory, out, bulk)) {
		if (memory->drain != NULL) {
			memory->drain();
		}
		BATCH();
		ctr_vector(cipher, (uintptr_t)in, (uintptr_t)out, groups);
		BATCH();
		if (CL_ISA_MEMORY_STATUS(1) != 0) {
			result = -EFAULT;
		}
		if (memory->dcache_flush != NULL) {
			memory->dcache_flush();
		}
		done = bulk;
	} else if ((((uintptr_t)in | (uintptr_t)out) & 3) == 0) {
		ctr_scalar(cipher, (const uint32_t *)(const void *)in, (uint32_t *)(void *)out,
			   groups);
		done = bulk;
	}
	ctr_rest(cipher, in + done, out + done, done / CL_BLOCK_BYTES, len - done);
	return result;
}

static void load_key(const struct cl_engine_key *key)
{
	if (key->rounds == 10) {
		cl_ise_load_key((struct cl_ise_cipher){.rounds = 10}, key->round_key);
	} else if (key->rounds == 12) {
		cl_ise_load_key((struct cl_ise_cipher){.rounds = 12}, key->round_key);
	} else {
		cl_ise_load_key((struct cl_ise_cipher){.rounds = 14}, key->round_key);
	}
}

static int set_key(const struct cl_engine *engine, struct cl_engine_key *key,
		   const uint8_t *key_bytes, unsigned int key_bits)
{
	struct cl_ise_device *device = engine->hw;

	if (key_bits != 128 && key_bits != 192 && key_bits != 256) {
		return -EINVAL;
	}
	memcpy(key->round_key, key_bytes, key_bits / 8); /* at any alignment */
	key->key_bits = (uint16_t)key_bits;
	key->rounds = (uint8_t)(key_bits / 32 + 6);
	device->generation++;
	if (device->generation == 0) {
		device->generation = 1;
	}
	key->generation = device->generation;
	(void)CL_ISA_CONTEXT(device->context);
	load_key(key);
	device->loaded = key->generation;
	return 0;
}

static void clear(const struct cl_engine *engine, struct cl_engine_key *key)
{
	struct cl_ise_device *device = engine->hw;

	if (key->generation != 0 && device->loaded == key->generation) {
		(void)CL_ISA_CONTEXT(device->context);
		cl_ise_clear_key();
		device->loaded = 0;
	}
	cl_engine_c_clear(engine, key);
}

/** cl_engine.ctr in one style; @p memory is NULL for scalar loads and stores alone. */
CL_ISE_INLINE int ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
		      const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
		      size_t len, enum cl_ise_style style, const struct cl_ise_memory *memory)
{
	struct cl_ise_device *device = engine->hw;
	struct cl_ise_cipher cipher = {.style = style};
	uint32_t base[WORDS];
	int result;

	if (key->key_bits == 0) {
		return -EINVAL;
	}
	(void)CL_ISA_CONTEXT(device->context);
	if (device->loaded != key->generation) {
		load_key(key);
		device->loaded = key->generation;
	}
	if ((uintptr_t)counter % 4 == 0) {
		cl_ctr_load_aligned(base, counter);
	} else {
		memcpy(base, counter, sizeof(base));
	}
	CL_ISA_KEY_WRITE(0, 15, base[0], base[1]);
	CL_ISA_KEY_WRITE(1, 15, base[2], base[3]);
	if (key->rounds == 10) {
		cipher.rounds = 10;
		result = ctr_blocks(cipher, memory, in, out, len);
	} else if (key->rounds == 12) {
		cipher.rounds = 12;
		result = ctr_blocks(cipher, memory, in, out, len);
	} else {
		cipher.rounds = 14;
		result = ctr_blocks(cipher, memory, in, out, len);
	}
	cl_ise_clear_state();
	return result;
}

static int ise_ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
		   const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
		   size_t len)
{
	return ctr(engine, key, counter, in, out, len, CL_ISE_PAPER, NULL);
}

static int ise_fused_ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
			 const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
			 size_t len)
{
	return ctr(engine, key, counter, in, out, len, CL_ISE_FUSED, NULL);
}

static int ise_vmem_ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
			const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
			size_t len)
{
	const struct cl_ise_device *device = engine->hw;

	return ctr(engine, key, counter, in, out, len, CL_ISE_FUSED, &device->memory);
}

struct cl_engine cl_engine_ise(struct cl_ise_device *device)
{
	return (struct cl_engine){
		.code = CL_WIRE_ENGINE_ISE,
		.name = "ise",
		.set_key = set_key,
		.ctr = ise_ctr,
		.clear = clear,
		.hw = device,
	};
}

struct cl_engine cl_engine_ise_fused(struct cl_ise_device *device)
{
	return (struct cl_engine){
		.code = CL_WIRE_ENGINE_ISE_FUSED,
		.name = "ise_fused",
		.set_key = set_key,
		.ctr = ise_fused_ctr,
		.clear = clear,
		.hw = device,
	};
}

struct cl_engine cl_engine_ise_vmem(struct cl_ise_device *device)
{
	return (struct cl_engine){
		.code = CL_WIRE_ENGINE_ISE_VMEM,
		.name = "ise_vmem",
		.set_key = set_key,
		.ctr = ise_vmem_ctr,
		.clear = clear,
		.hw = device,
	};
}
