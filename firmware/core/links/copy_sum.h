/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The sum of the Internet checksum (RFC 1071), computed while data are copied.
 */
#ifndef CL_COPY_SUM_H
#define CL_COPY_SUM_H

#include <stddef.h>
#include <stdint.h>

/** Adds two sums of 16-bit words, with end-around carry. */
static inline uint32_t cl_sum_add(uint32_t a, uint32_t b)
{
	a += b;
	return a + (a < b);
}

/** Reduces a sum to 16 bits. */
static inline uint32_t cl_sum_fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

/**
 * Returns the ones' complement sum of the little-endian 16-bit words at @p from, 2-byte aligned.
 */
uint32_t cl_sum(const uint8_t *from, size_t len);

/**
 * Copies @p len bytes, at most 2^18, and returns their sum (see cl_sum). The function is fast if
 * one pointer is 4-byte aligned, and the other pointer is 2 bytes after a 4-byte boundary. In a
 * slot of the Ethernet MAC, a record's data begin 2 bytes after a 4-byte boundary.
 *
 * @param to   2-byte aligned
 * @param from 2-byte aligned; not overlapping @p to
 */
uint32_t cl_copy_sum(uint8_t *to, const uint8_t *from, size_t len);

#endif
