/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces the C library's memcpy. A word access of this core must be aligned, so the C library
 * copies byte by byte if source and destination are aligned differently. This memcpy loads and
 * stores aligned words even then, and shifts the data between the load and the store.
 */
#include <stddef.h>
#include <stdint.h>

typedef uint32_t __attribute__((may_alias)) word;

/** Number of words that a loop loads before it stores them. */
#define BATCH 4u
/** Below this number of bytes, copying byte by byte is faster than preparing to copy words. */
#define BYTES_MIN 12u

/** Copies @p words words between 4-byte aligned addresses. */
static void copy_words(word *to, const word *from, size_t words)
{
	for (; words >= BATCH; words -= BATCH, from += BATCH, to += BATCH) {
		const word a = from[0];
		const word b = from[1];
		const word c = from[2];
		const word d = from[3];

		to[0] = a;
		to[1] = b;
		to[2] = c;
		to[3] = d;
	}
	for (; words > 0; words--) {
		*to++ = *from++;
	}
}

/**
 * Copies @p words words to a 4-byte aligned address. The source begins @p shift bits (8, 16 or 24)
 * after the 4-byte aligned address @p from. Every word that the function loads contains at least
 * one byte of the source.
 */
static void copy_shifted(word *to, const word *from, unsigned int shift, size_t words)
{
	const unsigned int back = 32 - shift;
	word left = *from++ >> shift;

	for (; words >= BATCH; words -= BATCH, from += BATCH, to += BATCH) {
		const word a = from[0];
		const word b = from[1];
		const word c = from[2];
		const word d = from[3];

		to[0] = left | a << back;
		to[1] = a >> shift | b << back;
		to[2] = b >> shift | c << back;
		to[3] = c >> shift | d << back;
		left = d >> shift;
	}
	for (; words > 0; words--) {
		const word next = *from++;

		*to++ = left | next << back;
		left = next >> shift;
	}
}

void *memcpy(void *restrict destination, const void *restrict source, size_t len)
{
	uint8_t *to = destination;
	const uint8_t *from = source;

	if (len >= BYTES_MIN) {
		for (; (uintptr_t)to % sizeof(word) != 0; len--) {
			*to++ = *from++;
		}
		const size_t words = len / sizeof(word);
		const unsigned int off = (uintptr_t)from % sizeof(word);

		if (off == 0) {
			copy_words((word *)to, (const word *)from, words);
		} else {
			copy_shifted((word *)to, (const word *)(from - off), 8 * off, words);
		}
		to += words * sizeof(word);
		from += words * sizeof(word);
		len -= words * sizeof(word);
	}
	for (; len > 0; len--) {
		*to++ = *from++;
	}
	return destination;
}
