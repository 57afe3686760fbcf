/**
 * @file
 * What every AES engine offers: a key, and CTR mode (SP 800-38A, 6.5) under it. What ciphers
 * records of the network by itself is a server (server.h). An engine of another cipher gives the
 * keystream for counter blocks by that, and may refuse lengths of keys, and counter blocks.
 *
 * An engine is a constant description; whatever it must remember between calls (registers' owner,
 * register base) lives in the device context that `hw` points at, and what belongs to one key in
 * the caller's struct cl_engine_key. Blocks are bytes in the order of FIPS-197, 3.4; words of the
 * key schedule are four of them loaded little-endian.
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

/** A key as one engine keeps it. The caller allocates it and leaves its contents to the engine. */
struct cl_engine_key {
	/**
	 * Round keys of encryption (FIPS-197, 5.2): word 4r+c is column c of round key r.
	 * Words 0 to key_bits/32 - 1 are the cipher key itself, so that an engine whose hardware
	 * does the key schedule may keep no more than these.
	 */
	_Alignas(16) uint32_t round_key[CL_ROUND_KEY_WORDS_MAX];
	/**
	 * Number that an engine with registers gives each key in set_key, never 0, and compares
	 * with the number of the key its registers hold: a difference says "load this key again".
	 */
	uint32_t generation;
	/** 128, 192 or 256; 0 when no key is set. */
	uint16_t key_bits;
	/** 10, 12 or 14. */
	uint8_t rounds;
	/** Key slot or context of the hardware, where the engine has several. */
	uint8_t slot;
	/** For the engine's own use. */
	uint32_t engine_word[2];
};

struct cl_engine {
	/** Code on the wire, CL_WIRE_ENGINE_*; below 32. */
	uint8_t code;
	/** Name on the wire, for the user. */
	const char *name;
	/**
	 * Makes @p key ready for use; everything that depends on the key alone is done here.
	 *
	 * @param key holds none: zero, or cleared
	 * @param key_bytes key_bits / 8 bytes at any alignment
	 * @retval 0 done
	 * @retval -EINVAL key_bits is not 128, 192 or 256
	 * @retval -EBUSY the hardware has no place for another key
	 * @retval -errno the hardware reported a fault; @p key is cleared
	 */
	int (*set_key)(const struct cl_engine *engine, struct cl_engine_key *key,
		       const uint8_t *key_bytes, unsigned int key_bits);
	/**
	 * Encrypts or decrypts @p len bytes in CTR mode.
	 *
	 * @param counter counter block of the first block of @p in, 16 bytes at any alignment;
	 *                block n uses counter + n modulo 2^128, counted as a big-endian number
	 * @param in  data at any alignment; fastest where @p in and @p out are 4-byte aligned
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
	 * Zeroizes @p key and every copy of it in the engine's hardware. Harmless on a key that was
	 * never set, as long as the structure is zero.
	 */
	void (*clear)(const struct cl_engine *engine, struct cl_engine_key *key);
	/**
	 * How many calls of `ctr` went a slower way than the engine's own, as it does not reach
	 * their buffers; too few data for it are not counted. NULL in an engine of one way.
	 */
	uint32_t (*falls)(const struct cl_engine *engine);
	/** Whether `ctr` is as fast at any alignment, and in memory that the CPU does not cache. */
	bool anywhere;
	/** Device context of this instance; NULL where the engine is plain C. */
	void *hw;
	/**
	 * Runs known answer number @p number, where the cipher is not AES; NULL where it is.
	 *
	 * @retval 0 as expected
	 * @retval -ENOENT there is no such number
	 * @retval -EILSEQ another answer
	 * @retval -errno as set_key and ctr
	 */
	int (*known_answer)(const struct cl_engine *engine, unsigned int number);
};

#endif
