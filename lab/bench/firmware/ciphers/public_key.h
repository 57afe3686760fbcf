/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Public-key arithmetic on integers of 1024 bits in plain C. The benchmark calls cipher_run with
 * several such integers as data. An integer is 32 words, the lowest word first. BENCH_OPERATION
 * selects an operation. The result overwrites one or two of the integers:
 *
 *   PUBLIC_PRODUCT    a, b become their product
 *   PUBLIC_MULTIPLY   n, a, b, ...: a becomes a b / 2^1024 mod n (a Montgomery multiplication);
 *                     then the same with each further number instead of b
 *   PUBLIC_POWER      n, x, e: x becomes x^e mod n, the private-key operation of RSA
 *
 * The code sets the highest and the lowest bit of the modulus n. BENCH_HALVES describes the CPU's
 * multiplier. 2: it returns both halves of the product of two words (instructions `mul` and
 * `mulhu`). 1: it returns only the low half (`mul`). Do not use this code with real keys: the
 * exponent determines which table entries the code reads, so the code is not protected against
 * timing attacks.
 */
#ifndef PUBLIC_KEY_H
#define PUBLIC_KEY_H

#include <string.h>

#include "cipher.h"

#define PUBLIC_PRODUCT  1
#define PUBLIC_MULTIPLY 2
#define PUBLIC_POWER    3

#define PUBLIC_WORDS 32u
#define PIECES       (PUBLIC_WORDS / 4) /* number of 16-byte pieces in an integer of 1024 bits */
#define WINDOW       4u /* number of exponent bits that each step of the exponentiation handles */
#define WINDOWS      (32 * PUBLIC_WORDS / WINDOW)

struct public_modulus {
	uint32_t n[PUBLIC_WORDS];
	/** -1/n mod 2^32. */
	uint32_t inverse;
};

static void cipher_set_key(const uint8_t *key)
{
	(void)key;
}

/** Returns the 64-bit product of two words. */
CIPHER_INLINE uint64_t public_word(uint32_t x, uint32_t y)
{
	if (BENCH_HALVES == 2) {
		return (uint64_t)x * y;
	}
	const uint32_t middle = (x >> 16) * (y & 0xffff) + ((x & 0xffff) * (y & 0xffff) >> 16);
	const uint32_t other = (x & 0xffff) * (y >> 16) + (middle & 0xffff);

	return (uint64_t)((x >> 16) * (y >> 16) + (middle >> 16) + (other >> 16)) << 32 | x * y;
}

CIPHER_APART void public_product(uint32_t *out, const uint32_t *a, const uint32_t *b)
{
	uint32_t t[2 * PUBLIC_WORDS] = {0};

	for (unsigned int i = 0; i < PUBLIC_WORDS; i++) {
		uint64_t s = 0;

#pragma GCC unroll 4
		for (unsigned int j = 0; j < PUBLIC_WORDS; j++) {
			s = public_word(a[j], b[i]) + t[i + j] + (s >> 32);
			t[i + j] = (uint32_t)s;
		}
		t[i + PUBLIC_WORDS] = (uint32_t)(s >> 32);
	}
	memcpy(out, t, sizeof(t));
}

/**
 * Reduces a number modulo n, with at most one subtraction. The number must be less than 2 n. The
 * argument @p t contains the low words of the number, and @p top is its highest word.
 */
CIPHER_INLINE void public_reduce(uint32_t *out, const uint32_t *t, uint32_t top,
				 const struct public_modulus *m)
{
	uint32_t less[PUBLIC_WORDS];
	uint32_t borrow = 0;

	for (unsigned int j = 0; j < PUBLIC_WORDS; j++) {
		const uint64_t s = (uint64_t)t[j] - m->n[j] - borrow;

		less[j] = (uint32_t)s;
		borrow = (uint32_t)(s >> 63);
	}
	memmove(out, borrow > top ? t : less, sizeof(less));
}

/**
 * Computes a b / 2^1024 mod n by Montgomery multiplication. The function divides by 2^32 after each
 * word of @p b. If a and b are both greater than n, the result can be the correct value plus n.
 */
CIPHER_APART void public_multiply(uint32_t *out, const uint32_t *a, const uint32_t *b,
				  const struct public_modulus *m)
{
	uint32_t t[PUBLIC_WORDS + 1] = {0};

	for (unsigned int i = 0; i < PUBLIC_WORDS; i++) {
		uint64_t s = public_word(a[0], b[i]) + t[0];
		const uint32_t q = (uint32_t)s * m->inverse;
		uint64_t r = public_word(q, m->n[0]) + (uint32_t)s;

#pragma GCC unroll 4
		for (unsigned int j = 1; j < PUBLIC_WORDS; j++) {
			s = public_word(a[j], b[i]) + t[j] + (s >> 32);
			r = public_word(q, m->n[j]) + (uint32_t)s + (r >> 32);
			t[j - 1] = (uint32_t)r;
		}
		s = (s >> 32) + (r >> 32) + t[PUBLIC_WORDS];
		t[PUBLIC_WORDS - 1] = (uint32_t)s;
		t[PUBLIC_WORDS] = (uint32_t)(s >> 32);
	}
	public_reduce(out, t, t[PUBLIC_WORDS], m);
}

static void public_set_modulus(struct public_modulus *m, const uint32_t *n)
{
	memcpy(m->n, n, sizeof(m->n));
	m->n[0] |= 1;
	m->n[PUBLIC_WORDS - 1] |= 1u << 31;
	/*
	 * n is odd, so n * n is 1 modulo 2^3: n is its own inverse modulo 2^3. Each step of the
	 * loop doubles the number of correct bits.
	 */
	m->inverse = m->n[0];
	for (unsigned int bits = 3; bits < 32; bits *= 2) {
		m->inverse *= 2 - m->n[0] * m->inverse;
	}
	m->inverse = -m->inverse;
}

CIPHER_INLINE unsigned int public_window(const uint32_t *e, unsigned int w)
{
	return e[w * WINDOW / 32] >> w * WINDOW % 32 & ((1u << WINDOW) - 1);
}

/** Computes x^e mod n. The number of multiplications is the same for every e. */
static void public_power(uint32_t *out, const uint32_t *x, const uint32_t *e,
			 const struct public_modulus *m)
{
	/* Entry i of this table is x^i times 2^1024, mod n. */
	static uint32_t powers[1u << WINDOW][PUBLIC_WORDS];
	static const uint32_t one[PUBLIC_WORDS] = {1};
	uint32_t y[PUBLIC_WORDS];

	/*
	 * powers[0] becomes 2^1024 mod n, which is 2^1024 - n, because bit 1023 of n is set. y
	 * becomes 2 * powers[0], which is also less than 2^1024.
	 */
	for (unsigned int j = 0; j < PUBLIC_WORDS; j++) {
		powers[0][j] = j == 0 ? -m->n[j] : ~m->n[j];
		y[j] = powers[0][j] << 1 | (j == 0 ? 0 : powers[0][j - 1] >> 31);
	}
	/* y is 2 * 2^1024 mod n. Ten Montgomery squarings turn the factor 2 into 2^1024. */
	for (unsigned int bits = 1; bits < 32 * PUBLIC_WORDS; bits *= 2) {
		public_multiply(y, y, y, m);
	}
	public_multiply(powers[1], x, y, m);
	for (unsigned int k = 2; k < 1u << WINDOW; k++) {
		public_multiply(powers[k], powers[k - 1], powers[1], m);
	}
	memcpy(y, powers[public_window(e, WINDOWS - 1)], sizeof(y));
	for (unsigned int w = WINDOWS - 1; w-- > 0;) {
		for (unsigned int bit = 0; bit < WINDOW; bit++) {
			public_multiply(y, y, y, m);
		}
		public_multiply(y, y, powers[public_window(e, w)], m);
	}
	public_multiply(out, y, one, m);
}

CIPHER_APART void cipher_run(const uint32_t *in, uint32_t *out, size_t pieces)
{
	struct public_modulus m;
	uint32_t *const result = out + PUBLIC_WORDS;

	if (BENCH_OPERATION == PUBLIC_PRODUCT) {
		public_product(out, in, in + PUBLIC_WORDS);
		return;
	}
	public_set_modulus(&m, in);
	if (BENCH_OPERATION == PUBLIC_POWER) {
		public_power(result, in + PUBLIC_WORDS, in + 2 * PUBLIC_WORDS, &m);
		return;
	}
	public_reduce(result, in + PUBLIC_WORDS, 0, &m);
	for (size_t number = 2; number < pieces / PIECES; number++) {
		public_multiply(result, result, in + PUBLIC_WORDS * number, &m);
	}
}

#endif
