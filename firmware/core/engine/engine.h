/**
 * @file
 * Interface of every engine: a key, and CTR mode (SP 800-38A, 6.5) under it. Hardware that ciphers
 * and answers records of the network on its own is a server (server.h). An engine may implement a
 * cipher other than AES: it then generates that cipher's keystream for counter blocks, and may
 * refuse some key lengths and counter blocks.
 *
 * An engine is a constant description. State that it must keep between calls (the owner of
 * registers, the register base) is in the device context that `hw` points at. The state of one key
 * is in the caller's struct cl_engine_key. Blocks are bytes in the order of FIPS-197, 3.4. Each
 * word of the key schedule is four of these bytes, loaded little-endian.
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

/**
 * A key in the form that an engine keeps it. The caller allocates it; only the engine uses its
 * contents.
 */
struct cl_engine_key {
	/**
	 * Round keys of encryption (FIPS-197, 5.2): word 4r+c is column c of round key r. Words 0
	 * to key_bits/32 - 1 are the cipher key itself. An engine that leaves the key schedule to
	 * hardware may keep only these.
	 */
	_Alignas(16) uint32_t round_key[CL_ROUND_KEY_WORDS_MAX];
	/**
	 * Number that set_key assigns to each key, never 0, if the engine keeps keys in registers.
	 * If it differs from the number of the key in the registers, the engine loads this key
	 * again.
	 */
	uint32_t generation;
	/** 128, 192 or 256; 0 if no key is set. */
	uint16_t key_bits;
	/** Number of rounds: 10, 12 or 14. */
	uint8_t rounds;
	/** Key slot or context of the hardware, if the engine has several. */
	uint8_t slot;
	/** For the engine's own use. */
	uint32_t engine_word[2];
};

struct cl_engine {
	/** Code in records, CL_WIRE_ENGINE_*; below 32. */
	uint8_t code;
	/** Name in records, shown to the user. */
	const char *name;
	/**
	 * Makes @p key ready for use. All computation that depends only on the key is done here.
	 *
	 * @param key holds no key: zero, or cleared
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
	 * never set, if the structure is zero.
	 */
	void (*clear)(const struct cl_engine *engine, struct cl_engine_key *key);
	/**
	 * Returns how many calls of `ctr` used a slower method because the engine's own method does
	 * not reach their buffers. Calls with too few data for the engine's own method are not
	 * counted. NULL if the engine has only one method.
	 */
	uint32_t (*falls)(const struct cl_engine *engine);
	/** `ctr` is equally fast at any alignment, and in memory that the CPU does not cache. */
	bool anywhere;
	/** Device context of this instance; NULL if the engine is plain C. */
	void *hw;
	/**
	 * Runs known-answer test @p number of a cipher other than AES; NULL if the cipher is AES.
	 *
	 * @retval 0 the answer is as expected
	 * @retval -ENOENT there is no such test
	 * @retval -EILSEQ the answer is wrong
	 * @retval -errno as set_key and ctr
	 */
	int (*known_answer)(const struct cl_engine *engine, unsigned int number);
};

#endif
