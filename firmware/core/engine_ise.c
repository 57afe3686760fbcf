/**
 * @file
 * Engine `ise`: CTR with the seven instructions of Jenkins et al. 2007, two a round, scalar loads
 * and stores. Four blocks go through the unit together, one in each of v0 to v3, so that no
 * instruction waits for the result of the one before it.
 */
#include "engine_ise.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl_isa.h"
#include "cl_wire.h"
#include "aes.h"
#include "ctr.h"
#include "engines.h"
#include "zeroize.h"

#define BLOCKS 4u
#define WORDS  4u

/** Applies an instruction to the state registers of all four blocks. */
#define EACH(operation, ...)                                                                       \
	do {                                                                                       \
		operation(__VA_ARGS__ __VA_OPT__(, ) 0);                                           \
		operation(__VA_ARGS__ __VA_OPT__(, ) 1);                                           \
		operation(__VA_ARGS__ __VA_OPT__(, ) 2);                                           \
		operation(__VA_ARGS__ __VA_OPT__(, ) 3);                                           \
	} while (0)

/** One middle round (FIPS-197, 5.1): SubBytes and ShiftRows commute. */
#define ROUND(k)                                                                                   \
	do {                                                                                       \
		EACH(CL_ISA_SHIFT_ROWS);                                                           \
		EACH(CL_ISA_SBOX_MIX_XOR, k);                                                      \
	} while (0)

#define LAST_ROUND(l)                                                                              \
	do {                                                                                       \
		EACH(CL_ISA_SHIFT_ROWS);                                                           \
		EACH(CL_ISA_SBOX_XOR, l);                                                          \
	} while (0)

/** Rounds 1 to @p rounds on v0 to v3; @p rounds is a constant where this is inlined. */
static inline __attribute__((always_inline)) void run_rounds(unsigned int rounds)
{
	ROUND(1);
	ROUND(2);
	ROUND(3);
	ROUND(4);
	ROUND(5);
	ROUND(6);
	ROUND(7);
	ROUND(8);
	ROUND(9);
	if (rounds == 10) {
		LAST_ROUND(CL_ISA_LAST_K10);
		return;
	}
	ROUND(10);
	ROUND(11);
	if (rounds == 12) {
		LAST_ROUND(CL_ISA_LAST_K12);
		return;
	}
	ROUND(12);
	ROUND(13);
	LAST_ROUND(CL_ISA_LAST_K14);
}

#define LOAD_KEY(k)                                                                                \
	do {                                                                                       \
		CL_ISA_KEY_WRITE(0, k, words[4 * (k)], words[4 * (k) + 1]);                        \
		CL_ISA_KEY_WRITE(1, k, words[4 * (k) + 2], words[4 * (k) + 3]);                    \
	} while (0)

static void load_keys(const uint32_t *words)
{
	LOAD_KEY(0);
	LOAD_KEY(1);
	LOAD_KEY(2);
	LOAD_KEY(3);
	LOAD_KEY(4);
	LOAD_KEY(5);
	LOAD_KEY(6);
	LOAD_KEY(7);
	LOAD_KEY(8);
	LOAD_KEY(9);
	LOAD_KEY(10);
	LOAD_KEY(11);
	LOAD_KEY(12);
	LOAD_KEY(13);
	LOAD_KEY(14);
}

#define CLEAR_STATE(s)                                                                             \
	do {                                                                                       \
		CL_ISA_MOVE_IN(0, s, 0, 0);                                                        \
		CL_ISA_MOVE_IN(1, s, 0, 0);                                                        \
	} while (0)

/** Writes zero to v0 to v3, k15, and what the unit would otherwise keep of data. */
static void clear_state(void)
{
	EACH(CLEAR_STATE);
	CL_ISA_KEY_WRITE(0, 15, 0, 0);
	CL_ISA_KEY_WRITE(1, 15, 0, 0);
}

/** Counter block @p index + 0 to 3 plus k0, then all rounds: keystream in v0 to v3. */
static inline __attribute__((always_inline)) void keystream(unsigned int rounds, uint32_t index)
{
	CL_ISA_COUNTER_XOR(0, index, 0);
	CL_ISA_COUNTER_XOR(1, index, 0);
	CL_ISA_COUNTER_XOR(2, index, 0);
	CL_ISA_COUNTER_XOR(3, index, 0);
	run_rounds(rounds);
}

/** XORs @p words of block @p s with its keystream. */
#define MOVE_OUT(s, words)                                                                         \
	do {                                                                                       \
		(words)[0] = CL_ISA_MOVE_OUT_XOR(0, s, (words)[0]);                                \
		(words)[1] = CL_ISA_MOVE_OUT_XOR(1, s, (words)[1]);                                \
		(words)[2] = CL_ISA_MOVE_OUT_XOR(2, s, (words)[2]);                                \
		(words)[3] = CL_ISA_MOVE_OUT_XOR(3, s, (words)[3]);                                \
	} while (0)

/** Whole groups of four blocks between word-aligned buffers; @p rounds is a constant. */
static inline __attribute__((always_inline)) void
ctr_groups(unsigned int rounds, const uint32_t *in, uint32_t *out, uint32_t index, uint32_t end)
{
	for (; index != end; index += BLOCKS) {
		uint32_t data[BLOCKS * WORDS];

		/* Unrolled, or the compiler keeps the words on the stack and not in registers. */
#pragma GCC unroll 16
		for (unsigned int i = 0; i < BLOCKS * WORDS; i++) {
			data[i] = in[i];
		}
		keystream(rounds, index);
		MOVE_OUT(0, data + 0);
		MOVE_OUT(1, data + 4);
		MOVE_OUT(2, data + 8);
		MOVE_OUT(3, data + 12);
#pragma GCC unroll 16
		for (unsigned int i = 0; i < BLOCKS * WORDS; i++) {
			out[i] = data[i];
		}
		in += BLOCKS * WORDS;
		out += BLOCKS * WORDS;
	}
}

/** What is left: fewer than four blocks, or buffers that are not word-aligned. */
static void ctr_rest(unsigned int rounds, const uint8_t *in, uint8_t *out, uint32_t index,
		     size_t len)
{
	while (len > 0) {
		uint32_t block[BLOCKS * WORDS] = {0};
		size_t bytes = len < sizeof(block) ? len : sizeof(block);

		if (rounds == 10) {
			keystream(10, index);
		} else if (rounds == 12) {
			keystream(12, index);
		} else {
			keystream(14, index);
		}
		MOVE_OUT(0, block + 0);
		MOVE_OUT(1, block + 4);
		MOVE_OUT(2, block + 8);
		MOVE_OUT(3, block + 12);
		for (size_t i = 0; i < bytes; i += CL_BLOCK_BYTES) {
			size_t part = bytes - i < CL_BLOCK_BYTES ? bytes - i : CL_BLOCK_BYTES;

			cl_ctr_xor_bytes(out + i, in + i, block + i / 4, part);
		}
		cl_zeroize(block, sizeof(block));
		index += BLOCKS;
		in += bytes;
		out += bytes;
		len -= bytes;
	}
}

static int ise_set_key(const struct cl_engine *engine, struct cl_engine_key *key,
		       const uint8_t *key_bytes, unsigned int key_bits)
{
	struct cl_ise_device *device = engine->hw;
	int result = cl_aes_expand_key(key, key_bytes, key_bits);

	if (result != 0) {
		return result;
	}
	device->generation++;
	if (device->generation == 0) {
		device->generation = 1;
	}
	key->generation = device->generation;
	load_keys(key->round_key);
	device->loaded = key->generation;
	return 0;
}

static int ise_ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
		   const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
		   size_t len)
{
	struct cl_ise_device *device = engine->hw;
	uint32_t base[WORDS];
	uint32_t groups = 0;

	if (key->key_bits == 0) {
		return -EINVAL;
	}
	if (device->loaded != key->generation) {
		load_keys(key->round_key);
		device->loaded = key->generation;
	}
	__builtin_memcpy(base, counter, sizeof(base));
	CL_ISA_KEY_WRITE(0, 15, base[0], base[1]);
	CL_ISA_KEY_WRITE(1, 15, base[2], base[3]);

	if ((((uintptr_t)in | (uintptr_t)out) & 3) == 0) {
		const uint32_t *in_words = (const uint32_t *)(const void *)in;
		uint32_t *out_words = (uint32_t *)(void *)out;

		groups = (uint32_t)(len / (BLOCKS * CL_BLOCK_BYTES)) * BLOCKS;
		if (key->rounds == 10) {
			ctr_groups(10, in_words, out_words, 0, groups);
		} else if (key->rounds == 12) {
			ctr_groups(12, in_words, out_words, 0, groups);
		} else {
			ctr_groups(14, in_words, out_words, 0, groups);
		}
	}
	ctr_rest(key->rounds, in + groups * CL_BLOCK_BYTES, out + groups * CL_BLOCK_BYTES, groups,
		 len - groups * CL_BLOCK_BYTES);
	clear_state();
	return 0;
}

static void ise_clear(const struct cl_engine *engine, struct cl_engine_key *key)
{
	struct cl_ise_device *device = engine->hw;
	bool resident = key->generation != 0 && device->loaded == key->generation;

	cl_engine_c_clear(engine, key);
	if (resident) {
		/* The key structure is zero now: loading it zeroizes the registers. */
		load_keys(key->round_key);
		device->loaded = 0;
	}
}

struct cl_engine cl_engine_ise(struct cl_ise_device *device)
{
	return (struct cl_engine){
		.code = CL_WIRE_ENGINE_ISE,
		.name = "ise",
		.set_key = ise_set_key,
		.ctr = ise_ctr,
		.clear = ise_clear,
		.hw = device,
	};
}
