#include "copy_sum.h"

typedef uint16_t __attribute__((may_alias)) half;
typedef uint32_t __attribute__((may_alias)) word;

uint32_t cl_sum(const uint8_t *from, size_t len)
{
	uint32_t sum = 0;

	for (; len >= 2; len -= 2, from += 2) {
		sum = cl_sum_add(sum, *(const half *)from);
	}
	if (len > 0) {
		sum = cl_sum_add(sum, *from);
	}
	return sum;
}

/** What is left of a copy: up to three bytes, or all where no words can be used. */
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

/** @p from is 4-byte aligned, @p to 2 bytes off. */
static uint32_t copy_from_aligned(uint8_t *to, const uint8_t *from, size_t len)
{
	uint32_t sum = 0;
	uint32_t value;

	if (len < 8) {
		return copy_rest(to, from, len, 0);
	}
	value = *(const word *)from;
	sum = value;
	*(half *)to = (half)value;
	to += 2;
	from += 4;
	len -= 4;
	while (len >= 16) {
		const uint32_t a = ((const word *)from)[0];
		const uint32_t b = ((const word *)from)[1];
		const uint32_t c = ((const word *)from)[2];
		const uint32_t d = ((const word *)from)[3];

		((word *)to)[0] = value >> 16 | a << 16;
		((word *)to)[1] = a >> 16 | b << 16;
		((word *)to)[2] = b >> 16 | c << 16;
		((word *)to)[3] = c >> 16 | d << 16;
		sum = cl_sum_add(cl_sum_add(cl_sum_add(cl_sum_add(sum, a), b), c), d);
		value = d;
		from += 16;
		to += 16;
		len -= 16;
	}
	*(half *)to = (half)(value >> 16);
	return copy_rest(to + 2, from, len, sum);
}

/** @p to is 4-byte aligned, @p from 2 bytes off. */
static uint32_t copy_to_aligned(uint8_t *to, const uint8_t *from, size_t len)
{
	uint32_t sum;
	uint32_t value;

	if (len < 8) {
		return copy_rest(to, from, len, 0);
	}
	value = *(const half *)from;
	sum = value;
	from += 2;
	len -= 2;
	while (len >= 16) {
		const uint32_t a = ((const word *)from)[0];
		const uint32_t b = ((const word *)from)[1];
		const uint32_t c = ((const word *)from)[2];
		const uint32_t d = ((const word *)from)[3];

		((word *)to)[0] = value | a << 16;
		((word *)to)[1] = a >> 16 | b << 16;
		((word *)to)[2] = b >> 16 | c << 16;
		((word *)to)[3] = c >> 16 | d << 16;
		sum = cl_sum_add(cl_sum_add(cl_sum_add(cl_sum_add(sum, a), b), c), d);
		value = d >> 16;
		from += 16;
		to += 16;
		len -= 16;
	}
	*(half *)to = (half)value;
	return copy_rest(to + 2, from, len, sum);
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
