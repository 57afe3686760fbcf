/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GCM (SP 800-38D) on a vector unit with a multiplier. A GHASH product takes as long as ten other
 * instructions, but runs in parallel with them. Encryption starts each product between AES rounds
 * of other blocks, so the products take little extra time.
 *
 * v6 is the hash, and v7 the hash subkey H. No function here moves H out of the unit. The multiples
 * of H that the multiplier keeps cannot be read. The initial counter block (nonce, counter 1) is in
 * k15. It encrypts the hash; block n of the text uses counter 2 + n.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cl_wire.h"
#include "engine/ctr.h"
#include "vector/engine_ise.h"
#include "vector/ise.h"
#include "vector/ise_words.h"
#include "zeroize.h"

#define WORDS  4u
#define HASH   6u
#define SUBKEY 7u
/**
 * Operand of the instruction vghsh: the numbers of two vector registers. Register v6 (HASH)
 * contains the hash, and register v7 (SUBKEY) contains the hash subkey H.
 */
#define PAIR (HASH << 4 | SUBKEY)

/**
 * Number of blocks that encrypt_scalar encrypts at the same time, with their rounds interleaved.
 */
#define QUAD CL_ISE_BATCH_BLOCKS
/**
 * Number of blocks in half a group of encrypt_vector. The function encrypts the blocks of one half
 * at the same time. Meanwhile, it hashes the ciphertext of the half before.
 */
#define HALF        3u
#define GROUP_BYTES (2 * HALF * CL_BLOCK_BYTES)
/**
 * Below this number of bytes, vector loads and stores are slower than scalar loads and stores;
 * engine_ise.c explains why.
 */
#define VECTOR_BYTES_MIN 512u
/**
 * Data that are not word-aligned are copied to the stack. This is the maximum number of words that
 * one copy contains.
 */
#define CHUNK_WORDS (4 * CL_ISE_BATCH_WORDS)

#define MULTIPLY(s) CL_ISA_VGHSH(s, PAIR)

/** Encrypts counter block J0 + @p index (SP 800-38D). The result is in v0. */
static __attribute__((noinline)) void keystream(unsigned int rounds, uint32_t index)
{
	CL_ISA_COUNTER_XOR(0, index, 0);
	cl_ise_rounds_on(0, false, rounds);
}

/**
 * Computes the hash subkey, the ciphertext of a block of zeros, and stores it in v7. Sets the hash
 * to zero.
 */
static __attribute__((noinline)) void begin_hash(unsigned int rounds)
{
	CL_ISA_MOVE_IN(0, SUBKEY, 0, 0);
	CL_ISA_MOVE_IN(1, SUBKEY, 0, 0);
	CL_ISA_MOVE_IN(0, HASH, 0, 0);
	CL_ISA_MOVE_IN(1, HASH, 0, 0);
	CL_ISA_ROUND_XOR(0, SUBKEY);
	cl_ise_rounds_on(SUBKEY, false, rounds);
}

CL_ISE_INLINE void move_in(unsigned int s, const uint32_t block[WORDS])
{
	CL_ISA_MOVE_IN(0, s, block[0], block[1]);
	CL_ISA_MOVE_IN(1, s, block[2], block[3]);
}

CL_ISE_INLINE void hash_words(const uint32_t block[WORDS])
{
	move_in(0, block);
	MULTIPLY(0);
}

static __attribute__((noinline)) void hash_blocks(const uint32_t *data, size_t blocks)
{
	for (; blocks > 0; blocks--, data += WORDS) {
		hash_words(data);
	}
}

/** Hashes data, padded with zeros to whole blocks. */
static __attribute__((noinline)) void hash_bytes(const uint8_t *data, size_t len)
{
	uint32_t chunk[CHUNK_WORDS];

	if ((uintptr_t)data % 4 == 0) {
		const size_t blocks = len / CL_BLOCK_BYTES;

		hash_blocks((const uint32_t *)(const void *)data, blocks);
		data += blocks * CL_BLOCK_BYTES;
		len -= blocks * CL_BLOCK_BYTES;
	}
	while (len > 0) {
		const size_t part = len < sizeof(chunk) ? len : sizeof(chunk);
		const size_t blocks = (part + CL_BLOCK_BYTES - 1) / CL_BLOCK_BYTES;

		memset(chunk + (blocks - 1) * WORDS, 0, CL_BLOCK_BYTES);
		memcpy(chunk, data, part);
		hash_blocks(chunk, blocks);
		data += part;
		len -= part;
	}
}

/**
 * Hashes whole blocks in memory that vector loads can access. Each load runs in parallel with the
 * GHASH product of the block before it.
 */
static __attribute__((noinline)) void hash_vector(uintptr_t data, size_t len)
{
	const uintptr_t end = data + len;

	while (data != end) {
		CL_ISA_VLOAD(0, data);
		CL_ISE_ADVANCE(data, CL_BLOCK_BYTES);
		MULTIPLY(0);
	}
}

/**
 * Hashes all blocks of @p data except the last @p blocks blocks, and copies the last blocks to
 * @p tail. If @p data has fewer than @p blocks blocks, @p tail begins with blocks of zeros. The
 * caller can hash these zeros without changing the hash, because the hash is still zero.
 */
CL_ISE_INLINE void hash_except(uint32_t tail[CL_ISE_BATCH_WORDS], size_t blocks,
			       const uint8_t *data, size_t len)
{
	CL_ISE_EACH_WORD (i) {
		tail[i] = 0;
	}
	if (len > 0) {
		const size_t all = (len + CL_BLOCK_BYTES - 1) / CL_BLOCK_BYTES;
		const size_t kept = all < blocks ? all : blocks;
		const size_t head = (all - kept) * CL_BLOCK_BYTES;

		hash_bytes(data, head);
		memcpy((uint8_t *)tail + (blocks - kept) * CL_BLOCK_BYTES, data + head, len - head);
	}
}

/** Runs middle round number @p k of AES on vector registers @p first to @p first + 2. */
CL_ISE_INLINE void round_of_half(unsigned int k, unsigned int first)
{
	CL_ISE_EACH (s, HALF) {
		CL_ISA_ROUND_ENC(k, first + s);
	}
}

/**
 * Runs the middle rounds of AES with the numbers @p from to @p to, inclusive, on vector registers
 * @p first to @p first + 2.
 */
CL_ISE_INLINE void rounds_of_half(unsigned int from, unsigned int to, unsigned int first)
{
#pragma GCC unroll 6
	for (unsigned int k = from; k <= to; k++) {
		round_of_half(k, first);
	}
}

/**
 * Begins to hash the ciphertext block in vector register number @p s. Then writes a new counter
 * block to this register, so that the register can be used for the next block.
 */
CL_ISE_INLINE void hash_and_count(unsigned int s, uint32_t index)
{
	MULTIPLY(s);
	CL_ISA_COUNTER_XOR(s, index, 0);
}

/**
 * Completes half a group: runs the last round of AES on vector registers @p first to @p first + 2,
 * and XORs the plaintext at @p in into them. Begins the other half of the group: runs round 1 on
 * the other three vector registers.
 */
CL_ISE_INLINE void last_round_and_load(struct cl_ise_cipher cipher, unsigned int first,
				       uintptr_t in)
{
	const unsigned int other = HALF - first;

	cl_ise_last_round(cipher, first);
	cl_ise_last_round(cipher, first + 1);
	CL_ISA_VLOAD_XOR(first, in);
	cl_ise_last_round(cipher, first + 2);
	CL_ISA_VLOAD_XOR(first + 1, in);
	CL_ISA_ROUND_ENC(1, other);
	CL_ISA_VLOAD_XOR(first + 2, in);
	CL_ISA_ROUND_ENC(1, other + 1);
	CL_ISA_ROUND_ENC(1, other + 2);
}

/**
 * Encrypts and hashes groups of six blocks, three blocks at a time. While the loop encrypts three
 * blocks, it hashes the ciphertext of the previous three blocks. Vector loads and stores must be
 * able to access @p in and @p out. On entry, v3 to v5 must contain the last three blocks of the
 * additional data, because the loop hashes these blocks before the text.
 *
 * The unit can load a register from memory, or write a product to a register, only in a cycle in
 * which no instruction of the unit writes a register. The CPU's additions to pointers, and loads
 * and stores, leave such cycles free. So the code spreads them over the loop.
 */
CL_ISE_INLINE void encrypt_vector(struct cl_ise_cipher cipher, uintptr_t in, uintptr_t out,
				  uint32_t groups)
{
	const uintptr_t last = in + (groups - 1) * GROUP_BYTES;
	uint32_t index = 1;

	in -= GROUP_BYTES;
	out -= GROUP_BYTES;
	CL_ISE_EACH (s, HALF) {
		CL_ISA_COUNTER_XOR(s, index, 0);
	}
	rounds_of_half(1, 2, 0);
	for (;;) {
		hash_and_count(HALF, index);
		rounds_of_half(3, 5, 0);
		CL_ISE_ADVANCE(out, GROUP_BYTES);
		hash_and_count(HALF + 1, index);
		rounds_of_half(6, 8, 0);
		CL_ISE_ADVANCE(in, GROUP_BYTES);
		hash_and_count(HALF + 2, index);
		rounds_of_half(9, cipher.rounds - 1, 0);
		last_round_and_load(cipher, 0, in);
		CL_ISE_ADVANCE(index, 2 * HALF);
		CL_ISA_ROUND_ENC(2, HALF);
		CL_ISA_VSTORE(0, out);
		CL_ISA_ROUND_ENC(2, HALF + 1);
		CL_ISA_VSTORE(1, out);
		CL_ISA_ROUND_ENC(2, HALF + 2);

		hash_and_count(0, index);
		rounds_of_half(3, 5, HALF);
		CL_ISA_VSTORE(2, out);
		hash_and_count(1, index);
		rounds_of_half(6, 8, HALF);
		hash_and_count(2, index);
		rounds_of_half(9, cipher.rounds - 1, HALF);
		last_round_and_load(cipher, HALF, in);
		if (in == last) {
			break;
		}
		CL_ISA_ROUND_ENC(2, 0);
		CL_ISA_VSTORE(HALF, out);
		CL_ISA_ROUND_ENC(2, 1);
		CL_ISA_VSTORE(HALF + 1, out);
		CL_ISA_ROUND_ENC(2, 2);
		CL_ISA_VSTORE(HALF + 2, out);
	}
	CL_ISE_EACH (s, HALF) {
		CL_ISA_VSTORE(HALF + s, out);
	}
}

#define VECTOR_LOOP(name, rounds_)                                                                 \
	static __attribute__((noinline, noclone)) void name(uintptr_t in, uintptr_t out,           \
							    uint32_t groups)                       \
	{                                                                                          \
		encrypt_vector((struct cl_ise_cipher){.style = CL_ISE_FUSED, .rounds = (rounds_)}, \
			       in, out, groups);                                                   \
	}
VECTOR_LOOP(gcm_vmem_10, 10)
VECTOR_LOOP(gcm_vmem_12, 12)
VECTOR_LOOP(gcm_vmem_14, 14)

/** Moves block number @p block of @p words into v4 if the number is even, otherwise into v5. */
CL_ISE_INLINE void move_hashed(unsigned int block, const uint32_t words[CL_ISE_BATCH_WORDS])
{
	move_in(QUAD + block % 2, words + WORDS * block);
}

/**
 * Begins to hash block number @p block. An even block is in v4, and an odd block is in v5. Then
 * moves the next block of @p words, if there is one, into its register.
 */
CL_ISE_INLINE void hash_and_move(unsigned int block, const uint32_t words[CL_ISE_BATCH_WORDS])
{
	MULTIPLY(QUAD + block % 2);
	if (block + 1 < QUAD) {
		move_hashed(block + 1, words);
	}
}

/**
 * Encrypts and hashes groups of four blocks between word-aligned buffers. The first counter block
 * is J0 + @p index. While a group is encrypted, the code hashes the ciphertext of the previous
 * group, which the CPU's registers hold. On entry, @p hashed contains blocks to hash before the
 * text. On return, @p hashed contains the last group's ciphertext, which the caller must hash.
 */
CL_ISE_INLINE void encrypt_scalar(struct cl_ise_cipher cipher, const uint32_t *in, uint32_t *out,
				  uint32_t index, uint32_t groups,
				  uint32_t hashed[CL_ISE_BATCH_WORDS])
{
	const uint32_t *const end = in + groups * CL_ISE_BATCH_WORDS;
	uint32_t words[CL_ISE_BATCH_WORDS]; /* in the CPU's registers */

	cl_ise_load_words(words, hashed);

	while (in != end) {
		CL_ISE_EACH (s, QUAD) {
			CL_ISA_COUNTER_XOR(s, index, 0);
		}
		move_hashed(0, words);
#pragma GCC unroll 14
		for (unsigned int k = 1; k < cipher.rounds; k++) {
			cl_ise_round(cipher, k, QUAD);
			if (k % 2 == 1 && k / 2 < QUAD) {
				hash_and_move(k / 2, words);
			}
		}
		if (cipher.style == CL_ISE_PAPER) {
			CL_ISE_EACH (s, QUAD) {
				CL_ISA_SHIFT_ROWS(s);
			}
		}
		CL_ISE_EACH (s, QUAD) {
			cl_ise_last_round(cipher, s);
		}
		cl_ise_load_words(words, in);
		CL_ISE_ADVANCE(in, CL_ISE_BATCH_WORDS);
		CL_ISE_ADVANCE(index, QUAD);
		cl_ise_move_out_xor(0, words);
		cl_ise_store_words(out, words);
		CL_ISE_ADVANCE(out, CL_ISE_BATCH_WORDS);
	}
	cl_ise_store_words(hashed, words);
}

#define SCALAR_LOOP(name, style_, rounds_)                                                         \
	static __attribute__((noinline, noclone)) void name(const uint32_t *in, uint32_t *out,     \
							    uint32_t index, uint32_t groups,       \
							    uint32_t words[])                      \
	{                                                                                          \
		encrypt_scalar((struct cl_ise_cipher){.style = (style_), .rounds = (rounds_)}, in, \
			       out, index, groups, words);                                         \
	}
SCALAR_LOOP(gcm_10, CL_ISE_PAPER, 10)
SCALAR_LOOP(gcm_12, CL_ISE_PAPER, 12)
SCALAR_LOOP(gcm_14, CL_ISE_PAPER, 14)
SCALAR_LOOP(gcm_fused_10, CL_ISE_FUSED, 10)
SCALAR_LOOP(gcm_fused_12, CL_ISE_FUSED, 12)
SCALAR_LOOP(gcm_fused_14, CL_ISE_FUSED, 14)

/**
 * Encrypts and hashes @p len bytes. The first counter block is J0 + @p index (SP 800-38D). The last
 * block may be partial.
 */
static __attribute__((noinline)) void encrypt_rest(unsigned int rounds, const uint8_t *in,
						   uint8_t *out, uint32_t index, size_t len)
{
	uint32_t block[WORDS];

	for (; len > 0; index++) {
		const size_t bytes = len < CL_BLOCK_BYTES ? len : CL_BLOCK_BYTES;

		keystream(rounds, index);
		memset(block, 0, sizeof(block));
		memcpy(block, in, bytes);
#pragma GCC unroll 4
		for (unsigned int c = 0; c < WORDS; c++) {
			block[c] = CL_ISA_MOVE_OUT_XOR(c, 0, block[c]);
		}
		memset((uint8_t *)block + bytes, 0, sizeof(block) - bytes); /* unused keystream */
		memcpy(out, block, bytes);
		hash_words(block);
		in += bytes;
		out += bytes;
		len -= bytes;
	}
}

/**
 * Computes the tag: hashes the lengths of the additional data and of the text, and encrypts the
 * hash.
 */
static void make_tag(unsigned int rounds, size_t aad_len, size_t len, uint32_t tag[WORDS])
{
	const uint64_t aad_bits = (uint64_t)aad_len * 8;
	const uint64_t bits = (uint64_t)len * 8;

	hash_words((const uint32_t[]){
		cl_ctr_swap((uint32_t)(aad_bits >> 32)), cl_ctr_swap((uint32_t)aad_bits),
		cl_ctr_swap((uint32_t)(bits >> 32)), cl_ctr_swap((uint32_t)bits)});
	keystream(rounds, 0);
#pragma GCC unroll 4
	for (unsigned int c = 0; c < WORDS; c++) {
		tag[c] = CL_ISA_MOVE_OUT_XOR(c, 0, CL_ISA_MOVE_OUT_XOR(c, HASH, 0));
	}
}

/**
 * Type of a loop that encrypts and hashes groups of four blocks, with scalar loads and stores. The
 * first counter block is J0 + @p index. On entry, @p words contains blocks that the loop hashes
 * first. On return, @p words contains blocks that the caller must still hash.
 */
typedef void scalar_loop(const uint32_t *in, uint32_t *out, uint32_t index, uint32_t groups,
			 uint32_t words[]);
/**
 * Type of a loop that encrypts and hashes groups of six blocks, with vector loads and stores. On
 * entry, v3 to v5 contain blocks that the loop hashes first. On return, v3 to v5 contain blocks
 * that the caller must still hash.
 */
typedef void vector_loop(uintptr_t in, uintptr_t out, uint32_t groups);

/**
 * Returns true if @p bytes is at least VECTOR_BYTES_MIN, and vector loads and stores can access
 * both buffers. If @p bytes is large enough but a buffer cannot be accessed, increments `falls`.
 */
static bool reaches(struct cl_ise_device *device, const void *in, const void *out, size_t bytes)
{
	if (bytes < VECTOR_BYTES_MIN) {
		return false;
	}
	if (cl_ise_reaches(&device->memory, in, bytes) &&
	    cl_ise_reaches(&device->memory, out, bytes)) {
		return true;
	}
	device->falls++;
	return false;
}

/** Runs a scalar loop over the first @p groups groups of the text, at any alignment. */
static void encrypt_groups(scalar_loop *scalar, const uint8_t *in, uint8_t *out, size_t groups,
			   uint32_t words[])
{
	uint32_t chunk[CHUNK_WORDS]; /* holds only ciphertext at the end, so it is not zeroized */
	uint32_t index = 1;

	if ((((uintptr_t)in | (uintptr_t)out) & 3) == 0) {
		scalar((const uint32_t *)(const void *)in, (uint32_t *)(void *)out, index,
		       (uint32_t)groups, words);
		return;
	}
	while (groups > 0) {
		const size_t most = CHUNK_WORDS / CL_ISE_BATCH_WORDS;
		const size_t part = groups < most ? groups : most;
		const size_t bytes = part * QUAD * CL_BLOCK_BYTES;

		memcpy(chunk, in, bytes);
		scalar(chunk, chunk, index, (uint32_t)part, words);
		memcpy(out, chunk, bytes);
		in += bytes;
		out += bytes;
		index += (uint32_t)(part * QUAD);
		groups -= part;
	}
}

/** Hashes the additional data, then encrypts and hashes the text. */
static int encrypt_text(struct cl_ise_device *device, unsigned int rounds,
			const struct cl_gcm_message *message, scalar_loop *scalar,
			vector_loop *vector)
{
	const uint8_t *const in = message->in;
	uint8_t *const out = message->out;
	const size_t bulk = message->len - message->len % CL_BLOCK_BYTES;
	uint32_t words[CL_ISE_BATCH_WORDS];
	size_t done = 0;
	int result = 0;

	if (vector != NULL && reaches(device, in, out, bulk)) {
		const size_t groups = bulk / GROUP_BYTES;

		CL_ISE_EACH (s, HALF) {
			CL_ISA_MOVE_IN(0, HALF + s, 0, 0);
			CL_ISA_MOVE_IN(1, HALF + s, 0, 0);
		}
		if (message->aad_len > 0) {
			hash_except(words, HALF, message->aad, message->aad_len);
			CL_ISE_EACH (s, HALF) {
				move_in(HALF + s, words + WORDS * s);
			}
		}
		cl_ise_memory_begin(&device->memory);
		vector((uintptr_t)in, (uintptr_t)out, (uint32_t)groups);
		CL_ISE_EACH (s, HALF) {
			MULTIPLY(HALF + s);
		}
		for (done = groups * GROUP_BYTES; done < bulk; done += CL_BLOCK_BYTES) {
			keystream(rounds, (uint32_t)(1 + done / CL_BLOCK_BYTES));
			CL_ISA_VLOAD_XOR(0, (uintptr_t)in + done);
			CL_ISA_VSTORE(0, (uintptr_t)out + done);
			MULTIPLY(0);
		}
		result = cl_ise_memory_end(&device->memory);
	} else if (message->len >= sizeof(words)) {
		const size_t quads = message->len / sizeof(words);

		done = quads * sizeof(words);
		hash_except(words, QUAD, message->aad, message->aad_len);
		encrypt_groups(scalar, in, out, quads, words);
		hash_bytes((const uint8_t *)words, sizeof(words));
	} else {
		hash_bytes(message->aad, message->aad_len);
	}
	encrypt_rest(rounds, in + done, out + done, (uint32_t)(1 + done / CL_BLOCK_BYTES),
		     message->len - done);
	return result;
}

/**
 * Hashes data, padded with zeros to whole blocks. Uses vector loads for the whole blocks if @p
 * vector is true and reaches() returns true.
 */
static int hash_data(struct cl_ise_device *device, const uint8_t *data, size_t len, bool vector)
{
	const size_t bulk = len - len % CL_BLOCK_BYTES;
	size_t done = 0;
	int result = 0;

	if (vector && reaches(device, data, data, bulk)) {
		done = bulk;
		cl_ise_memory_begin(&device->memory);
		hash_vector((uintptr_t)data, bulk);
		result = cl_ise_memory_end(&device->memory);
	}
	hash_bytes(data + done, len - done);
	return result;
}

/**
 * Updates the GHASH value in @p hash with @p data. The hash subkey must be in v7. At the end, the
 * function clears v0 to v7 and k15. It uses vector loads only if @p vector is true.
 */
static int continue_hash(struct cl_ise_device *device, uint8_t hash[CL_BLOCK_BYTES],
			 const uint8_t *data, size_t len, bool vector)
{
	uint32_t words[WORDS];

	memcpy(words, hash, sizeof(words));
	move_in(HASH, words);
	const int result = hash_data(device, data, len, vector);

#pragma GCC unroll 4
	for (unsigned int c = 0; c < WORDS; c++) {
		words[c] = CL_ISA_MOVE_OUT_XOR(c, HASH, 0);
	}
	cl_ise_clear_state();
	memcpy(hash, words, sizeof(words));
	cl_zeroize(words, sizeof(words));
	return result;
}

int cl_ise_ghash(struct cl_ise_device *device, const struct cl_engine_key *key,
		 uint8_t hash[CL_BLOCK_BYTES], const uint8_t *data, size_t len)
{
	if (key->key_bits == 0) {
		return -EINVAL;
	}
	cl_ise_use_key(device, key);
	begin_hash(key->rounds);
	return continue_hash(device, hash, data, len, true);
}

/**
 * Implements cl_hasher.hash, which other engines call. If vector loads cannot access the data, the
 * function uses scalar loads, and does not change the counter `falls`.
 */
static int hash_with(void *hw, const uint8_t subkey[CL_BLOCK_BYTES], uint8_t hash[CL_BLOCK_BYTES],
		     const uint8_t *data, size_t len)
{
	struct cl_ise_device *const device = hw;
	uint32_t words[WORDS];

	(void)CL_ISA_CONTEXT(device->context);
	memcpy(words, subkey, sizeof(words));
	move_in(SUBKEY, words);
	cl_zeroize(words, sizeof(words));
	return continue_hash(device, hash, data, len, cl_ise_reaches(&device->memory, data, len));
}

struct cl_hasher cl_ise_hasher(struct cl_ise_device *device)
{
	return (struct cl_hasher){.hash = hash_with, .hw = device};
}

/**
 * Loads the initial counter block into register k15: the nonce, followed by the counter with the
 * value 1.
 */
static void load_nonce(const uint8_t *nonce)
{
	uint32_t words[3];

	memcpy(words, nonce, sizeof(words));
	CL_ISA_KEY_WRITE(0, 15, words[0], words[1]);
	CL_ISA_KEY_WRITE(1, 15, words[2], 0x01000000u);
}

/** The loops of one engine. In each array, the elements are the loops for 10, 12 and 14 rounds. */
struct loops {
	scalar_loop *scalar[3];
	vector_loop *vector[3];
};

static int run(const struct cl_engine *engine, const struct cl_engine_key *key,
	       const struct cl_gcm_message *message, const struct loops *loops)
{
	struct cl_ise_device *const device = engine->hw;
	uint8_t counter[CL_BLOCK_BYTES] = {[CL_BLOCK_BYTES - 1] = 2};
	uint32_t tag[WORDS];
	uint32_t given[WORDS];
	uint32_t difference = 0;

	if (key->key_bits == 0) {
		return -EINVAL;
	}
	const unsigned int rounds = key->rounds;
	const unsigned int n = rounds / 2 - 5;

	cl_ise_use_key(device, key);
	load_nonce(message->nonce);
	begin_hash(rounds);
	int result;

	if (message->decrypt) {
		hash_bytes(message->aad, message->aad_len);
		result = hash_data(device, message->in, message->len, loops->vector[n] != NULL);
	} else {
		result = encrypt_text(device, rounds, message, loops->scalar[n], loops->vector[n]);
	}

	make_tag(rounds, message->aad_len, message->len, tag);
	cl_ise_clear_state();
	if (!message->decrypt) {
		memcpy(message->tag, tag, sizeof(tag));
		return result;
	}
	memcpy(given, message->tag, sizeof(given));
	for (unsigned int c = 0; c < WORDS; c++) {
		difference |= given[c] ^ tag[c];
	}
	cl_zeroize(tag, sizeof(tag));
	if (result != 0) {
		return result;
	}
	if (difference != 0) {
		return -EBADMSG;
	}
	memcpy(counter, message->nonce, CL_GCM_NONCE_BYTES);
	return engine->ctr(engine, key, counter, message->in, message->out, message->len);
}

static int ise_gcm(const struct cl_engine *engine, const struct cl_engine_key *key,
		   const struct cl_gcm_message *message)
{
	static const struct loops loops = {
		.scalar = {gcm_10, gcm_12, gcm_14},
	};

	return run(engine, key, message, &loops);
}

static int ise_fused_gcm(const struct cl_engine *engine, const struct cl_engine_key *key,
			 const struct cl_gcm_message *message)
{
	static const struct loops loops = {
		.scalar = {gcm_fused_10, gcm_fused_12, gcm_fused_14},
	};

	return run(engine, key, message, &loops);
}

static int ise_vmem_gcm(const struct cl_engine *engine, const struct cl_engine_key *key,
			const struct cl_gcm_message *message)
{
	static const struct loops loops = {
		.scalar = {gcm_fused_10, gcm_fused_12, gcm_fused_14},
		.vector = {gcm_vmem_10, gcm_vmem_12, gcm_vmem_14},
	};

	return run(engine, key, message, &loops);
}

struct cl_engine cl_engine_ise_with_gcm(struct cl_engine engine)
{
	engine.gcm = engine.code == CL_WIRE_ENGINE_ISE         ? ise_gcm
		     : engine.code == CL_WIRE_ENGINE_ISE_FUSED ? ise_fused_gcm
							       : ise_vmem_gcm;
	return engine;
}
