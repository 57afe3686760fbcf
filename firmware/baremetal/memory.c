/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that the compiler calls to copy and to fill memory. They move words or half words where
 * the alignment of the addresses allows it. They replace the C library's functions, which move
 * single bytes and are therefore slow. Speed matters here, because every record needs copies of
 * headers, counter blocks and structures.
 */
#include <stddef.h>
#include <stdint.h>

typedef uint16_t __attribute__((may_alias)) half;
typedef uint32_t __attribute__((may_alias)) word;

#define COPY(type)                                                                                 \
	for (; size >= sizeof(type); size -= sizeof(type)) {                                       \
		*(type *)put = *(const type *)get;                                                 \
		put += sizeof(type);                                                               \
		get += sizeof(type);                                                               \
	}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	uint8_t *put = to;
	const uint8_t *get = from;
	const uintptr_t both = (uintptr_t)put | (uintptr_t)get;

	if ((both & 3) == 0) {
		COPY(word)
	} else if ((both & 1) == 0) {
		COPY(half)
	}
	COPY(uint8_t)
	return to;
}

void *memset(void *to, int value, size_t size)
{
	uint8_t *put = to;

	if (((uintptr_t)put & 3) == 0) {
		const uint32_t four = (uint8_t)value * UINT32_C(0x01010101);

		for (; size >= sizeof(word); size -= sizeof(word), put += sizeof(word)) {
			*(word *)put = four;
		}
	}
	for (; size > 0; size--) {
		*put++ = (uint8_t)value;
	}
	return to;
}
