/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * MARS (Burwick et al. 1999, with the revised key schedule): encryption with a key of 128 bits.
 * There are 8 mixing rounds, 16 core rounds and 8 more mixing rounds. Mixing rounds use a byte as
 * index into table S0 or S1. Core rounds use nine bits as index into S, which consists of S0 and
 * S1. The build computes the words of S (mars_s.h).
 */
#ifndef MARS_H
#define MARS_H

#include "cipher.h"

static const uint32_t mars_s[512] = {
#include "mars_s.h"
};
static uint32_t mars_keys[40];

#define MARS_KEY_WORDS 4
#define MARS_LINEAR    15

CIPHER_INLINE uint32_t mars_rotl(uint32_t x, uint32_t n)
{
	return x << (n & 31) | x >> (-n & 31);
}

/**
 * Finds runs of ten or more equal bits in @p w. Returns a mask of the bits in these runs, without
 * the first and the last bit of each run. Bits 0, 1 and 31 of the mask are always 0.
 */
static uint32_t mars_runs(uint32_t w)
{
	/* Bit n of `same` is set if bits n and n + 1 of w are equal. */
	const uint32_t same = ~(w ^ w >> 1) & 0x7fffffffu;
	uint32_t first = same;
	uint32_t inside = 0;

	/* After this loop, bit n of `first` is set if bits n to n + 9 of w are equal. */
	for (unsigned int n = 1; n < 9; n++) {
		first &= same >> n;
	}
	for (unsigned int n = 0; n < 10; n++) {
		inside |= first << n;
	}
	return inside & same & same << 1 & 0x7ffffffcu;
}

static void cipher_set_key(const uint8_t *key)
{
	uint32_t t[MARS_LINEAR] = {0};

	for (unsigned int i = 0; i < MARS_KEY_WORDS; i++) {
		t[i] = cipher_swap(cipher_load(key + 4 * i));
	}
	t[MARS_KEY_WORDS] = MARS_KEY_WORDS;
	for (unsigned int j = 0; j < 4; j++) {
		for (unsigned int i = 0; i < MARS_LINEAR; i++) {
			const uint32_t sum = t[(i + 8) % MARS_LINEAR] ^ t[(i + 13) % MARS_LINEAR];

			t[i] ^= cipher_rotl(sum, 3) ^ (4 * i + j);
		}
		for (unsigned int n = 0; n < 4; n++) {
			for (unsigned int i = 0; i < MARS_LINEAR; i++) {
				const uint32_t before = t[(i + 14) % MARS_LINEAR];

				t[i] = cipher_rotl(t[i] + mars_s[before & 0x1ff], 9);
			}
		}
		for (unsigned int i = 0; i < 10; i++) {
			mars_keys[10 * j + i] = t[4 * i % MARS_LINEAR];
		}
	}
	/*
	 * The cipher multiplies by the key words with odd numbers from 5 to 35. So these words must
	 * be odd and must not contain long runs of equal bits.
	 */
	for (unsigned int i = 5; i <= 35; i += 2) {
		const uint32_t pattern = mars_s[265 + (mars_keys[i] & 3)];
		const uint32_t word = mars_keys[i] | 3;

		mars_keys[i] = word ^ (mars_rotl(pattern, mars_keys[i - 1]) & mars_runs(word));
	}
	for (unsigned int x = 0; BENCH_PTLU && x < 256; x++) {
		PTLU_WRITE(0, x, mars_s[x]);
		PTLU_WRITE(1, x, mars_s[256 + x]);
	}
}

/** Looks up table S0 (@p s is 0) or S1 (@p s is 1). Byte @p byte of @p x is the index. */
#define MARS_LOOKUP(s, byte, x)                                                                    \
	(BENCH_PTLU ? PTLU_WORD(s, byte, x) : mars_s[256 * (s) + ((x) >> 8 * (byte)&0xff)])

/**
 * Returns the word of S whose index is the low nine bits of @p x. With `ptlu`, the code uses the
 * low eight bits as index into both halves of S; the ninth bit selects one of the two results.
 */
CIPHER_INLINE uint32_t mars_s_word(uint32_t x)
{
	if (BENCH_PTLU) {
		const uint32_t low = PTLU_WORD(0, 0, x);
		const uint32_t is_high = -(x >> 8 & 1);

		return low ^ ((low ^ PTLU_WORD(1, 0, x)) & is_high);
	}
	return mars_s[x & 0x1ff];
}

/**
 * Computes one of the 8 mixing rounds that precede the core rounds. The number of the round, @p n,
 * is a compile-time constant, so the compiler evaluates the conditions on @p n.
 */
CIPHER_INLINE void mars_mix(unsigned int n, uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
	*b = (*b ^ MARS_LOOKUP(0, 0, *a)) + MARS_LOOKUP(1, 1, *a);
	*c += MARS_LOOKUP(0, 2, *a);
	*d ^= MARS_LOOKUP(1, 3, *a);
	*a = cipher_rotl(*a, 8);
	if (n % 4 == 0) {
		*a += *d;
	} else if (n % 4 == 1) {
		*a += *b;
	}
}

/** Computes one of the 8 mixing rounds that follow the core rounds. @p n is its number. */
CIPHER_INLINE void mars_unmix(unsigned int n, uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
	if (n % 4 == 2) {
		*a -= *d;
	} else if (n % 4 == 3) {
		*a -= *b;
	}
	*b ^= MARS_LOOKUP(1, 0, *a);
	*c -= MARS_LOOKUP(0, 3, *a);
	*d = (*d - MARS_LOOKUP(1, 2, *a)) ^ MARS_LOOKUP(0, 1, *a);
	*a = cipher_rotl(*a, 24);
}

/**
 * Computes one of the 16 core rounds. In core rounds 8 to 15, the caller exchanges the arguments
 * @p b and @p d.
 */
CIPHER_INLINE void mars_core(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d, const uint32_t *k)
{
	uint32_t m = *a + k[0];
	uint32_t l = mars_s_word(m);

	*a = cipher_rotl(*a, 13);
	uint32_t r = cipher_rotl(*a * k[1], 5);

	m = mars_rotl(m, r);
	l ^= r;
	r = cipher_rotl(r, 5);
	l = mars_rotl(l ^ r, r);
	*b += l;
	*c += m;
	*d ^= r;
}

CIPHER_APART void cipher_run(const uint32_t *in, uint32_t *out, size_t pieces)
{
	for (const uint32_t *const end = in + 4 * pieces; in != end; in += 4, out += 4) {
		const uint32_t *k = mars_keys + 4;
		uint32_t a = in[0] + mars_keys[0];
		uint32_t b = in[1] + mars_keys[1];
		uint32_t c = in[2] + mars_keys[2];
		uint32_t d = in[3] + mars_keys[3];

		for (unsigned int n = 0; n < 2; n++) {
			mars_mix(0, &a, &b, &c, &d);
			mars_mix(1, &b, &c, &d, &a);
			mars_mix(2, &c, &d, &a, &b);
			mars_mix(3, &d, &a, &b, &c);
		}
		for (; k != mars_keys + 20; k += 8) {
			mars_core(&a, &b, &c, &d, k);
			mars_core(&b, &c, &d, &a, k + 2);
			mars_core(&c, &d, &a, &b, k + 4);
			mars_core(&d, &a, &b, &c, k + 6);
		}
		for (; k != mars_keys + 36; k += 8) {
			mars_core(&a, &d, &c, &b, k);
			mars_core(&b, &a, &d, &c, k + 2);
			mars_core(&c, &b, &a, &d, k + 4);
			mars_core(&d, &c, &b, &a, k + 6);
		}
		for (unsigned int n = 0; n < 2; n++) {
			mars_unmix(0, &a, &b, &c, &d);
			mars_unmix(1, &b, &c, &d, &a);
			mars_unmix(2, &c, &d, &a, &b);
			mars_unmix(3, &d, &a, &b, &c);
		}
		out[0] = a - mars_keys[36];
		out[1] = b - mars_keys[37];
		out[2] = c - mars_keys[38];
		out[3] = d - mars_keys[39];
	}
}

#endif
