/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated from gateware/dma/accelerator.py; do not edit. */
/**
 * @file
 * Registers of the CTR accelerator: byte offsets from its base address; masks, positions and values of fields.
 */
#ifndef CL_ACCEL_REGS_H
#define CL_ACCEL_REGS_H

/**
 * Access: read, write. Commands. Writing 1 to a field gives the command; writing 0 does
 * nothing. Reads as last written. If one write gives several commands, only the first of
 * zeroize, abort, load_key, clear_key and start is carried out. An accepted command clears
 * refused. A refused command sets refused and does nothing else.
 */
#define CL_ACCEL_CONTROL 0x00u
#define CL_ACCEL_CONTROL_START_SHIFT 0u
#define CL_ACCEL_CONTROL_START_MASK 0x1u
#define CL_ACCEL_CONTROL_LOAD_KEY_SHIFT 1u
#define CL_ACCEL_CONTROL_LOAD_KEY_MASK 0x2u
#define CL_ACCEL_CONTROL_ZEROIZE_SHIFT 2u
#define CL_ACCEL_CONTROL_ZEROIZE_MASK 0x4u
#define CL_ACCEL_CONTROL_ABORT_SHIFT 3u
#define CL_ACCEL_CONTROL_ABORT_MASK 0x8u
#define CL_ACCEL_CONTROL_CLEAR_KEY_SHIFT 4u
#define CL_ACCEL_CONTROL_CLEAR_KEY_MASK 0x10u

/**
 * Access: read. State of the accelerator. Reading has no side effect.
 */
#define CL_ACCEL_STATUS 0x04u
#define CL_ACCEL_STATUS_BUSY_SHIFT 0u
#define CL_ACCEL_STATUS_BUSY_MASK 0x1u
#define CL_ACCEL_STATUS_KEY_BUSY_SHIFT 1u
#define CL_ACCEL_STATUS_KEY_BUSY_MASK 0x2u
#define CL_ACCEL_STATUS_FULL_SHIFT 2u
#define CL_ACCEL_STATUS_FULL_MASK 0x4u
#define CL_ACCEL_STATUS_REFUSED_SHIFT 3u
#define CL_ACCEL_STATUS_REFUSED_MASK 0x8u
#define CL_ACCEL_STATUS_ERROR_SHIFT 4u
#define CL_ACCEL_STATUS_ERROR_MASK 0xf0u
#define CL_ACCEL_STATUS_ERROR_NONE 0u
#define CL_ACCEL_STATUS_ERROR_NO_KEY 1u
#define CL_ACCEL_STATUS_ERROR_KEY_LENGTH 2u
#define CL_ACCEL_STATUS_ERROR_WIDTH 3u
#define CL_ACCEL_STATUS_ERROR_BAD_ADDRESS 4u
#define CL_ACCEL_STATUS_ERROR_OVERLAP 5u
#define CL_ACCEL_STATUS_ERROR_BUS_ERROR 6u
#define CL_ACCEL_STATUS_ERROR_BUS_TIMEOUT 7u
#define CL_ACCEL_STATUS_ERROR_ABORTED 8u
#define CL_ACCEL_STATUS_ERROR_TAG 9u
#define CL_ACCEL_STATUS_ERROR_LENGTH 10u
#define CL_ACCEL_STATUS_KEY_ERROR_SHIFT 8u
#define CL_ACCEL_STATUS_KEY_ERROR_MASK 0xf00u
#define CL_ACCEL_STATUS_FAILURES_SHIFT 16u
#define CL_ACCEL_STATUS_FAILURES_MASK 0xffff0000u

/**
 * Access: read, write. Key length and slot for load_key and clear_key. May be written at any
 * time: the commands sample it.
 */
#define CL_ACCEL_KEY_CONFIG 0x08u
#define CL_ACCEL_KEY_CONFIG_KEY_LENGTH_SHIFT 0u
#define CL_ACCEL_KEY_CONFIG_KEY_LENGTH_MASK 0x3u
#define CL_ACCEL_KEY_CONFIG_KEY_LENGTH_AES_128 0u
#define CL_ACCEL_KEY_CONFIG_KEY_LENGTH_AES_192 1u
#define CL_ACCEL_KEY_CONFIG_KEY_LENGTH_AES_256 2u
#define CL_ACCEL_KEY_CONFIG_KEY_LENGTH_INVALID 3u
#define CL_ACCEL_KEY_CONFIG_SLOT_SHIFT 4u
#define CL_ACCEL_KEY_CONFIG_SLOT_MASK 0xf0u

/**
 * Access: write. Bytes 0 to 3 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Zeroized by load_key once it has the key, by zeroize and by reset. Writes are ignored while
 * key_busy.
 */
#define CL_ACCEL_KEY0 0x0cu

/**
 * Access: write. Bytes 4 to 7 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Zeroized by load_key once it has the key, by zeroize and by reset. Writes are ignored while
 * key_busy.
 */
#define CL_ACCEL_KEY1 0x10u

/**
 * Access: write. Bytes 8 to 11 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Zeroized by load_key once it has the key, by zeroize and by reset. Writes are ignored while
 * key_busy.
 */
#define CL_ACCEL_KEY2 0x14u

/**
 * Access: write. Bytes 12 to 15 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Zeroized by load_key once it has the key, by zeroize and by reset. Writes are ignored while
 * key_busy.
 */
#define CL_ACCEL_KEY3 0x18u

/**
 * Access: write. Bytes 16 to 19 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Zeroized by load_key once it has the key, by zeroize and by reset. Writes are ignored while
 * key_busy.
 */
#define CL_ACCEL_KEY4 0x1cu

/**
 * Access: write. Bytes 20 to 23 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Zeroized by load_key once it has the key, by zeroize and by reset. Writes are ignored while
 * key_busy.
 */
#define CL_ACCEL_KEY5 0x20u

/**
 * Access: write. Bytes 24 to 27 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Zeroized by load_key once it has the key, by zeroize and by reset. Writes are ignored while
 * key_busy.
 */
#define CL_ACCEL_KEY6 0x24u

/**
 * Access: write. Bytes 28 to 31 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Zeroized by load_key once it has the key, by zeroize and by reset. Writes are ignored while
 * key_busy.
 */
#define CL_ACCEL_KEY7 0x28u

/**
 * Access: read. Bit n: slot n holds a key. load_key and clear_key of the slot, and zeroize,
 * clear the bit; the end of load_key sets it. Reset value 0.
 */
#define CL_ACCEL_KEY_VALID 0x2cu
#define CL_ACCEL_KEY_VALID_BITS 8u

/**
 * Access: read, write. Bytes 0 to 3 of the initial counter block T1, first byte in bits 7:0.
 * Reset value 0. May be written at any time: start samples it, so a write affects only later
 * starts.
 */
#define CL_ACCEL_IV0 0x30u

/**
 * Access: read, write. Bytes 4 to 7 of the initial counter block T1, first byte in bits 7:0.
 * Reset value 0. May be written at any time: start samples it, so a write affects only later
 * starts.
 */
#define CL_ACCEL_IV1 0x34u

/**
 * Access: read, write. Bytes 8 to 11 of the initial counter block T1, first byte in bits 7:0.
 * Reset value 0. May be written at any time: start samples it, so a write affects only later
 * starts.
 */
#define CL_ACCEL_IV2 0x38u

/**
 * Access: read, write. Bytes 12 to 15 of the initial counter block T1, first byte in bits 7:0.
 * Reset value 0. May be written at any time: start samples it, so a write affects only later
 * starts.
 */
#define CL_ACCEL_IV3 0x3cu

/**
 * Access: read, write. Bits 31:0 of the index. The index is added to T1, in the modulus of the
 * option width. Reset value 0. May be written at any time: start samples it, so a write affects
 * only later starts.
 */
#define CL_ACCEL_INDEX_LO 0x40u

/**
 * Access: read, write. Bits 63:32 of the index. Reset value 0. May be written at any time:
 * start samples it, so a write affects only later starts.
 */
#define CL_ACCEL_INDEX_HI 0x44u

/**
 * Access: read, write. Byte address of the data, at any alignment. Reset value 0. May be
 * written at any time: start samples it, so a write affects only later starts.
 */
#define CL_ACCEL_SOURCE 0x48u

/**
 * Access: read, write. Byte address for the result, at any alignment. It may equal source or
 * lie before source. It must not lie inside the source buffer after its first byte. A later
 * descriptor must not read the bytes written here, unless it is ordered. Reset value 0. May be
 * written at any time: start samples it, so a write affects only later starts.
 */
#define CL_ACCEL_DESTINATION 0x4cu

/**
 * Access: read, write. Length of the data in bytes, or in bits with in_bits. 0 is allowed and
 * accesses nothing. Both buffers must be inside an allowed region. Reset value 0. May be
 * written at any time: start samples it, so a write affects only later starts.
 */
#define CL_ACCEL_LENGTH 0x50u

/**
 * Access: read, write. Options of the descriptor. Reset value 0. May be written at any time:
 * start samples it, so a write affects only later starts.
 */
#define CL_ACCEL_OPTIONS 0x54u
#define CL_ACCEL_OPTIONS_SLOT_SHIFT 0u
#define CL_ACCEL_OPTIONS_SLOT_MASK 0xfu
#define CL_ACCEL_OPTIONS_WIDTH_SHIFT 4u
#define CL_ACCEL_OPTIONS_WIDTH_MASK 0x30u
#define CL_ACCEL_OPTIONS_WIDTH_128 0u
#define CL_ACCEL_OPTIONS_WIDTH_64 1u
#define CL_ACCEL_OPTIONS_WIDTH_32 2u
#define CL_ACCEL_OPTIONS_WIDTH_INVALID 3u
#define CL_ACCEL_OPTIONS_IN_BITS_SHIFT 8u
#define CL_ACCEL_OPTIONS_IN_BITS_MASK 0x100u
#define CL_ACCEL_OPTIONS_INTERRUPT_SHIFT 9u
#define CL_ACCEL_OPTIONS_INTERRUPT_MASK 0x200u
#define CL_ACCEL_OPTIONS_ORDERED_SHIFT 10u
#define CL_ACCEL_OPTIONS_ORDERED_MASK 0x400u
#define CL_ACCEL_OPTIONS_MODE_SHIFT 12u
#define CL_ACCEL_OPTIONS_MODE_MASK 0x3000u
#define CL_ACCEL_OPTIONS_MODE_CTR 0u
#define CL_ACCEL_OPTIONS_MODE_ENCRYPT 1u
#define CL_ACCEL_OPTIONS_MODE_DECRYPT 2u
#define CL_ACCEL_OPTIONS_MODE_VERIFY 3u
#define CL_ACCEL_OPTIONS_HASH_IV_SHIFT 14u
#define CL_ACCEL_OPTIONS_HASH_IV_MASK 0x4000u
#define CL_ACCEL_OPTIONS_TAG_LENGTH_SHIFT 16u
#define CL_ACCEL_OPTIONS_TAG_LENGTH_MASK 0x1f0000u

/**
 * Access: read. Number of descriptors submitted since reset, modulo 2^16. This is the number of
 * the next descriptor. Reset value 0.
 */
#define CL_ACCEL_SUBMITTED 0x58u
#define CL_ACCEL_SUBMITTED_BITS 16u

/**
 * Access: read. Number of descriptors that have ended since reset, modulo 2^16. Descriptors end
 * in order: descriptor n has ended when this value is beyond n. Reset value 0.
 */
#define CL_ACCEL_COMPLETED 0x5cu
#define CL_ACCEL_COMPLETED_BITS 16u

/**
 * Access: read. Results of the last 8 descriptors, with the codes of error. The result of
 * descriptor n is in the 4 bits from bit 4 * (n modulo 8). It is valid from the end of
 * descriptor n until descriptor n + 8 ends. Reset value 0.
 */
#define CL_ACCEL_RESULTS 0x60u

/**
 * Access: read. Clock cycles during which a descriptor was outstanding, modulo 2^32. A start
 * while no descriptor is outstanding sets it to 0. Reset value 0.
 */
#define CL_ACCEL_CYCLES 0x64u

/**
 * Access: read. A descriptor with the option interrupt has ended, or abort or zeroize has ended
 * descriptors.
 */
#define CL_ACCEL_EV_STATUS 0x68u
#define CL_ACCEL_EV_STATUS_DONE_SHIFT 0u
#define CL_ACCEL_EV_STATUS_DONE_MASK 0x1u

/**
 * Access: read, write 1 to clear. A descriptor with the option interrupt has ended, or abort or
 * zeroize has ended descriptors.
 */
#define CL_ACCEL_EV_PENDING 0x6cu
#define CL_ACCEL_EV_PENDING_DONE_SHIFT 0u
#define CL_ACCEL_EV_PENDING_DONE_MASK 0x1u

/**
 * Access: read, write. A descriptor with the option interrupt has ended, or abort or zeroize
 * has ended descriptors.
 */
#define CL_ACCEL_EV_ENABLE 0x70u
#define CL_ACCEL_EV_ENABLE_DONE_SHIFT 0u
#define CL_ACCEL_EV_ENABLE_DONE_MASK 0x1u

#define CL_ACCEL_BYTES 0x74u

#endif
