/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ECB and CBC on the vector AES unit. The unit processes up to eight blocks at a time. In CBC
 * encryption, it processes one block at a time, because each block depends on the ciphertext block
 * before it.
 */
#include <errno.h>

#include "cl_isa.h"
#include "vector/engine_ise.h"
#include "vector/ise.h"
#include "vector/ise_words.h"
#include "engine/modes.h"

#define WORDS      4u
#define GROUP      CL_ISE_BLOCKS_MAX
#define BATCH      CL_ISE_BATCH_BLOCKS
#define GROUP_SIZE (GROUP * CL_BLOCK_BYTES)

CL_ISE_INLINE void add_key(unsigned int blocks)
{
	CL_ISE_EACH (s, blocks) {
		CL_ISA_ROUND_XOR(0, s);
	}
}

CL_ISE_INLINE void load_block(uint32_t words[WORDS], const uint32_t *from)
{
	words[0] = from[0];
	words[1] = from[1];
	words[2] = from[2];
	words[3] = from[3];
	CL_ISE_BATCH();
}

CL_ISE_INLINE void store_block(uint32_t *to, const uint32_t words[WORDS])
{
	CL_ISE_BATCH();
	to[0] = words[0];
	to[1] = words[1];
	to[2] = words[2];
	to[3] = words[3];
}

/** XORs vector register number @p s into the four words of a block. */
CL_ISE_INLINE void move_out_xor(unsigned int s, uint32_t words[WORDS])
{
	words[0] = CL_ISA_MOVE_OUT_XOR(0, s, words[0]);
	words[1] = CL_ISA_MOVE_OUT_XOR(1, s, words[1]);
	words[2] = CL_ISA_MOVE_OUT_XOR(2, s, words[2]);
	words[3] = CL_ISA_MOVE_OUT_XOR(3, s, words[3]);
}

/** XORs the four words of a block into vector register number @p s. */
CL_ISE_INLINE void move_in_xor(unsigned int s, const uint32_t words[WORDS])
{
	CL_ISA_MOVE_IN_XOR(0, s, words[0], words[1]);
	CL_ISA_MOVE_IN_XOR(1, s, words[2], words[3]);
}

CL_ISE_INLINE void clear_block(unsigned int s)
{
	CL_ISA_MOVE_IN(0, s, 0, 0);
	CL_ISA_MOVE_IN(1, s, 0, 0);
}

/** Loads eight blocks, XORs round key 0 into them and runs all rounds. */
CL_ISE_INLINE void group_scalar(struct cl_ise_cipher cipher, const uint32_t *in)
{
	uint32_t data[CL_ISE_BATCH_WORDS];

	cl_ise_load_words(data, in);
	cl_ise_move_in(0, data);
	cl_ise_load_words(data, in + CL_ISE_BATCH_WORDS);
	cl_ise_move_in(BATCH, data);
	add_key(GROUP);
	cl_ise_rounds(cipher, GROUP);
}

CL_ISE_INLINE void ecb_scalar(struct cl_ise_cipher cipher, const uint32_t *in, uint32_t *out,
			      size_t blocks)
{
	const uint32_t *const end = in + blocks * WORDS;
	uint32_t data[CL_ISE_BATCH_WORDS];

	for (; (size_t)(end - in) >= GROUP * WORDS; in += GROUP * WORDS, out += GROUP * WORDS) {
		group_scalar(cipher, in);
		CL_ISE_EACH_WORD (i) {
			data[i] = CL_ISA_MOVE_OUT_XOR(i % WORDS, i / WORDS, 0);
		}
		cl_ise_store_words(out, data);
		CL_ISE_EACH_WORD (i) {
			data[i] = CL_ISA_MOVE_OUT_XOR(i % WORDS, BATCH + i / WORDS, 0);
		}
		cl_ise_store_words(out + CL_ISE_BATCH_WORDS, data);
	}
	for (; in != end; in += WORDS, out += WORDS) {
		load_block(data, in);
		clear_block(0);
		move_in_xor(0, data);
		add_key(1);
		cl_ise_rounds(cipher, 1);
		data[0] = data[1] = data[2] = data[3] = 0;
		move_out_xor(0, data);
		store_block(out, data);
	}
}

/**
 * Runs ECB over groups of eight blocks. As soon as the code has stored a block, it loads a block of
 * the next group into the free register. While it stores the last group, the code loads the blocks
 * of this group again, and ignores them.
 */
CL_ISE_INLINE void ecb_vector(struct cl_ise_cipher cipher, uintptr_t in, uintptr_t out,
			      size_t groups)
{
	const uintptr_t end = in + groups * GROUP_SIZE;

	CL_ISE_EACH (s, GROUP) {
		CL_ISA_VLOAD(s, in);
	}
	for (; in != end; out += GROUP_SIZE) {
		const uintptr_t next = in + GROUP_SIZE;
		const uintptr_t load = next != end ? next : in;

		add_key(GROUP);
		cl_ise_middle_rounds(cipher, GROUP);
		cl_ise_last_round(cipher, 0);
		CL_ISE_EACH (s, GROUP - 1) {
			cl_ise_last_round(cipher, s + 1);
			CL_ISA_VSTORE(s, out);
			CL_ISA_VLOAD(s, load);
		}
		CL_ISA_VSTORE(GROUP - 1, out);
		CL_ISA_VLOAD(GROUP - 1, load);
		in = next;
	}
}

/** Encrypts in CBC mode, C = E(P XOR chain), one block after the other. */
CL_ISE_INLINE void cbc_encrypt_scalar(struct cl_ise_cipher cipher, uint32_t chain[WORDS],
				      const uint32_t *in, uint32_t *out, size_t blocks)
{
	const uint32_t *const end = in + blocks * WORDS;
	uint32_t data[WORDS];

	clear_block(0);
	move_in_xor(0, chain);
	while (in != end) {
		load_block(data, in);
		CL_ISE_ADVANCE(in, WORDS);
		CL_ISE_ADVANCE(out, WORDS);
		move_in_xor(0, data);
		add_key(1);
		cl_ise_rounds(cipher, 1);
		data[0] = data[1] = data[2] = data[3] = 0;
		move_out_xor(0, data);
		store_block(out - WORDS, data);
	}
	chain[0] = chain[1] = chain[2] = chain[3] = 0;
	move_out_xor(0, chain);
}

CL_ISE_INLINE void cbc_encrypt_vector(struct cl_ise_cipher cipher, uint32_t chain[WORDS],
				      uintptr_t in, uintptr_t out, size_t blocks)
{
	const uintptr_t end = in + blocks * CL_BLOCK_BYTES;

	clear_block(0);
	move_in_xor(0, chain);
	for (; in != end; in += CL_BLOCK_BYTES, out += CL_BLOCK_BYTES) {
		CL_ISA_VLOAD_XOR(0, in);
		add_key(1);
		cl_ise_rounds(cipher, 1);
		CL_ISA_VSTORE(0, out);
	}
	chain[0] = chain[1] = chain[2] = chain[3] = 0;
	move_out_xor(0, chain);
}

/**
 * Decrypts in CBC mode: P = D(C) XOR chain, where chain is the ciphertext block before C. In an
 * in-place operation, the code reads each ciphertext block for the next XOR before plaintext
 * overwrites the block.
 */
CL_ISE_INLINE void cbc_decrypt_scalar(struct cl_ise_cipher cipher, uint32_t chain[WORDS],
				      const uint32_t *in, uint32_t *out, size_t blocks)
{
	const uint32_t *const end = in + blocks * WORDS;
	uint32_t data[CL_ISE_BATCH_WORDS];

	for (; (size_t)(end - in) >= GROUP * WORDS; in += GROUP * WORDS, out += GROUP * WORDS) {
		group_scalar(cipher, in);
#pragma GCC unroll 2
		for (unsigned int first = 0; first < GROUP; first += BATCH) {
			/* XOR each block of the batch with the ciphertext block before it. */
			CL_ISE_EACH_WORD (i) {
				data[i] = i < WORDS ? chain[i] : in[first * WORDS + i - WORDS];
			}
			load_block(chain, in + (first + BATCH - 1) * WORDS);
			cl_ise_move_out_xor(first, data);
			cl_ise_store_words(out + first * WORDS, data);
		}
	}
	for (; in != end; in += WORDS, out += WORDS) {
		uint32_t next[WORDS];

		load_block(next, in);
		clear_block(0);
		move_in_xor(0, next);
		add_key(1);
		cl_ise_rounds(cipher, 1);
		move_out_xor(0, chain);
		store_block(out, chain);
		load_block(chain, next);
	}
}

/**
 * Decrypts in CBC mode with vector loads and stores. The last ciphertext block of a group is copied
 * to the CPU's registers, because it is the next chain value.
 */
CL_ISE_INLINE void cbc_decrypt_vector(struct cl_ise_cipher cipher, uint32_t chain[WORDS],
				      uintptr_t in, uintptr_t out, size_t groups)
{
	const uintptr_t end = in + groups * GROUP_SIZE;

	for (; in != end; in += GROUP_SIZE, out += GROUP_SIZE) {
		uint32_t last[WORDS] = {0};

		CL_ISE_EACH (s, GROUP) {
			CL_ISA_VLOAD(GROUP - 1 - s, in);
		}
		move_out_xor(GROUP - 1, last);
		add_key(GROUP);
		cl_ise_middle_rounds(cipher, GROUP);
		cl_ise_last_round(cipher, 0);
		cl_ise_last_round(cipher, 1);
		move_in_xor(0, chain);
		CL_ISE_EACH (s, GROUP - 2) {
			cl_ise_last_round(cipher, s + 2);
			CL_ISA_VLOAD_XOR(s + 1, in - CL_BLOCK_BYTES);
		}
		CL_ISA_VLOAD_XOR(GROUP - 1, in - CL_BLOCK_BYTES);
		CL_ISE_EACH (s, GROUP) {
			CL_ISA_VSTORE(s, out);
		}
		chain[0] = last[0];
		chain[1] = last[1];
		chain[2] = last[2];
		chain[3] = last[3];
	}
}

/**
 * Arguments of `run` that are compile-time constants. The compiler generates a copy of the code for
 * each combination of these arguments.
 */
struct instance {
	struct cl_ise_cipher cipher;
	bool cbc;
	bool vector;
};

CL_ISE_INLINE int run(struct instance is, struct cl_ise_device *device,
		      const struct cl_engine_key *key, uint32_t chain_out[WORDS],
		      const uint32_t *in, uint32_t *out, size_t blocks)
{
	const struct cl_ise_memory *const memory = &device->memory;
	const size_t bytes = blocks * CL_BLOCK_BYTES;
	const bool serial = is.cbc && !is.cipher.inverse;
	uint32_t chain[WORDS];
	size_t done = 0;
	int result = 0;

	cl_ise_use_key(device, key);
	if (is.cbc) {
		load_block(chain, chain_out);
	}
	const bool vector = is.vector && blocks >= GROUP;

	if (vector && cl_ise_reaches(memory, in, bytes) && cl_ise_reaches(memory, out, bytes)) {
		done = serial ? blocks : blocks - blocks % GROUP;
		cl_ise_memory_begin(memory);
		if (!is.cbc) {
			ecb_vector(is.cipher, (uintptr_t)in, (uintptr_t)out, done / GROUP);
		} else if (serial) {
			cbc_encrypt_vector(is.cipher, chain, (uintptr_t)in, (uintptr_t)out, done);
		} else {
			cbc_decrypt_vector(is.cipher, chain, (uintptr_t)in, (uintptr_t)out,
					   done / GROUP);
		}
		result = cl_ise_memory_end(memory);
	} else {
		device->falls += vector;
	}
	in += done * WORDS;
	out += done * WORDS;
	blocks -= done;
	if (!is.cbc) {
		ecb_scalar(is.cipher, in, out, blocks);
	} else if (serial) {
		cbc_encrypt_scalar(is.cipher, chain, in, out, blocks);
	} else {
		cbc_decrypt_scalar(is.cipher, chain, in, out, blocks);
	}
	if (is.cbc) {
		store_block(chain_out, chain);
	}
	cl_ise_clear_state();
	return result;
}

#define INSTANCE(name, mode_cbc, inverse_, style_, vector_, rounds_)                               \
	static int name(void *hw, const struct cl_engine_key *key, uint32_t chain[4],              \
			const uint32_t *in, uint32_t *out, size_t blocks)                          \
	{                                                                                          \
		return run((struct instance){{style_, inverse_, rounds_}, mode_cbc, vector_}, hw,  \
			   key, chain, in, out, blocks);                                           \
	}

#define KEY_LENGTHS(name, ...)                                                                     \
	INSTANCE(name##_128, __VA_ARGS__, 10)                                                      \
	INSTANCE(name##_192, __VA_ARGS__, 12)                                                      \
	INSTANCE(name##_256, __VA_ARGS__, 14)

#define TABLE(name)                                                                                \
	{                                                                                          \
		name##_128, name##_192, name##_256                                                 \
	}

#define MODES(engine, style, vector)                                                               \
	KEY_LENGTHS(engine##_ecb_encrypt, false, false, style, vector)                             \
	KEY_LENGTHS(engine##_ecb_decrypt, false, true, style, vector)                              \
	KEY_LENGTHS(engine##_cbc_encrypt, true, false, style, vector)                              \
	KEY_LENGTHS(engine##_cbc_decrypt, true, true, style, vector)                               \
	const struct cl_modes cl_modes_##engine = {                                                \
		.name = #engine,                                                                   \
		.set_key = set_key,                                                                \
		.ecb = {TABLE(engine##_ecb_encrypt), TABLE(engine##_ecb_decrypt)},                 \
		.cbc = {TABLE(engine##_cbc_encrypt), TABLE(engine##_cbc_decrypt)},                 \
	};

static int set_key(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
		   unsigned int key_bits, bool decrypt)
{
	return cl_ise_set_key(hw, key, key_bytes, key_bits, decrypt);
}

MODES(ise, CL_ISE_PAPER, false)
MODES(ise_fused, CL_ISE_FUSED, false)
MODES(ise_vmem, CL_ISE_FUSED, true)
