/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated from gateware/random/source.py; do not edit. */
/**
 * @file
 * Registers of the random source: byte offsets from its base address; masks, positions and values of fields.
 */
#ifndef CL_RANDOM_REGS_H
#define CL_RANDOM_REGS_H

/**
 * Access: read, write. Commands. Writing 1 to a field gives the command; writing 0 does
 * nothing. Reads as last written.
 */
#define CL_RANDOM_CONTROL 0x00u
#define CL_RANDOM_CONTROL_RESTART_SHIFT 0u
#define CL_RANDOM_CONTROL_RESTART_MASK 0x1u

/**
 * Access: read. State of the source. Reading has no side effect.
 */
#define CL_RANDOM_STATUS 0x04u
#define CL_RANDOM_STATUS_VALID_SHIFT 0u
#define CL_RANDOM_STATUS_VALID_MASK 0x1u
#define CL_RANDOM_STATUS_FAULT_SHIFT 1u
#define CL_RANDOM_STATUS_FAULT_MASK 0x2u
#define CL_RANDOM_STATUS_SIMULATED_SHIFT 2u
#define CL_RANDOM_STATUS_SIMULATED_MASK 0x4u

/**
 * Access: read. A word of raw samples, the oldest in bit 31. Reading removes the word, so each
 * word is read only once. Reads as 0 while valid is 0. Reset value 0.
 */
#define CL_RANDOM_DATA 0x08u

#define CL_RANDOM_BYTES 0xcu

#endif
