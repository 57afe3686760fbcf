/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Checks and computes the checksums of IPv4, UDP and ICMP in an Ethernet frame. The functions use
 * the sum of the frame's data, which was computed while the frame was copied.
 */
#ifndef CL_FRAME_SUMS_H
#define CL_FRAME_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Returns whether all checksums of IPv4, UDP and ICMP in a received frame are right. Also returns
 * true if the frame contains none of these protocols.
 *
 * @param frame 2-byte aligned
 * @param sum   cl_sum of the frame
 */
bool cl_frame_sums_are_right(const uint8_t *frame, size_t len, uint32_t sum);

/**
 * For each checksum field of IPv4, UDP or ICMP that contains 0, computes the checksum and writes it
 * to the field.
 *
 * @param frame 2-byte aligned
 * @param sum   cl_sum of the frame
 */
void cl_frame_sums_fill(uint8_t *frame, size_t len, uint32_t sum);

#endif
