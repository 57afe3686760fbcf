/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Checksums of IPv4, UDP and ICMP for whole Ethernet frames, computed from the sum that copying a
 * frame returns.
 */
#ifndef CL_FRAME_SUMS_H
#define CL_FRAME_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Checks the checksums that a received frame contains; frames of other protocols pass.
 *
 * @param frame 2-byte aligned
 * @param sum   cl_sum of the frame
 */
bool cl_frame_sums_are_right(const uint8_t *frame, size_t len, uint32_t sum);

/**
 * Fills in those checksums of a frame that are 0.
 *
 * @param frame 2-byte aligned
 * @param sum   cl_sum of the frame
 */
void cl_frame_sums_fill(uint8_t *frame, size_t len, uint32_t sum);

#endif
