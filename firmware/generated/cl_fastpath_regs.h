/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated from gateware/net/records/peripheral.py; do not edit. */
/**
 * @file
 * Registers of the UDP fast path: byte offsets from its base address; masks, positions and values of fields.
 */
#ifndef CL_FASTPATH_REGS_H
#define CL_FASTPATH_REGS_H

/**
 * Access: read, write. Commands. Writing 1 to a field gives the command; writing 0 does
 * nothing. Reads as last written. A command that is refused sets refused and does nothing else.
 */
#define CL_FASTPATH_CONTROL 0x00u
#define CL_FASTPATH_CONTROL_OPEN_SHIFT 0u
#define CL_FASTPATH_CONTROL_OPEN_MASK 0x1u
#define CL_FASTPATH_CONTROL_CLOSE_SHIFT 1u
#define CL_FASTPATH_CONTROL_CLOSE_MASK 0x2u
#define CL_FASTPATH_CONTROL_LOAD_KEY_SHIFT 2u
#define CL_FASTPATH_CONTROL_LOAD_KEY_MASK 0x4u
#define CL_FASTPATH_CONTROL_CLEAR_KEY_SHIFT 3u
#define CL_FASTPATH_CONTROL_CLEAR_KEY_MASK 0x8u
#define CL_FASTPATH_CONTROL_ZEROIZE_SHIFT 4u
#define CL_FASTPATH_CONTROL_ZEROIZE_MASK 0x10u
#define CL_FASTPATH_CONTROL_READ_STATISTICS_SHIFT 5u
#define CL_FASTPATH_CONTROL_READ_STATISTICS_MASK 0x20u
#define CL_FASTPATH_CONTROL_READ_WINDOW_SHIFT 6u
#define CL_FASTPATH_CONTROL_READ_WINDOW_MASK 0x40u
#define CL_FASTPATH_CONTROL_WRITE_WINDOW_SHIFT 7u
#define CL_FASTPATH_CONTROL_WRITE_WINDOW_MASK 0x80u

/**
 * Access: read. State of the fast path. Reading has no side effect.
 */
#define CL_FASTPATH_STATUS 0x04u
#define CL_FASTPATH_STATUS_BUSY_SHIFT 0u
#define CL_FASTPATH_STATUS_BUSY_MASK 0x1u
#define CL_FASTPATH_STATUS_REFUSED_SHIFT 1u
#define CL_FASTPATH_STATUS_REFUSED_MASK 0x2u
#define CL_FASTPATH_STATUS_WINDOW_BUSY_SHIFT 2u
#define CL_FASTPATH_STATUS_WINDOW_BUSY_MASK 0x4u

/**
 * Access: read, write. IPv4 address for which the hardware answers ARP, ICMP echo and UDP. It
 * differs from the CPU's address. May be written at any time, but datagrams that are being
 * answered then may be lost. Reset value: the board's address.
 */
#define CL_FASTPATH_IP_ADDRESS 0x08u

/**
 * Access: read, write. Session to which commands and the session's registers apply. Reset value
 * 0.
 */
#define CL_FASTPATH_ROW 0x0cu
#define CL_FASTPATH_ROW_BITS 3u

/**
 * Access: write. Number of the session in records. No other open session may have the same
 * number. Write-only: reads as 0. While the session is open or a datagram of it is under way, a
 * write is ignored and sets refused. Cleared by close and by reset.
 */
#define CL_FASTPATH_SESSION 0x10u

/**
 * Access: write. IPv4 address of the peer; 192.168.1.100 is 0xC0A80164. Write-only: reads as 0.
 * While the session is open or a datagram of it is under way, a write is ignored and sets
 * refused. Cleared by close and by reset.
 */
#define CL_FASTPATH_PEER_IP 0x14u

/**
 * Access: write. UDP port of the peer. Write-only: reads as 0. While the session is open or a
 * datagram of it is under way, a write is ignored and sets refused. Cleared by close and by
 * reset.
 */
#define CL_FASTPATH_PEER_PORT 0x18u
#define CL_FASTPATH_PEER_PORT_BITS 16u

/**
 * Access: write. Bits 31:0 of the token. Write-only: reads as 0. While the session is open or a
 * datagram of it is under way, a write is ignored and sets refused. Cleared by close and by
 * reset.
 */
#define CL_FASTPATH_TOKEN_LO 0x1cu

/**
 * Access: write. Bits 63:32 of the token. Write-only: reads as 0. While the session is open or
 * a datagram of it is under way, a write is ignored and sets refused. Cleared by close and by
 * reset.
 */
#define CL_FASTPATH_TOKEN_HI 0x20u

/**
 * Access: write. Bits 31:0 of the limit, an offset in bytes. Records with data that end after
 * it are dropped. Write-only: reads as 0. While the session is open or a datagram of it is
 * under way, a write is ignored and sets refused. Cleared by close and by reset.
 */
#define CL_FASTPATH_LIMIT_LO 0x24u

/**
 * Access: write. Bits 63:32 of the limit. Write-only: reads as 0. While the session is open or
 * a datagram of it is under way, a write is ignored and sets refused. Cleared by close and by
 * reset.
 */
#define CL_FASTPATH_LIMIT_HI 0x28u

/**
 * Access: write. Key slot of the session: a number that key_config can name. Write-only: reads
 * as 0. While the session is open or a datagram of it is under way, a write is ignored and sets
 * refused. Cleared by close and by reset.
 */
#define CL_FASTPATH_SLOT 0x2cu
#define CL_FASTPATH_SLOT_BITS 5u

/**
 * Access: write. Bytes 0 to 3 of the initial counter block T1, first byte in bits 7:0. Write-
 * only: reads as 0. While the session is open or a datagram of it is under way, a write is
 * ignored and sets refused. Cleared by close and by reset.
 */
#define CL_FASTPATH_IV0 0x30u

/**
 * Access: write. Bytes 4 to 7 of the initial counter block T1, first byte in bits 7:0. Write-
 * only: reads as 0. While the session is open or a datagram of it is under way, a write is
 * ignored and sets refused. Cleared by close and by reset.
 */
#define CL_FASTPATH_IV1 0x34u

/**
 * Access: write. Bytes 8 to 11 of the initial counter block T1, first byte in bits 7:0. Write-
 * only: reads as 0. While the session is open or a datagram of it is under way, a write is
 * ignored and sets refused. Cleared by close and by reset.
 */
#define CL_FASTPATH_IV2 0x38u

/**
 * Access: write. Bytes 12 to 15 of the initial counter block T1, first byte in bits 7:0. Write-
 * only: reads as 0. While the session is open or a datagram of it is under way, a write is
 * ignored and sets refused. Cleared by close and by reset.
 */
#define CL_FASTPATH_IV3 0x3cu

/**
 * Access: write. Distance, in 16-byte blocks, from one record of the session to the next; no
 * record is longer. With 0, all are dropped. Write-only: reads as 0. While the session is open
 * or a datagram of it is under way, a write is ignored and sets refused. Cleared by close and
 * by reset.
 */
#define CL_FASTPATH_RECORD_BLOCKS 0x40u
#define CL_FASTPATH_RECORD_BLOCKS_BITS 7u

/**
 * Access: read. Bit n: session n is open. Reset value 0.
 */
#define CL_FASTPATH_OPENED 0x44u
#define CL_FASTPATH_OPENED_BITS 8u

/**
 * Access: read. Bit n: a datagram of session n has been accepted and not yet been encrypted.
 * After close, the bit becomes 0 for good within the time of one datagram.
 */
#define CL_FASTPATH_IN_USE 0x48u
#define CL_FASTPATH_IN_USE_BITS 8u

/**
 * Access: read, write. Record for read_window and write_window, counted from the window's first
 * record. Must not be written while window_busy. Reset value 0.
 */
#define CL_FASTPATH_WINDOW_PLACE 0x4cu
#define CL_FASTPATH_WINDOW_PLACE_BITS 6u

/**
 * Access: read, write. Index of the 16-byte block at which the window begins, a multiple of
 * record_blocks. The 128 records from there on are accepted; a record after the window's 64
 * moves the window. Set by read_window, used by write_window. Must not be written while
 * window_busy. Reset value 0.
 */
#define CL_FASTPATH_WINDOW_BASE 0x50u

/**
 * Access: read, write. 1: the record came. 0: it did not, and its sum is meaningless. Set by
 * read_window, used by write_window. Must not be written while window_busy. Reset value 0.
 */
#define CL_FASTPATH_WINDOW_CAME 0x54u
#define CL_FASTPATH_WINDOW_CAME_BITS 1u

/**
 * Access: read, write. Bits 31:0 of the sum of the record's data. Set by read_window, used by
 * write_window. Must not be written while window_busy. Reset value 0.
 */
#define CL_FASTPATH_WINDOW_SUM_LO 0x58u

/**
 * Access: read, write. Bits 63:32 of the sum of the record's data. Set by read_window, used by
 * write_window. Must not be written while window_busy. Reset value 0.
 */
#define CL_FASTPATH_WINDOW_SUM_HI 0x5cu

/**
 * Access: read, write. Key length and slot for load_key and clear_key. Reset value 0. May be
 * written at any time.
 */
#define CL_FASTPATH_KEY_CONFIG 0x60u
#define CL_FASTPATH_KEY_CONFIG_KEY_LENGTH_SHIFT 0u
#define CL_FASTPATH_KEY_CONFIG_KEY_LENGTH_MASK 0x3u
#define CL_FASTPATH_KEY_CONFIG_KEY_LENGTH_AES_128 0u
#define CL_FASTPATH_KEY_CONFIG_KEY_LENGTH_AES_192 1u
#define CL_FASTPATH_KEY_CONFIG_KEY_LENGTH_AES_256 2u
#define CL_FASTPATH_KEY_CONFIG_KEY_LENGTH_INVALID 3u
#define CL_FASTPATH_KEY_CONFIG_SLOT_SHIFT 4u
#define CL_FASTPATH_KEY_CONFIG_SLOT_MASK 0x70u

/**
 * Access: write. Bytes 0 to 3 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Writes are ignored while busy. Zeroized by reset, load_key and zeroize.
 */
#define CL_FASTPATH_KEY0 0x64u

/**
 * Access: write. Bytes 4 to 7 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Writes are ignored while busy. Zeroized by reset, load_key and zeroize.
 */
#define CL_FASTPATH_KEY1 0x68u

/**
 * Access: write. Bytes 8 to 11 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Writes are ignored while busy. Zeroized by reset, load_key and zeroize.
 */
#define CL_FASTPATH_KEY2 0x6cu

/**
 * Access: write. Bytes 12 to 15 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Writes are ignored while busy. Zeroized by reset, load_key and zeroize.
 */
#define CL_FASTPATH_KEY3 0x70u

/**
 * Access: write. Bytes 16 to 19 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Writes are ignored while busy. Zeroized by reset, load_key and zeroize.
 */
#define CL_FASTPATH_KEY4 0x74u

/**
 * Access: write. Bytes 20 to 23 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Writes are ignored while busy. Zeroized by reset, load_key and zeroize.
 */
#define CL_FASTPATH_KEY5 0x78u

/**
 * Access: write. Bytes 24 to 27 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Writes are ignored while busy. Zeroized by reset, load_key and zeroize.
 */
#define CL_FASTPATH_KEY6 0x7cu

/**
 * Access: write. Bytes 28 to 31 of the key, first byte in bits 7:0. Write-only: reads as 0.
 * Writes are ignored while busy. Zeroized by reset, load_key and zeroize.
 */
#define CL_FASTPATH_KEY7 0x80u

/**
 * Access: read. Bit n: slot n holds a key that may be used. Reset value 0.
 */
#define CL_FASTPATH_KEY_VALID 0x84u
#define CL_FASTPATH_KEY_VALID_BITS 8u

/**
 * Access: read, write. Selects a counter.
 */
#define CL_FASTPATH_EVENT 0x88u
#define CL_FASTPATH_EVENT_CODE_SHIFT 0u
#define CL_FASTPATH_EVENT_CODE_MASK 0x1fu
#define CL_FASTPATH_EVENT_CODE_RECORD 0u
#define CL_FASTPATH_EVENT_CODE_FCS 1u
#define CL_FASTPATH_EVENT_CODE_FRAME_LENGTH 2u
#define CL_FASTPATH_EVENT_CODE_IPV4 3u
#define CL_FASTPATH_EVENT_CODE_CHECKSUM 4u
#define CL_FASTPATH_EVENT_CODE_SOURCE 5u
#define CL_FASTPATH_EVENT_CODE_UNSERVED 6u
#define CL_FASTPATH_EVENT_CODE_RECEIVE_OVERFLOW 7u
#define CL_FASTPATH_EVENT_CODE_HEADER 8u
#define CL_FASTPATH_EVENT_CODE_VERSION 9u
#define CL_FASTPATH_EVENT_CODE_TYPE 10u
#define CL_FASTPATH_EVENT_CODE_LENGTH 11u
#define CL_FASTPATH_EVENT_CODE_OFFSET 12u
#define CL_FASTPATH_EVENT_CODE_SESSION 13u
#define CL_FASTPATH_EVENT_CODE_PEER 14u
#define CL_FASTPATH_EVENT_CODE_TOKEN 15u
#define CL_FASTPATH_EVENT_CODE_LIMIT 16u
#define CL_FASTPATH_EVENT_CODE_WINDOW 17u
#define CL_FASTPATH_EVENT_CODE_KEY 18u
#define CL_FASTPATH_EVENT_CODE_TRANSMIT_OVERFLOW 19u
#define CL_FASTPATH_EVENT_CODE_OTHER_DATA 20u
#define CL_FASTPATH_EVENT_CODE_ECHO 21u

/**
 * Access: read. The selected counter, modulo 2^32. It counts from power-on and is never
 * cleared.
 */
#define CL_FASTPATH_EVENT_COUNT 0x8cu

/**
 * Access: read. Bits 31:0 of the number of data bytes in the session's answered records. Value
 * at the last read_statistics.
 */
#define CL_FASTPATH_BYTES_LO 0x90u

/**
 * Access: read. Bits 63:32 of the number of data bytes. Value at the last read_statistics.
 */
#define CL_FASTPATH_BYTES_HI 0x94u

/**
 * Access: read. Bits 31:0 of the number of 16-byte blocks in these records; a partial block
 * counts as one. Value at the last read_statistics.
 */
#define CL_FASTPATH_BLOCKS_LO 0x98u

/**
 * Access: read. Bits 63:32 of the number of 16-byte blocks. Value at the last read_statistics.
 */
#define CL_FASTPATH_BLOCKS_HI 0x9cu

/**
 * Access: read. Number of answered records, modulo 2^32. Value at the last read_statistics.
 */
#define CL_FASTPATH_RECORDS 0xa0u

#define CL_FASTPATH_BYTES 0xa4u

#endif
