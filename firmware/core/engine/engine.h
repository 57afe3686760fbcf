/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Interface of an engine: code or hardware that encrypts and decrypts in CTR mode (SP 800-38A,
 * 6.5). An engine can implement a cipher other than AES. It then computes that cipher's keystream
 * from the counter block, and can refuse some key lengths and counter blocks. Hardware that answers
 * records from the network without firmware is a server, not an engine (server.h).
 *
 * struct cl_engine is constant. State that must survive between calls, such as the registers' base
 * address and the generation number of the key in the registers, is in the device context that `hw`
 * points to. The state of one key is in the caller's struct cl_engine_key. Blocks are bytes in the
 * order of FIPS-197, 3.4. Each word of the key schedule is four of these bytes, loaded
 * little-endian.
 */
#ifndef CL_ENGINE_H
#define CL_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the engines work on blocks as little-endian words"
#endif

#define CL_BLOCK_BYTES         16u
#define CL_KEY_BYTES_MAX       32u
#define CL_ROUNDS_MAX          14u
#define CL_ROUND_KEY_WORDS_MAX (4u * (CL_ROUNDS_MAX + 1u))

/** A key as an engine stores it. The caller allocates it; only the engine uses its contents. */
struct cl_engine_key {
	/**
	 * Round keys of encryption (FIPS-197, 5.2): word 4r+c is column c of round key r. Words 0
	 * to key_bits/32 - 1 are the cipher key itself. An engine whose hardware computes the key
	 * schedule can store the cipher key only.
	 */
	_Alignas(16) uint32_t round_key[CL_ROUND_KEY_WORDS_MAX];
	/**
	 * Generation number of this key, never 0; set_key gives every key a new number. An engine
	 * with key registers stores the number of the loaded key in its device context. If the
	 * stored number is not this key's number, the engine loads this key.
	 */
	uint32_t generation;
	/** Length of the key in bits: 128, 192 or 256; 0 if no key is set. */
	uint16_t key_bits;
	/** Number of rounds: 10, 12 or 14. */
	uint8_t rounds;
	/** Number of the key slot or context in the hardware, if there are several. */
	uint8_t slot;
	/** Free for use by the engine; nothing else uses these words. */
	uint32_t engine_word[2];
};

/** Length of a GCM nonce in bytes. */
#define CL_GCM_NONCE_BYTES 12u

/** A message of AES-GCM (SP 800-38D) with a nonce of 96 bits and a tag of 128 bits. */
struct cl_gcm_message {
	/**
	 * The nonce, CL_GCM_NONCE_BYTES bytes. A key must encrypt only one message with each nonce.
	 */
	const uint8_t *nonce;
	/** Additional authenticated data. */
	const uint8_t *aad;
	size_t aad_len;
	/**
	 * `in` is the text to encrypt or decrypt. `out` is the buffer for the result. `out` is
	 * equal to `in`, or does not overlap it.
	 */
	const uint8_t *in;
	uint8_t *out;
	size_t len;
	/**
	 * Buffer of 16 bytes for the tag, outside `out`. Encryption writes the tag, and decryption
	 * reads it.
	 */
	uint8_t *tag;
	bool decrypt;
};

/**
 * Hardware or C code that computes GHASH (SP 800-38D, 6.4), for engines that have no GCM operation
 * of their own.
 */
struct cl_hasher {
	/**
	 * Adds data to a GHASH computation.
	 *
	 * @param hw member `hw` of this structure
	 * @param subkey the hash subkey, 16 bytes in the order of FIPS-197
	 * @param[in,out] hash the GHASH value, 16 bytes in the same order; zeros before the first
	 *             call. The function updates it with @p data
	 * @param data any number of bytes at any alignment. A partial last block is padded with
	 *             zeros
	 * @retval 0 done; the hardware no longer holds any of these values
	 * @retval -EFAULT the hardware could not load the data; @p hash is undefined
	 */
	int (*hash)(void *hw, const uint8_t subkey[CL_BLOCK_BYTES], uint8_t hash[CL_BLOCK_BYTES],
		    const uint8_t *data, size_t len);
	void *hw;
};

struct cl_engine {
	/** Code of the engine in records, CL_WIRE_ENGINE_*; below 32. */
	uint8_t code;
	/** Name of the engine, which the host shows to the user. */
	const char *name;
	/**
	 * Makes @p key ready for use. Computes everything that depends only on the key.
	 *
	 * @param key a structure without a key: all zero, or cleared by `clear`
	 * @param key_bytes key_bits / 8 bytes at any alignment
	 * @retval 0 done
	 * @retval -EINVAL key_bits is not 128, 192 or 256
	 * @retval -EBUSY the hardware has no room for another key
	 * @retval -errno the hardware reported a fault; @p key is cleared
	 */
	int (*set_key)(const struct cl_engine *engine, struct cl_engine_key *key,
		       const uint8_t *key_bytes, unsigned int key_bits);
	/**
	 * Encrypts or decrypts @p len bytes in CTR mode.
	 *
	 * @param counter counter block of the first block of @p in, 16 bytes at any alignment;
	 *                block n uses counter + n modulo 2^128, counted as a big-endian number
	 * @param in  data at any alignment; fastest if @p in and @p out are 4-byte aligned
	 * @param out result; equal to @p in, or not overlapping it
	 * @param len any number of bytes, 0 included; the last block may be partial
	 * @retval 0 done
	 * @retval -EINVAL no key is set
	 * @retval -errno the hardware reported a fault or a time-out; @p out is undefined
	 */
	int (*ctr)(const struct cl_engine *engine, const struct cl_engine_key *key,
		   const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
		   size_t len);
	/**
	 * Zeroizes @p key and every copy of the key in the engine's hardware. @p key is allowed to
	 * be a structure of zeros in which no key was ever set.
	 */
	void (*clear)(const struct cl_engine *engine, struct cl_engine_key *key);
	/**
	 * Encrypts or decrypts a GCM message. If this member is NULL, the engine has no operation
	 * for whole messages, and GCM uses `ctr` and GHASH instead (gcm/gcm.h). Buffers can have
	 * any alignment. Decryption compares the tag in constant time, and writes no plaintext to
	 * `out` before it has verified the tag.
	 *
	 * @retval 0 done
	 * @retval -EINVAL no key is set
	 * @retval -EBADMSG decryption: the tag is wrong
	 * @retval -errno the hardware reported a fault or a time-out; `out` is undefined
	 */
	int (*gcm)(const struct cl_engine *engine, const struct cl_engine_key *key,
		   const struct cl_gcm_message *message);
	/** Computes GHASH if `gcm` is NULL. If `hasher` is NULL, C code computes GHASH. */
	const struct cl_hasher *hasher;
	/**
	 * Returns how many calls of `ctr` used a slower method because the engine's fast method
	 * could not access the buffers. Calls with too little data for the fast method are not
	 * counted. This member is NULL if the engine has only one method.
	 */
	uint32_t (*falls)(const struct cl_engine *engine);
	/**
	 * True if `ctr` is equally fast for every buffer, whatever the buffer's alignment, and
	 * whether or not the CPU caches the buffer's memory.
	 */
	bool anywhere;
	/** Device context of this instance; NULL if the engine is plain C. */
	void *hw;
	/**
	 * Runs known-answer test number @p number. Only an engine with a cipher other than AES has
	 * this function. The pointer is NULL if the cipher is AES.
	 *
	 * @retval 0 the answer is as expected
	 * @retval -ENOENT there is no such test
	 * @retval -EILSEQ the answer is wrong
	 * @retval -errno as set_key and ctr
	 */
	int (*known_answer)(const struct cl_engine *engine, unsigned int number);
};

#endif
