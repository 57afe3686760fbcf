/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * CRC-32 of IEEE 802.3: reflected polynomial 0xEDB88320, initial value and final XOR all ones, as
 * zlib's crc32 computes it.
 */
#ifndef CL_CRC32_H
#define CL_CRC32_H

#include <stddef.h>
#include <stdint.h>

#define CL_CRC32_BYTES 4u

/**
 * Continues a CRC over @p size more bytes.
 *
 * @param crc 0 for the first bytes, then the value that the previous call returned
 */
uint32_t cl_crc32(uint32_t crc, const uint8_t *data, size_t size);

#endif
