/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CTR on the vector AES unit, eight blocks at a time. Scalar loads and stores move only four blocks
 * at a time, because the CPU's registers cannot hold the words of eight blocks.
 */
#include "vector/engine_ise.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cl_wire.h"
#include "engine/ctr.h"
#include "aes/engines.h"
#include "vector/ise.h"
#include "vector/ise_words.h"
#include "zeroize.h"

#define WORDS       4u
#define GROUP       CL_ISE_BLOCKS_MAX
#define GROUP_BYTES (GROUP * CL_BLOCK_BYTES)

/**
 * Below this number of bytes, vector loads and stores are slower than scalar ones. The reason is
 * their overhead: the code waits for the CPU's stores before the first vector load, and flushes the
 * CPU's cache after the last vector store.
 */
#define VECTOR_BYTES_MIN 512u

/** Processes whole groups of eight blocks between word-aligned buffers. */
CL_ISE_INLINE void ctr_scalar(struct cl_ise_cipher cipher, const uint32_t *in, uint32_t *out,
			      uint32_t index, uint32_t groups)
{
	const uint32_t *const end = in + groups * GROUP * WORDS;

	while (in != end) {
		CL_ISE_EACH (s, GROUP) {
			CL_ISA_COUNTER_XOR(s, index, 0);
		}
		cl_ise_rounds(cipher, GROUP);

		uint32_t data[CL_ISE_BATCH_WORDS];

		cl_ise_load_words(data, in);
		CL_ISE_ADVANCE(in, CL_ISE_BATCH_WORDS);
		CL_ISE_ADVANCE(index, GROUP);
		cl_ise_move_out_xor(0, data);
		cl_ise_store_words(out, data);

		cl_ise_load_words(data, in);
		CL_ISE_ADVANCE(in, CL_ISE_BATCH_WORDS);
		CL_ISE_ADVANCE(out, GROUP * WORDS);
		cl_ise_move_out_xor(CL_ISE_BATCH_BLOCKS, data);
		cl_ise_store_words(out - CL_ISE_BATCH_WORDS, data);
	}
}

/**
 * Processes whole groups of eight blocks, starting with block 0. Vector loads and stores must be
 * able to access both buffers. One instruction queues the loads, XORs and stores of a group.
 * Directly after a branch, an instruction of the unit would have to wait. So the loop begins with
 * additions on the CPU.
 */
CL_ISE_INLINE void ctr_vector(struct cl_ise_cipher cipher, uintptr_t in, uintptr_t out,
			      uint32_t groups)
{
	const uintptr_t last = in + (groups - 1) * GROUP_BYTES;
	const uint32_t distance = (uint32_t)(out - in);
	uint32_t index = -GROUP;

	in -= GROUP_BYTES;
	do {
		CL_ISE_ADVANCE(in, GROUP_BYTES);
		CL_ISE_ADVANCE(index, GROUP);
		CL_ISE_EACH (s, GROUP) {
			CL_ISA_COUNTER_XOR(s, index, 0);
		}
		cl_ise_rounds(cipher, GROUP);
		CL_ISA_VXOR_GROUP(in, distance);
	} while (in != last);
}

/**
 * Processes one block at a time. This function is used for the last blocks, which do not fill a
 * group, and for buffers that are not word-aligned.
 */
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

void cl_ise_memory_begin(const struct cl_ise_memory *memory)
{
	if (memory->drain != NULL) {
		memory->drain();
	}
	/* Keep the compiler from moving stores across this point. */
	CL_ISE_BATCH();
}

int cl_ise_memory_end(const struct cl_ise_memory *memory)
{
	const uint32_t status = CL_ISA_MEMORY_STATUS(1);

	if (memory->dcache_flush != NULL) {
		memory->dcache_flush();
	}
	/* From here on, the compiler must not use values that were read from memory earlier. */
	CL_ISE_BATCH();
	return status == 0 ? 0 : -EFAULT;
}

/**
 * Processes @p len bytes, starting with block number @p index. Then clears the registers that hold
 * data.
 * @return always 0
 */
typedef int scalar_loop(const uint8_t *in, uint8_t *out, uint32_t index, size_t len);
/**
 * Processes whole groups of eight blocks, from block 0 on. Vector loads and stores must be able to
 * access both buffers.
 */
typedef void vector_loop(uintptr_t in, uintptr_t out, uint32_t groups);

CL_ISE_INLINE void ctr_blocks(struct cl_ise_cipher cipher, const uint8_t *in, uint8_t *out,
			      uint32_t index, size_t len)
{
	size_t done = 0;

	if ((((uintptr_t)in | (uintptr_t)out) & 3) == 0) {
		const size_t groups = len / GROUP_BYTES;

		ctr_scalar(cipher, (const uint32_t *)(const void *)in, (uint32_t *)(void *)out,
			   index, groups);
		done = groups * GROUP_BYTES;
	}
	ctr_rest(cipher, in + done, out + done, index + done / CL_BLOCK_BYTES, len - done);
}

/*
 * Each loop is a separate function, so that the linker script can place the loop and the functions
 * that run before and after it in different lines of the instruction cache.
 */
#define SCALAR_LOOP(name, style_, rounds_)                                                         \
	static __attribute__((noinline, noclone)) int name(const uint8_t *in, uint8_t *out,        \
							   uint32_t index, size_t len)             \
	{                                                                                          \
		ctr_blocks((struct cl_ise_cipher){.style = (style_), .rounds = (rounds_)}, in,     \
			   out, index, len);                                                       \
		cl_ise_clear_state();                                                              \
		return 0;                                                                          \
	}
#define VECTOR_LOOP(name, rounds_)                                                                 \
	static __attribute__((noinline, noclone)) void name(uintptr_t in, uintptr_t out,           \
							    uint32_t groups)                       \
	{                                                                                          \
		ctr_vector((struct cl_ise_cipher){.style = CL_ISE_FUSED, .rounds = (rounds_)}, in, \
			   out, groups);                                                           \
	}
SCALAR_LOOP(ise_10, CL_ISE_PAPER, 10)
SCALAR_LOOP(ise_12, CL_ISE_PAPER, 12)
SCALAR_LOOP(ise_14, CL_ISE_PAPER, 14)
SCALAR_LOOP(ise_fused_10, CL_ISE_FUSED, 10)
SCALAR_LOOP(ise_fused_12, CL_ISE_FUSED, 12)
SCALAR_LOOP(ise_fused_14, CL_ISE_FUSED, 14)
VECTOR_LOOP(ise_vmem_10, 10)
VECTOR_LOOP(ise_vmem_12, 12)
VECTOR_LOOP(ise_vmem_14, 14)

/**
 * Runs CTR mode. The caller has loaded the first counter block into register k15. Returns 0, or
 * -EFAULT if the unit's memory port reports a fault.
 */
CL_ISE_INLINE int ctr_loops(scalar_loop *scalar, vector_loop *vector, struct cl_ise_device *device,
			    const uint8_t *in, uint8_t *out, size_t len)
{
	const struct cl_ise_memory *const memory = &device->memory;
	const size_t groups = len / GROUP_BYTES;
	const size_t bulk = groups * GROUP_BYTES;

	if (vector == NULL || bulk < VECTOR_BYTES_MIN) {
		return scalar(in, out, 0, len);
	}
	if (!cl_ise_reaches(memory, in, bulk) || !cl_ise_reaches(memory, out, bulk)) {
		device->falls++;
		return scalar(in, out, 0, len);
	}
	cl_ise_memory_begin(memory);
	vector((uintptr_t)in, (uintptr_t)out, groups);

	const int result = cl_ise_memory_end(memory);

	if (bulk == len) {
		cl_ise_clear_state();
	} else {
		(void)scalar(in + bulk, out + bulk, bulk / CL_BLOCK_BYTES, len - bulk);
	}
	return result;
}

static void load_key(unsigned int rounds, bool inverse, const uint32_t *key)
{
	/*
	 * Each number of rounds needs separate code, because the register numbers are constants in
	 * the instructions.
	 */
	if (rounds == 10 && !inverse) {
		cl_ise_load_key((struct cl_ise_cipher){.rounds = 10}, key);
	} else if (rounds == 12 && !inverse) {
		cl_ise_load_key((struct cl_ise_cipher){.rounds = 12}, key);
	} else if (!inverse) {
		cl_ise_load_key((struct cl_ise_cipher){.rounds = 14}, key);
	} else if (rounds == 10) {
		cl_ise_load_key((struct cl_ise_cipher){.rounds = 10, .inverse = true}, key);
	} else if (rounds == 12) {
		cl_ise_load_key((struct cl_ise_cipher){.rounds = 12, .inverse = true}, key);
	} else {
		cl_ise_load_key((struct cl_ise_cipher){.rounds = 14, .inverse = true}, key);
	}
}

void cl_ise_zeroize(void)
{
	for (uint32_t context = 0; context < CL_ISE_CONTEXTS; context++) {
		(void)CL_ISA_CONTEXT(context);
		cl_ise_clear_key();
		cl_ise_clear_state();
	}
	cl_ise_clear_queue();
	(void)CL_ISA_CONTEXT(0);
}

void cl_ise_use_key(struct cl_ise_device *device, const struct cl_engine_key *key)
{
	(void)CL_ISA_CONTEXT(device->context);
	if (device->loaded != key->generation) {
		load_key(key->rounds, key->engine_word[0] == CL_ISE_INVERSE, key->round_key);
		device->loaded = key->generation;
	}
}

int cl_ise_set_key(struct cl_ise_device *device, struct cl_engine_key *key,
		   const uint8_t *key_bytes, unsigned int key_bits, bool inverse)
{
	if (key_bits != 128 && key_bits != 192 && key_bits != 256) {
		return -EINVAL;
	}
	if ((uintptr_t)key_bytes % 4 == 0) {
		const uint32_t *const words = (const uint32_t *)(const void *)key_bytes;

		for (unsigned int i = 0; i < key_bits / 32; i++) {
			key->round_key[i] = words[i];
		}
	} else {
		memcpy(key->round_key, key_bytes, key_bits / 8);
	}
	key->key_bits = (uint16_t)key_bits;
	key->rounds = (uint8_t)(key_bits / 32 + 6);
	key->engine_word[0] = inverse ? CL_ISE_INVERSE : 0;
	device->generation++;
	if (device->generation == 0) {
		device->generation = 1;
	}
	key->generation = device->generation;
	cl_ise_use_key(device, key);
	return 0;
}

static int set_key(const struct cl_engine *engine, struct cl_engine_key *key,
		   const uint8_t *key_bytes, unsigned int key_bits)
{
	return cl_ise_set_key(engine->hw, key, key_bytes, key_bits, false);
}

static void clear(const struct cl_engine *engine, struct cl_engine_key *key)
{
	struct cl_ise_device *device = engine->hw;

	if (key->generation != 0 && device->loaded == key->generation) {
		(void)CL_ISA_CONTEXT(device->context);
		cl_ise_clear_key();
		device->loaded = 0;
	}
	cl_ise_clear_queue();
	cl_engine_c_clear(engine, key);
}

/**
 * Loads the key and the initial counter block into the unit's registers. This function is not
 * inlined, so that the array `base` is not on the caller's stack. The compiler can then replace the
 * caller's last call, the call of a loop, by a jump (tail call).
 */
static __attribute__((noinline)) void begin(struct cl_ise_device *device,
					    const struct cl_engine_key *key,
					    const uint8_t counter[CL_BLOCK_BYTES])
{
	uint32_t base[WORDS];

	cl_ise_use_key(device, key);
	if ((uintptr_t)counter % 4 == 0) {
		cl_ctr_load_aligned(base, counter);
	} else {
		memcpy(base, counter, sizeof(base));
	}
	CL_ISA_KEY_WRITE(0, 15, base[0], base[1]);
	CL_ISA_KEY_WRITE(1, 15, base[2], base[3]);
}

/**
 * Implements cl_engine.ctr. @p scalar and @p vector each contain three loops: for 10, 12 and 14
 * rounds.
 */
CL_ISE_INLINE int ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
		      const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
		      size_t len, scalar_loop *const scalar[3], vector_loop *const vector[3])
{
	if (key->key_bits == 0) {
		return -EINVAL;
	}
	begin(engine->hw, key, counter);
	/*
	 * Select the loop by comparisons. A table of function pointers would have to be loaded into
	 * the data cache.
	 */
	const unsigned int rounds = key->rounds;
	scalar_loop *const scalar_of = rounds == 10   ? scalar[0]
				       : rounds == 12 ? scalar[1]
						      : scalar[2];
	vector_loop *const vector_of = rounds == 10   ? vector[0]
				       : rounds == 12 ? vector[1]
						      : vector[2];

	return ctr_loops(scalar_of, vector_of, engine->hw, in, out, len);
}

static int ise_ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
		   const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
		   size_t len)
{
	return ctr(engine, key, counter, in, out, len,
		   (scalar_loop *const[]){ise_10, ise_12, ise_14}, (vector_loop *const[3]){NULL});
}

static int ise_fused_ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
			 const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
			 size_t len)
{
	return ctr(engine, key, counter, in, out, len,
		   (scalar_loop *const[]){ise_fused_10, ise_fused_12, ise_fused_14},
		   (vector_loop *const[3]){NULL});
}

static int ise_vmem_ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
			const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
			size_t len)
{
	return ctr(engine, key, counter, in, out, len,
		   (scalar_loop *const[]){ise_fused_10, ise_fused_12, ise_fused_14},
		   (vector_loop *const[]){ise_vmem_10, ise_vmem_12, ise_vmem_14});
}

static uint32_t falls(const struct cl_engine *engine)
{
	const struct cl_ise_device *const device = engine->hw;

	return device->falls;
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
		.falls = falls,
		.hw = device,
	};
}
