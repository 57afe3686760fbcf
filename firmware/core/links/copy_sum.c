/* SPDX-License-Identifier: BSD-2-Clause */
#include "links/copy_sum.h"

typedef uint16_t __attribute__((may_alias)) half;
typedef uint32_t __attribute__((may_alias)) word;

uint32_t cl_sum(const uint8_t *from, size_t len)
{
	uint32_t sum = 0;

	if (len >= 2 && ((uintptr_t)from & 2) != 0) {
		sum = *(const half *)from;
		len -= 2;
		from += 2;
	}
	for (; len >= 4; len -= 4, from += 4) {
		sum = cl_sum_add(sum, *(const word *)from);
	}
	if (len >= 2) {
		sum = cl_sum_add(sum, *(const half *)from);
		len -= 2;
		from += 2;
	}
	if (len > 0) {
		sum = cl_sum_add(sum, *from);
	}
	return sum;
}

/**
 * Copies @p len bytes in half words, and returns @p sum plus the sum of these bytes. If the
 * alignment does not allow word accesses, cl_copy_sum copies all bytes with this function.
 * Otherwise cl_copy_sum copies only the last bytes, at most three, with this function.
 */
static uint32_t copy_rest(uint8_t *to, const uint8_t *from, size_t len, uint32_t sum)
{
	for (; len >= 2; len -= 2, from += 2, to += 2) {
		const half value = *(const half *)from;

		*(half *)to = value;
		sum = cl_sum_add(sum, value);
	}
	if (len > 0) {
		*to = *from;
		sum = cl_sum_add(sum, *from);
	}
	return sum;
}

#define WORDS_AT_ONCE 8

/**
 * Stores the half word @p pending at @p to, and copies the @p len bytes at @p from to the addresses
 * after this half word. Returns @p sum plus the sum of the copied bytes. Both pointers are 4-byte
 * aligned. The function is not inlined, so that its two callers share one copy of the loop.
 *
 * For the sum, the loop adds each word to `total`, and the word's upper half to `upper`. The copy
 * needs the upper half anyway, so the sum costs only two additions per word. The sum of the lower
 * halves is total - 2^16 x upper, modulo 2^32. Neither the sum of the lower halves nor the sum of
 * the upper halves overflows with up to 2^16 words.
 */
static __attribute__((noinline)) uint32_t copy_shifted(uint8_t *to, const uint8_t *from, size_t len,
						       uint32_t pending, uint32_t sum)
{
	uint32_t total = 0;
	uint32_t upper = 0;

	while (len >= WORDS_AT_ONCE * sizeof(word)) {
		word value[WORDS_AT_ONCE];

#pragma GCC unroll 8
		for (size_t i = 0; i < WORDS_AT_ONCE; i++) {
			value[i] = ((const word *)from)[i];
		}
#pragma GCC unroll 8
		for (size_t i = 0; i < WORDS_AT_ONCE; i++) {
			((word *)to)[i] = pending | value[i] << 16;
			pending = value[i] >> 16;
			total += value[i];
			upper += pending;
		}
		from += sizeof(value);
		to += sizeof(value);
		len -= sizeof(value);
	}
	for (; len >= sizeof(word); from += sizeof(word), to += sizeof(word), len -= sizeof(word)) {
		const uint32_t value = *(const word *)from;

		*(word *)to = pending | value << 16;
		pending = value >> 16;
		total += value;
		upper += pending;
	}
	*(half *)to = (half)pending;
	sum = cl_sum_add(sum, cl_sum_add(total - (upper << 16), upper));
	return copy_rest(to + 2, from, len, sum);
}

/** Copies from a 4-byte aligned address to an address 2 bytes after a word boundary. */
static uint32_t copy_from_aligned(uint8_t *to, const uint8_t *from, size_t len)
{
	if (len < sizeof(word)) {
		return copy_rest(to, from, len, 0);
	}
	const uint32_t first = *(const word *)from;

	*(half *)to = (half)first;
	return copy_shifted(to + 2, from + 4, len - 4, first >> 16, first);
}

/** Copies from an address 2 bytes after a word boundary to a 4-byte aligned address. */
static uint32_t copy_to_aligned(uint8_t *to, const uint8_t *from, size_t len)
{
	if (len < sizeof(half)) {
		return copy_rest(to, from, len, 0);
	}
	const uint32_t first = *(const half *)from;

	return copy_shifted(to, from + 2, len - 2, first, first);
}

uint32_t cl_copy_sum(uint8_t *to, const uint8_t *from, size_t len)
{
	const uintptr_t off = ((uintptr_t)to & 3) << 2 | ((uintptr_t)from & 3);

	switch (off) {
	case 2 << 2:
		return copy_from_aligned(to, from, len);
	case 2:
		return copy_to_aligned(to, from, len);
	default:
		return copy_rest(to, from, len, 0);
	}
}
