/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated from wire.toml by gateware/codegen/wire.py: do not edit. */
#ifndef CL_WIRE_H
#define CL_WIRE_H

#include <stdint.h>
#include <string.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "structures are laid out as on the wire, which is little-endian"
#endif

/** Version of this layout. */
#define CL_WIRE_VERSION 3u

/** UDP port of the record service. */
#define CL_WIRE_UDP_PORT 20197u

/* Record types; the reply to type T has type T + CL_WIRE_REPLY. */
#define CL_WIRE_REPLY 0x80u

/** Requests the board's identity, clock, limits and engines. */
#define CL_WIRE_TYPE_INFO 0x01u

/**
 * Opens a session, which owns a range of counter blocks under its key; the reply's header
 * contains its number. The board refuses a range that overlaps a range used or owned under the
 * same key in this power cycle, in either direction. A repeated request with the same token and
 * data returns the same session. A session ends by itself, as if closed, when none of its
 * records has come for 30 seconds of the board's time, at most 4 seconds later. On a simulated
 * board both times are shorter: an eighth of a simulated second, and an eighth of that.
 */
#define CL_WIRE_TYPE_OPEN 0x02u

/**
 * Data to encrypt or decrypt; the reply carries the result at the same offset. A counter block
 * serves one record. The board remembers length and checksum of the last window records, up to
 * the highest so far. So a repeated record is answered again, and different data are refused.
 * Within the window, records may arrive in any order. A later record moves the window. A record
 * before the window, or more than a window after its last record, is refused.
 */
#define CL_WIRE_TYPE_DATA 0x03u

/**
 * Ends a session and zeroizes its key. Closing a session that is already closed succeeds. The
 * board remembers the used part of its range until power is cycled, and its window until other
 * sessions need the space.
 */
#define CL_WIRE_TYPE_CLOSE 0x04u

/**
 * Counters of a session so far. Tags do not count as data. Once another peer has had a session
 * at the same time, all cycles are 0 until the session ends, because they would reveal
 * something about the other key.
 */
#define CL_WIRE_TYPE_STAT 0x05u

/**
 * Runs an engine from memory to memory on the board, without transport, for a few milliseconds
 * at most. If the reply's bytes are fewer than total_bytes, ask again for the rest. Refused as
 * busy while another peer has a session open. Dropped on a network if frames have been waiting
 * since the last bench, selftest or mac.
 */
#define CL_WIRE_TYPE_BENCH 0x06u

/**
 * Runs the known-answer tests of one engine in one mode: of FIPS-197 and SP 800-38A in CTR, of
 * the GCM specification in GCM. Refused as busy, and dropped, under the same conditions as
 * bench.
 */
#define CL_WIRE_TYPE_SELFTEST 0x07u

/**
 * Closes every session that was opened from the same peer with the token of this record, and
 * zeroizes their keys.
 */
#define CL_WIRE_TYPE_RESET 0x08u

/** Counters of the link since power-on. */
#define CL_WIRE_TYPE_COUNTERS 0x09u

/**
 * Counters of the board's Ethernet since power-on, and the cycles there for records of the
 * session that the header names; sums are modulo 2^32 or 2^64. All cycles are 0 outside a
 * session, and in a session during which another peer had one; see stat. Refused as unknown on
 * a board or link without Ethernet.
 */
#define CL_WIRE_TYPE_NETWORK 0x0au

/**
 * The address at which the engine fastpath takes the data records of its sessions, and counters
 * of the frames for that address since power-on. Each frame counts once, for the first cause in
 * this order; dropped frames are not answered. Sums are modulo 2^32. Refused as unknown on a
 * board or link without a fast path.
 */
#define CL_WIRE_TYPE_FASTPATH 0x0bu

/**
 * Computes the AES-CMAC (SP 800-38B) of a message with one engine. If the message begins with
 * COUNT, BEARER, DIRECTION and 26 zeros (64 bits), the first 32 bits of the MAC are 128-EIA2
 * (TS 33.401, B.2.3). The message follows the fields of the request, padded by the host to
 * whole blocks, at least one (6.2, step 4). Fields and message together have at most max_data
 * bytes. Key and message are zeroized when the reply is complete. Refused as busy, and dropped,
 * under the same conditions as bench.
 */
#define CL_WIRE_TYPE_MAC 0x0cu

/**
 * Requests the loader's identity, the reason for the last reset, and the contents of the code
 * memory. The loader then waits for further requests.
 */
#define CL_WIRE_TYPE_LOADER 0x0du

/**
 * Begins an image: the image in the code memory becomes invalid. Refused as image if the header
 * does not fit this gateware and memory; then nothing is changed.
 */
#define CL_WIRE_TYPE_LOAD_BEGIN 0x0eu

/**
 * A part of the image. Its position, counted from the end of the image's header, is the offset
 * in the record's header, a multiple of 16. Refused before load_begin.
 */
#define CL_WIRE_TYPE_LOAD_DATA 0x0fu

/**
 * Writes the header of the loaded image, checks the image in the code memory, and starts it.
 * Without load_begin, it checks and starts the image that is there. Refused as image if the
 * image is not complete; then nothing is started.
 */
#define CL_WIRE_TYPE_LOAD_START 0x10u

/**
 * The last record of a GCM session's stream; see GCM sessions. In CTR sessions, its type is
 * refused.
 */
#define CL_WIRE_TYPE_DATA_LAST 0x11u

/**
 * State of the board's SecY (MACsec, IEEE 802.1AE) and its counters since power-on. Refused as
 * unknown on a board without a SecY.
 */
#define CL_WIRE_TYPE_MACSEC 0x12u

/**
 * Installs static MACsec keys, or turns MACsec off. The new association protects all frames to
 * send from then on; older associations still receive. Frames without MACsec are dropped,
 * except EAPOL. Another peer's SCI removes all associations first. A transmit key that the
 * board remembers from this power cycle is refused as reused, because packet numbers begin at
 * 1; the board remembers the last 16. Refused as unknown on a board without a SecY, and over a
 * network.
 */
#define CL_WIRE_TYPE_PROTECT 0x13u

/**
 * Starts key agreement (MKA, IEEE 802.1X-2020) with a pre-shared CAK. No frame passes until the
 * peer has agreed on a key, except EAPOL. `protect` turns it off. Refused as unknown on a board
 * without a SecY, and over a network.
 */
#define CL_WIRE_TYPE_AGREE 0x14u

/** Reports that a request was not carried out, and the reason. */
#define CL_WIRE_TYPE_ERROR 0xffu

/* Codes of an error reply. */

/** The record is of another layout version; detail is the board's. */
#define CL_WIRE_ERROR_VERSION 1u

/** The record type is unknown; detail is the type. */
#define CL_WIRE_ERROR_TYPE 2u

/**
 * The length does not fit the record type; detail is the length expected, or the most allowed.
 */
#define CL_WIRE_ERROR_LENGTH 3u

/** No such session: it was closed, or never opened; or the token is not the session's. */
#define CL_WIRE_ERROR_SESSION 4u

/**
 * The offset is not a multiple of the session's record_bytes, the record is longer than that,
 * or its data end after the session's length; or, in GCM, it contradicts an accepted record
 * about which one is the last. detail is record_bytes.
 */
#define CL_WIRE_ERROR_OFFSET 5u

/** The key length is not 128, 192 or 256; detail is the value. */
#define CL_WIRE_ERROR_KEY_BITS 6u

/**
 * The engine is not present on this board, or not allowed for this request; detail is its code.
 */
#define CL_WIRE_ERROR_ENGINE 7u

/** All sessions are in use; detail is how many there are. */
#define CL_WIRE_ERROR_SESSIONS_FULL 8u

/**
 * Counter blocks of this range were used, or are owned by another session, under this key in
 * this power cycle. Or the board had this MACsec key before.
 */
#define CL_WIRE_ERROR_REUSED 9u

/** The engine reported a fault or did not finish in time; detail is its status. */
#define CL_WIRE_ERROR_HARDWARE 10u

/** A field has a value that is not allowed; detail is the value. */
#define CL_WIRE_ERROR_VALUE 11u

/**
 * The session's data records go to the address that record fastpath gives; detail is the
 * session's engine.
 */
#define CL_WIRE_ERROR_ELSEWHERE 12u

/**
 * The board can remember no more ranges of counter blocks, and forgets none before a power
 * cycle; detail is how many it holds.
 */
#define CL_WIRE_ERROR_RANGES_FULL 13u

/**
 * The board has no random source, or it failed its health test: no initial counter block can be
 * drawn; detail is its status.
 */
#define CL_WIRE_ERROR_RANDOM 14u

/**
 * The ticket does not belong to a range with this key, initial counter block and record_bytes,
 * or the board no longer remembers the range's window.
 */
#define CL_WIRE_ERROR_TICKET 15u

/**
 * The record lies before the window, or more than a window after its last record; detail is the
 * window in records.
 */
#define CL_WIRE_ERROR_WINDOW 16u

/** Other data came for these counter blocks before: only the same record is answered again. */
#define CL_WIRE_ERROR_OTHER_DATA 17u

/**
 * Another peer has a session open, and the request would take the board's time from it; detail
 * is the number of such sessions.
 */
#define CL_WIRE_ERROR_BUSY 18u

/** The firmware image is not one that can be started here; detail is its state. */
#define CL_WIRE_ERROR_IMAGE 19u

/** The board is in its loader, which runs no firmware; detail is why it was reset. */
#define CL_WIRE_ERROR_LOADING 20u

/**
 * The tag of a record in GCM is wrong: the record was changed, or belongs to another place,
 * stream or key. Nothing of it is released; detail is the session's number of such records.
 */
#define CL_WIRE_ERROR_TAG 21u

/* What answers: a board, its simulation, or a program on the host. */

/** Hardware board. */
#define CL_WIRE_KIND_BOARD 0u

/** Simulated board. */
#define CL_WIRE_KIND_SIM 1u

/** Null board, a program on the host. */
#define CL_WIRE_KIND_NULL 2u

/* Flags of open. */

/** The session continues in the range that ticket names. */
#define CL_WIRE_FLAG_RESUME 1u

/** The board draws the initial counter block. */
#define CL_WIRE_FLAG_DRAW 2u

/** The session is in GCM. */
#define CL_WIRE_FLAG_GCM 4u

/* Modes. */

/**
 * AES-CTR (SP 800-38A); for the engine snow3g, its own stream cipher. It hides data but does
 * not detect changes.
 */
#define CL_WIRE_MODE_CTR 0u

/** AES-GCM (SP 800-38D), in records of one message each. */
#define CL_WIRE_MODE_GCM 1u

/* Cipher suites of MACsec. */

/** GCM-AES-128. */
#define CL_WIRE_SUITE_GCM_AES_128 0u

/** GCM-AES-256. */
#define CL_WIRE_SUITE_GCM_AES_256 1u

/* State of a code memory. */

/** It can be started. */
#define CL_WIRE_IMAGE_STATE_WHOLE 0u

/** There is no image, or only a part of one. */
#define CL_WIRE_IMAGE_STATE_NONE 1u

/** It is for another memory: its origin, or its length. */
#define CL_WIRE_IMAGE_STATE_LAYOUT 2u

/** It was built for other gateware. */
#define CL_WIRE_IMAGE_STATE_GATEWARE 3u

/** Its CRC-32 is wrong. */
#define CL_WIRE_IMAGE_STATE_DAMAGED 4u

/* Why a board with a loader was reset. */

/** Power came on, or the reset button was pressed. */
#define CL_WIRE_CAUSE_POWER 0u

/** The firmware did not feed the watchdog. */
#define CL_WIRE_CAUSE_WATCHDOG 1u

/** The firmware asked for it, as it does on a trap. */
#define CL_WIRE_CAUSE_FIRMWARE 2u

/** There was a break on the UART's line. */
#define CL_WIRE_CAUSE_BREAK 3u

/* Engines. */

/** Byte-oriented C (Rijndael's own form), S-box table of 256 bytes. */
#define CL_WIRE_ENGINE_BYTE 0u

/** Table-based C: four tables of 1 KB combine SubBytes, ShiftRows and MixColumns. */
#define CL_WIRE_ENGINE_TABLE 1u

/**
 * Vector AES unit with the paper's seven instructions, two for each round; scalar loads and
 * stores.
 */
#define CL_WIRE_ENGINE_ISE 2u

/** AES-CTR accelerator with its own DMA. */
#define CL_WIRE_ENGINE_ACCELERATOR 3u

/** Vector AES unit with one instruction for each round; scalar loads and stores. */
#define CL_WIRE_ENGINE_ISE_FUSED 4u

/** Vector AES unit with one instruction for each round, and vector loads and stores. */
#define CL_WIRE_ENGINE_ISE_VMEM 5u

/**
 * Scalar AES instructions of RISC-V Zkne on the CFU port instead of the vector unit, for
 * comparison.
 */
#define CL_WIRE_ENGINE_ZKN 6u

/**
 * UDP fast path: hardware that receives data records from the network at its own address,
 * processes them with AES-CTR and sends the results.
 */
#define CL_WIRE_ENGINE_FASTPATH 7u

/**
 * SNOW 3G accelerator with its own DMA: 128-EEA1 (TS 33.401, B.1.2), with the keystream
 * numbered in counter blocks COUNT || BEARER || DIRECTION || 0^26 || block number, at most
 * 65535; keys of 128 bits.
 */
#define CL_WIRE_ENGINE_SNOW3G 8u

static inline uint16_t cl_load_u16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t cl_load_u32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t cl_load_u64(const uint8_t *p)
{
	return cl_load_u32(p) | (uint64_t)cl_load_u32(p + 4) << 32;
}

static inline void cl_store_u16(uint8_t *p, uint16_t value)
{
	p[0] = (uint8_t)value;
	p[1] = (uint8_t)(value >> 8);
}

static inline void cl_store_u32(uint8_t *p, uint32_t value)
{
	cl_store_u16(p, (uint16_t)value);
	cl_store_u16(p + 2, (uint16_t)(value >> 16));
}

static inline void cl_store_u64(uint8_t *p, uint64_t value)
{
	cl_store_u32(p, (uint32_t)value);
	cl_store_u32(p + 4, (uint32_t)(value >> 32));
}

#define CL_WIRE_HEADER_VERSION 0u
#define CL_WIRE_HEADER_TYPE 1u
#define CL_WIRE_HEADER_LENGTH 2u
#define CL_WIRE_HEADER_SESSION 4u
#define CL_WIRE_HEADER_OFFSET 8u
#define CL_WIRE_HEADER_TOKEN 16u
#define CL_WIRE_HEADER_SIZE 24u

/** Precedes every record; its size is a multiple of 4 and every field is naturally aligned. */
struct cl_wire_header {
	/** Version of this layout. */
	uint8_t version;
	/** Record type; replies have bit 7 set. */
	uint8_t type;
	/** Bytes of data that follow the header. */
	uint16_t length;
	/** Number of the session, from the board's reply to open; 0 outside a session. */
	uint32_t session;
	/** Byte offset of the data in the session's stream; a multiple of 16. */
	uint64_t offset;
	/**
	 * Random value chosen by the host at open, repeated in every record of the session;
	 * replies echo the request's.
	 */
	uint64_t token;
};
_Static_assert(sizeof(struct cl_wire_header) == CL_WIRE_HEADER_SIZE, "as on the wire");

static inline void cl_wire_get_header(struct cl_wire_header *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_HEADER_SIZE);
}

static inline void cl_wire_put_header(uint8_t *to, const struct cl_wire_header *from)
{
	memcpy(to, from, CL_WIRE_HEADER_SIZE);
}

#define CL_WIRE_IMAGE_MAGIC 0u
#define CL_WIRE_IMAGE_LENGTH 4u
#define CL_WIRE_IMAGE_ORIGIN 8u
#define CL_WIRE_IMAGE_BUILD_ID 12u
#define CL_WIRE_IMAGE_CRC 28u
#define CL_WIRE_IMAGE_SIZE 32u

/**
 * Precedes firmware in the code memory, and in the file that `cipherlane load` takes. The
 * firmware follows it.
 */
struct cl_wire_image {
	/** 0x57464C43, the bytes CLFW. */
	uint32_t magic;
	/** Bytes of the firmware; a multiple of 4. */
	uint32_t length;
	/** Address of this header that the firmware was linked for. */
	uint32_t origin;
	/** As in info: for the gateware that it was built for, then for the firmware. */
	uint8_t build_id[16];
	/** CRC-32, as for records, over the fields before it and the firmware. */
	uint32_t crc;
};
_Static_assert(sizeof(struct cl_wire_image) == CL_WIRE_IMAGE_SIZE, "as on the wire");

static inline void cl_wire_get_image(struct cl_wire_image *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_IMAGE_SIZE);
}

static inline void cl_wire_put_image(uint8_t *to, const struct cl_wire_image *from)
{
	memcpy(to, from, CL_WIRE_IMAGE_SIZE);
}

#define CL_WIRE_INFO_REPLY_MAGIC 0u
#define CL_WIRE_INFO_REPLY_KIND 4u
#define CL_WIRE_INFO_REPLY_MAX_SESSIONS 5u
#define CL_WIRE_INFO_REPLY_MAX_DATA 6u
#define CL_WIRE_INFO_REPLY_FIRMWARE_VERSION 8u
#define CL_WIRE_INFO_REPLY_CLOCK_HZ 12u
#define CL_WIRE_INFO_REPLY_RX_WINDOW 16u
#define CL_WIRE_INFO_REPLY_ENGINES 20u
#define CL_WIRE_INFO_REPLY_BENCH_BYTES 24u
#define CL_WIRE_INFO_REPLY_RANGES 28u
#define CL_WIRE_INFO_REPLY_RANGES_FREE 30u
#define CL_WIRE_INFO_REPLY_MODES 32u
#define CL_WIRE_INFO_REPLY_GCM_ENGINES 36u
#define CL_WIRE_INFO_REPLY_BOARD 40u
#define CL_WIRE_INFO_REPLY_FIRMWARE 56u
#define CL_WIRE_INFO_REPLY_BUILD_ID 72u
#define CL_WIRE_INFO_REPLY_SIZE 88u

/** The reply of record type info, after the header. */
struct cl_wire_info_reply {
	/** 0x454E4C43, the bytes CLNE. */
	uint32_t magic;
	/** 0: hardware board; 1: simulated board; 2: null board, a program on the host. */
	uint8_t kind;
	/** Sessions that can be open at once. */
	uint8_t max_sessions;
	/** Most data bytes a record may carry; a multiple of 16. */
	uint16_t max_data;
	/** major << 16 | minor << 8 | patch. */
	uint32_t firmware_version;
	/** Frequency in Hz of the clock that counts cycles. */
	uint32_t clock_hz;
	/**
	 * Bytes that the board can hold on receive: the host keeps at most this many in flight,
	 * including framing.
	 */
	uint32_t rx_window;
	/** Engines present: bit N stands for the engine of code N. */
	uint32_t engines;
	/** Size in bytes of the buffer that bench processes. */
	uint32_t bench_bytes;
	/** Ranges of counter blocks that the board can remember. */
	uint16_t ranges;
	/** Number of these ranges that are still free in this power cycle. */
	uint16_t ranges_free;
	/** Modes of sessions: bit N stands for the mode of code N. */
	uint32_t modes;
	/** Engines that sessions in GCM can use: bit N stands for the engine of code N. */
	uint32_t gcm_engines;
	/** Name of the board, ASCII, padded with zeros. */
	uint8_t board[16];
	/**
	 * Port of the firmware (baremetal, zephyr), ASCII, padded with zeros. A suffix `, SDR`
	 * or `, DDR3` means that record data are in SDRAM of this type. `SDRAM: ` and a reason,
	 * instead of the port, mean that the SDRAM does not work and is not used.
	 */
	uint8_t firmware[16];
	/**
	 * Identity of the build: the first 8 bytes of a SHA-256 for the gateware, then 8 bytes
	 * for the firmware. Zeros, or the text `cipherlane build`, if no build flow has written
	 * it.
	 */
	uint8_t build_id[16];
};
_Static_assert(sizeof(struct cl_wire_info_reply) == CL_WIRE_INFO_REPLY_SIZE, "as on the wire");

static inline void cl_wire_get_info_reply(struct cl_wire_info_reply *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_INFO_REPLY_SIZE);
}

static inline void cl_wire_put_info_reply(uint8_t *to, const struct cl_wire_info_reply *from)
{
	memcpy(to, from, CL_WIRE_INFO_REPLY_SIZE);
}

#define CL_WIRE_OPEN_REQUEST_KEY_BITS 0u
#define CL_WIRE_OPEN_REQUEST_ENGINE 2u
#define CL_WIRE_OPEN_REQUEST_DIRECTION 3u
#define CL_WIRE_OPEN_REQUEST_FLAGS 4u
#define CL_WIRE_OPEN_REQUEST_LENGTH 8u
#define CL_WIRE_OPEN_REQUEST_RECORD_BYTES 16u
#define CL_WIRE_OPEN_REQUEST_RESERVED 20u
#define CL_WIRE_OPEN_REQUEST_TICKET 24u
#define CL_WIRE_OPEN_REQUEST_IV 32u
#define CL_WIRE_OPEN_REQUEST_KEY 48u
#define CL_WIRE_OPEN_REQUEST_SIZE 80u

/** The request of record type open, after the header. */
struct cl_wire_open_request {
	/** 128, 192 or 256. */
	uint16_t key_bits;
	/** Code of the engine that serves the session. */
	uint8_t engine;
	/** 0: encrypt; 1: decrypt. */
	uint8_t direction;
	/**
	 * Bit 0, resume: the session continues in the range that ticket names; a session that
	 * still owns the range is ended first. Bit 1, draw: the board draws the initial counter
	 * block, 96 random bits followed by 32 zeros; iv is then the host's contribution to the
	 * random bits. Bit 2, gcm: the session is in GCM (see GCM sessions).
	 */
	uint32_t flags;
	/**
	 * Bytes of the stream, 1 to 2^36. The session's range is ceil(length / 16) counter
	 * blocks, starting at the initial one, and no record may end after it. At close, the
	 * range shrinks to the blocks used. In GCM, the most bytes of plaintext, 0 to 2^36.
	 */
	uint64_t length;
	/**
	 * Record N of the stream begins at byte offset N x record_bytes and is no longer. A
	 * multiple of 16, at most the max_data of the address that receives the records. In
	 * GCM, bytes of plaintext, at most max_data - 16.
	 */
	uint32_t record_bytes;
	/** 0. */
	uint32_t reserved;
	/**
	 * With resume: the board's ticket for the range; mode, key, initial counter block and
	 * record_bytes must be the same as before. Otherwise 0.
	 */
	uint64_t ticket;
	/**
	 * Initial counter block T1 (SP 800-38A, 6.5); block n uses T1 + n modulo 2^128. With
	 * draw: random bytes from the host. In GCM without draw: the nonce prefix, 8 bytes,
	 * then 8 zeros.
	 */
	uint8_t iv[16];
	/** The key, first byte first, padded with zeros. */
	uint8_t key[32];
};
_Static_assert(sizeof(struct cl_wire_open_request) == CL_WIRE_OPEN_REQUEST_SIZE, "as on the wire");

static inline void cl_wire_get_open_request(struct cl_wire_open_request *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_OPEN_REQUEST_SIZE);
}

static inline void cl_wire_put_open_request(uint8_t *to, const struct cl_wire_open_request *from)
{
	memcpy(to, from, CL_WIRE_OPEN_REQUEST_SIZE);
}

#define CL_WIRE_OPEN_REPLY_IV 0u
#define CL_WIRE_OPEN_REPLY_TICKET 16u
#define CL_WIRE_OPEN_REPLY_FIRST 24u
#define CL_WIRE_OPEN_REPLY_WINDOW 32u
#define CL_WIRE_OPEN_REPLY_RESERVED 36u
#define CL_WIRE_OPEN_REPLY_SIZE 40u

/** The reply of record type open, after the header. */
struct cl_wire_open_reply {
	/**
	 * Initial counter block of the session, or in GCM the nonce prefix and 8 zeros, from
	 * the request or drawn by the board.
	 */
	uint8_t iv[16];
	/** Ticket that resumes the range in this power cycle, after the session has ended. */
	uint64_t ticket;
	/**
	 * Byte offset of the lowest record that is still answered: 0, or the beginning of the
	 * window of a resumed range.
	 */
	uint64_t first;
	/** Number of records for which the board remembers checksums; see data. */
	uint32_t window;
	/** 0. */
	uint32_t reserved;
};
_Static_assert(sizeof(struct cl_wire_open_reply) == CL_WIRE_OPEN_REPLY_SIZE, "as on the wire");

static inline void cl_wire_get_open_reply(struct cl_wire_open_reply *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_OPEN_REPLY_SIZE);
}

static inline void cl_wire_put_open_reply(uint8_t *to, const struct cl_wire_open_reply *from)
{
	memcpy(to, from, CL_WIRE_OPEN_REPLY_SIZE);
}

#define CL_WIRE_STAT_REPLY_BYTES 0u
#define CL_WIRE_STAT_REPLY_BLOCKS 8u
#define CL_WIRE_STAT_REPLY_CYCLES 16u
#define CL_WIRE_STAT_REPLY_KEY_CYCLES 24u
#define CL_WIRE_STAT_REPLY_RECORDS 32u
#define CL_WIRE_STAT_REPLY_TAG_ERRORS 36u
#define CL_WIRE_STAT_REPLY_SIZE 40u

/** The reply of record type stat, after the header. */
struct cl_wire_stat_reply {
	/** Data bytes processed, including repeated records. */
	uint64_t bytes;
	/** 16-byte blocks processed; a partial block counts as one. */
	uint64_t blocks;
	/**
	 * Clock cycles spent in the engine for these bytes, including cache maintenance; 0 for
	 * the engine fastpath, which does not count cycles.
	 */
	uint64_t cycles;
	/** Clock cycles of the key schedule at open. */
	uint64_t key_cycles;
	/** Data records processed. */
	uint32_t records;
	/** Records of a GCM session that were refused because of their tag. */
	uint32_t tag_errors;
};
_Static_assert(sizeof(struct cl_wire_stat_reply) == CL_WIRE_STAT_REPLY_SIZE, "as on the wire");

static inline void cl_wire_get_stat_reply(struct cl_wire_stat_reply *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_STAT_REPLY_SIZE);
}

static inline void cl_wire_put_stat_reply(uint8_t *to, const struct cl_wire_stat_reply *from)
{
	memcpy(to, from, CL_WIRE_STAT_REPLY_SIZE);
}

#define CL_WIRE_BENCH_REQUEST_ENGINE 0u
#define CL_WIRE_BENCH_REQUEST_DIRECTION 1u
#define CL_WIRE_BENCH_REQUEST_KEY_BITS 2u
#define CL_WIRE_BENCH_REQUEST_RECORD_BYTES 4u
#define CL_WIRE_BENCH_REQUEST_TOTAL_BYTES 8u
#define CL_WIRE_BENCH_REQUEST_MODE 12u
#define CL_WIRE_BENCH_REQUEST_SIZE 16u

/** The request of record type bench, after the header. */
struct cl_wire_bench_request {
	/** Code of the engine. */
	uint8_t engine;
	/** 0: encrypt; 1: decrypt. */
	uint8_t direction;
	/** 128, 192 or 256. */
	uint16_t key_bits;
	/** Bytes of each call of the engine, 1 to bench_bytes. */
	uint32_t record_bytes;
	/**
	 * Bytes in all; the engine passes over the buffer repeatedly if the buffer is smaller.
	 */
	uint32_t total_bytes;
	/** Code of the mode. In GCM, each call is one message without additional data. */
	uint32_t mode;
};
_Static_assert(sizeof(struct cl_wire_bench_request) == CL_WIRE_BENCH_REQUEST_SIZE, "as on the wire");

static inline void cl_wire_get_bench_request(struct cl_wire_bench_request *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_BENCH_REQUEST_SIZE);
}

static inline void cl_wire_put_bench_request(uint8_t *to, const struct cl_wire_bench_request *from)
{
	memcpy(to, from, CL_WIRE_BENCH_REQUEST_SIZE);
}

#define CL_WIRE_BENCH_REPLY_BYTES 0u
#define CL_WIRE_BENCH_REPLY_BLOCKS 8u
#define CL_WIRE_BENCH_REPLY_CYCLES 16u
#define CL_WIRE_BENCH_REPLY_KEY_CYCLES 24u
#define CL_WIRE_BENCH_REPLY_SIZE 32u

/** The reply of record type bench, after the header. */
struct cl_wire_bench_reply {
	/** Bytes processed. */
	uint64_t bytes;
	/** Blocks processed. */
	uint64_t blocks;
	/** Clock cycles spent in the engine. */
	uint64_t cycles;
	/** Clock cycles of one key schedule. */
	uint64_t key_cycles;
};
_Static_assert(sizeof(struct cl_wire_bench_reply) == CL_WIRE_BENCH_REPLY_SIZE, "as on the wire");

static inline void cl_wire_get_bench_reply(struct cl_wire_bench_reply *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_BENCH_REPLY_SIZE);
}

static inline void cl_wire_put_bench_reply(uint8_t *to, const struct cl_wire_bench_reply *from)
{
	memcpy(to, from, CL_WIRE_BENCH_REPLY_SIZE);
}

#define CL_WIRE_SELFTEST_REQUEST_ENGINE 0u
#define CL_WIRE_SELFTEST_REQUEST_MODE 4u
#define CL_WIRE_SELFTEST_REQUEST_SIZE 8u

/** The request of record type selftest, after the header. */
struct cl_wire_selftest_request {
	/** Code of the engine. */
	uint32_t engine;
	/** Code of the mode. */
	uint32_t mode;
};
_Static_assert(sizeof(struct cl_wire_selftest_request) == CL_WIRE_SELFTEST_REQUEST_SIZE, "as on the wire");

static inline void cl_wire_get_selftest_request(struct cl_wire_selftest_request *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_SELFTEST_REQUEST_SIZE);
}

static inline void cl_wire_put_selftest_request(uint8_t *to, const struct cl_wire_selftest_request *from)
{
	memcpy(to, from, CL_WIRE_SELFTEST_REQUEST_SIZE);
}

#define CL_WIRE_SELFTEST_REPLY_TESTS 0u
#define CL_WIRE_SELFTEST_REPLY_FAILED 4u
#define CL_WIRE_SELFTEST_REPLY_RESERVED 8u
#define CL_WIRE_SELFTEST_REPLY_SIZE 12u

/** The reply of record type selftest, after the header. */
struct cl_wire_selftest_reply {
	/** Tests run. */
	uint32_t tests;
	/** Tests failed. */
	uint32_t failed;
	/** 0. */
	uint32_t reserved;
};
_Static_assert(sizeof(struct cl_wire_selftest_reply) == CL_WIRE_SELFTEST_REPLY_SIZE, "as on the wire");

static inline void cl_wire_get_selftest_reply(struct cl_wire_selftest_reply *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_SELFTEST_REPLY_SIZE);
}

static inline void cl_wire_put_selftest_reply(uint8_t *to, const struct cl_wire_selftest_reply *from)
{
	memcpy(to, from, CL_WIRE_SELFTEST_REPLY_SIZE);
}

#define CL_WIRE_COUNTERS_REPLY_RECEIVED 0u
#define CL_WIRE_COUNTERS_REPLY_FRAMING_ERRORS 4u
#define CL_WIRE_COUNTERS_REPLY_CRC_ERRORS 8u
#define CL_WIRE_COUNTERS_REPLY_LENGTH_ERRORS 12u
#define CL_WIRE_COUNTERS_REPLY_REJECTED 16u
#define CL_WIRE_COUNTERS_REPLY_SESSIONS_OPENED 20u
#define CL_WIRE_COUNTERS_REPLY_SIZE 24u

/** The reply of record type counters, after the header. */
struct cl_wire_counters_reply {
	/** Records accepted. */
	uint32_t received;
	/** Frames that were not COBS, or too short or too long. */
	uint32_t framing_errors;
	/** Frames whose CRC-32 was wrong. */
	uint32_t crc_errors;
	/** Records whose length field did not match the frame. */
	uint32_t length_errors;
	/**
	 * Records answered with an error, or dropped because they exceeded a budget of cycles.
	 */
	uint32_t rejected;
	/** Sessions opened. */
	uint32_t sessions_opened;
};
_Static_assert(sizeof(struct cl_wire_counters_reply) == CL_WIRE_COUNTERS_REPLY_SIZE, "as on the wire");

static inline void cl_wire_get_counters_reply(struct cl_wire_counters_reply *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_COUNTERS_REPLY_SIZE);
}

static inline void cl_wire_put_counters_reply(uint8_t *to, const struct cl_wire_counters_reply *from)
{
	memcpy(to, from, CL_WIRE_COUNTERS_REPLY_SIZE);
}

#define CL_WIRE_NETWORK_REPLY_CYCLES 0u
#define CL_WIRE_NETWORK_REPLY_DRIVER_CYCLES 8u
#define CL_WIRE_NETWORK_REPLY_COPY_CYCLES 16u
#define CL_WIRE_NETWORK_REPLY_STACK_CYCLES 24u
#define CL_WIRE_NETWORK_REPLY_RECORD_CYCLES 32u
#define CL_WIRE_NETWORK_REPLY_ENGINE_CYCLES 40u
#define CL_WIRE_NETWORK_REPLY_FRAMES 48u
#define CL_WIRE_NETWORK_REPLY_RECORDS 52u
#define CL_WIRE_NETWORK_REPLY_RESPONSES 56u
#define CL_WIRE_NETWORK_REPLY_IGNORED 60u
#define CL_WIRE_NETWORK_REPLY_MALFORMED 64u
#define CL_WIRE_NETWORK_REPLY_CHECKSUM_ERRORS 68u
#define CL_WIRE_NETWORK_REPLY_FCS_ERRORS 72u
#define CL_WIRE_NETWORK_REPLY_OVERFLOWS 76u
#define CL_WIRE_NETWORK_REPLY_SIZE 80u

/** The reply of record type network, after the header. */
struct cl_wire_network_reply {
	/** Clock cycles since the session was opened. */
	uint64_t cycles;
	/** Cycles spent on the MAC's registers for frames that carried a record. */
	uint64_t driver_cycles;
	/**
	 * Cycles spent on copies between the MAC's slots and memory, including checksums, for
	 * the same frames.
	 */
	uint64_t copy_cycles;
	/** Cycles spent on the headers of Ethernet, IPv4 and UDP, for the same frames. */
	uint64_t stack_cycles;
	/** Cycles spent on the records themselves, without the engines. */
	uint64_t record_cycles;
	/** Cycles spent in the engines. */
	uint64_t engine_cycles;
	/** Frames received. */
	uint32_t frames;
	/** Datagrams received for the record service. */
	uint32_t records;
	/** ARP requests and ICMP echo requests answered. */
	uint32_t responses;
	/**
	 * Frames for another address, protocol or port; frames with a VLAN tag (IEEE 802.1Q),
	 * including priority tags of VLAN 0; and long echo requests that exceeded the budget of
	 * cycles.
	 */
	uint32_t ignored;
	/**
	 * Frames dropped for an impossible length or field, a source that cannot be answered
	 * (RFC 1122, 3.2.1.3), a fragment, or IPv4 options.
	 */
	uint32_t malformed;
	/** Frames dropped for the checksum of IPv4 or UDP. */
	uint32_t checksum_errors;
	/** Frames that the MAC dropped for their frame check sequence or preamble. */
	uint32_t fcs_errors;
	/**
	 * Frames that the MAC dropped because all its slots were in use, or, while any station
	 * has a session, the slots for other stations.
	 */
	uint32_t overflows;
};
_Static_assert(sizeof(struct cl_wire_network_reply) == CL_WIRE_NETWORK_REPLY_SIZE, "as on the wire");

static inline void cl_wire_get_network_reply(struct cl_wire_network_reply *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_NETWORK_REPLY_SIZE);
}

static inline void cl_wire_put_network_reply(uint8_t *to, const struct cl_wire_network_reply *from)
{
	memcpy(to, from, CL_WIRE_NETWORK_REPLY_SIZE);
}

#define CL_WIRE_FASTPATH_REPLY_ADDRESS 0u
#define CL_WIRE_FASTPATH_REPLY_PORT 4u
#define CL_WIRE_FASTPATH_REPLY_MAX_DATA 6u
#define CL_WIRE_FASTPATH_REPLY_RX_WINDOW 8u
#define CL_WIRE_FASTPATH_REPLY_RECORDS 12u
#define CL_WIRE_FASTPATH_REPLY_FCS 16u
#define CL_WIRE_FASTPATH_REPLY_FRAME_LENGTH 20u
#define CL_WIRE_FASTPATH_REPLY_IPV4 24u
#define CL_WIRE_FASTPATH_REPLY_CHECKSUM 28u
#define CL_WIRE_FASTPATH_REPLY_SOURCE 32u
#define CL_WIRE_FASTPATH_REPLY_UNSERVED 36u
#define CL_WIRE_FASTPATH_REPLY_RECEIVE_OVERFLOW 40u
#define CL_WIRE_FASTPATH_REPLY_HEADER 44u
#define CL_WIRE_FASTPATH_REPLY_VERSION 48u
#define CL_WIRE_FASTPATH_REPLY_TYPE 52u
#define CL_WIRE_FASTPATH_REPLY_LENGTH 56u
#define CL_WIRE_FASTPATH_REPLY_OFFSET 60u
#define CL_WIRE_FASTPATH_REPLY_SESSION 64u
#define CL_WIRE_FASTPATH_REPLY_PEER 68u
#define CL_WIRE_FASTPATH_REPLY_TOKEN 72u
#define CL_WIRE_FASTPATH_REPLY_LIMIT 76u
#define CL_WIRE_FASTPATH_REPLY_WINDOW 80u
#define CL_WIRE_FASTPATH_REPLY_KEY 84u
#define CL_WIRE_FASTPATH_REPLY_TRANSMIT_OVERFLOW 88u
#define CL_WIRE_FASTPATH_REPLY_OTHER_DATA 92u
#define CL_WIRE_FASTPATH_REPLY_ECHO 96u
#define CL_WIRE_FASTPATH_REPLY_SIZE 100u

/** The reply of record type fastpath, after the header. */
struct cl_wire_fastpath_reply {
	/** IPv4 address; 192.168.1.51 is 0xC0A80133. */
	uint32_t address;
	/** UDP port. */
	uint16_t port;
	/** Most data bytes of a record to this address; a multiple of 16. */
	uint16_t max_data;
	/** As in info, for records to this address. */
	uint32_t rx_window;
	/** Data records answered. */
	uint32_t records;
	/** Frames dropped for a wrong frame check sequence. */
	uint32_t fcs;
	/**
	 * Frames dropped because they are shorter than 64 bytes or longer than the longest
	 * allowed.
	 */
	uint32_t frame_length;
	/**
	 * IPv4 packets dropped because they have options, are fragments, or their lengths
	 * contradict each other.
	 */
	uint32_t ipv4;
	/**
	 * IPv4 packets dropped for a wrong header checksum, or a wrong UDP checksum that is not
	 * 0.
	 */
	uint32_t checksum;
	/**
	 * Frames dropped because no answer may be sent to their source: a broadcast or
	 * multicast address of Ethernet, or an IPv4 address that is multicast, of class E,
	 * 0.0.0.0, or the first or last of the board's /24 network.
	 */
	uint32_t source;
	/**
	 * Frames dropped because they are none of ARP, an IPv4 echo request of up to 128 bytes
	 * for this address, or a datagram for this port. Frames with a VLAN tag are among them.
	 */
	uint32_t unserved;
	/** Frames dropped because the receive buffer was full. */
	uint32_t receive_overflow;
	/** Datagrams dropped because they are shorter than a record's header. */
	uint32_t header;
	/** Records dropped because their version is another one. */
	uint32_t version;
	/** Records dropped because they are not data requests. */
	uint32_t type;
	/** Records dropped because their length does not match the datagram. */
	uint32_t length;
	/** Records dropped because their offset is not a multiple of 16. */
	uint32_t offset;
	/** Records dropped because no open session has the number in the header. */
	uint32_t session;
	/**
	 * Records dropped because they come from another address or port than the session's.
	 */
	uint32_t peer;
	/** Records dropped because their token is not the session's. */
	uint32_t token;
	/** Records dropped because their data end after the session's length. */
	uint32_t limit;
	/**
	 * Records dropped because their offset is not a multiple of the session's record_bytes,
	 * because they are longer than record_bytes, or because they lie outside the window.
	 */
	uint32_t window;
	/**
	 * Records dropped because the session's slot holds no key, is about to lose it, or lost
	 * it meanwhile.
	 */
	uint32_t key;
	/** Records dropped because there was no room for the reply. */
	uint32_t transmit_overflow;
	/** Records dropped because other data came for their counter blocks before. */
	uint32_t other_data;
	/** Echo requests dropped because they exceeded their budget. */
	uint32_t echo;
};
_Static_assert(sizeof(struct cl_wire_fastpath_reply) == CL_WIRE_FASTPATH_REPLY_SIZE, "as on the wire");

static inline void cl_wire_get_fastpath_reply(struct cl_wire_fastpath_reply *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_FASTPATH_REPLY_SIZE);
}

static inline void cl_wire_put_fastpath_reply(uint8_t *to, const struct cl_wire_fastpath_reply *from)
{
	memcpy(to, from, CL_WIRE_FASTPATH_REPLY_SIZE);
}

#define CL_WIRE_MAC_REQUEST_ENGINE 0u
#define CL_WIRE_MAC_REQUEST_SUBKEY 4u
#define CL_WIRE_MAC_REQUEST_KEY 8u
#define CL_WIRE_MAC_REQUEST_SIZE 24u

/** The request of record type mac, after the header. */
struct cl_wire_mac_request {
	/**
	 * Code of the engine: an AES engine that works from memory to memory. Over a network,
	 * engines in C are refused, because they would take too long.
	 */
	uint32_t engine;
	/**
	 * The subkey that is added to the last block. 1: K1, the message is a whole number of
	 * blocks; 2: K2, it was padded.
	 */
	uint32_t subkey;
	/** The key, first byte first. */
	uint8_t key[16];
};
_Static_assert(sizeof(struct cl_wire_mac_request) == CL_WIRE_MAC_REQUEST_SIZE, "as on the wire");

static inline void cl_wire_get_mac_request(struct cl_wire_mac_request *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_MAC_REQUEST_SIZE);
}

static inline void cl_wire_put_mac_request(uint8_t *to, const struct cl_wire_mac_request *from)
{
	memcpy(to, from, CL_WIRE_MAC_REQUEST_SIZE);
}

#define CL_WIRE_MAC_REPLY_MAC 0u
#define CL_WIRE_MAC_REPLY_SIZE 16u

/** The reply of record type mac, after the header. */
struct cl_wire_mac_reply {
	/** The MAC, first byte first. */
	uint8_t mac[16];
};
_Static_assert(sizeof(struct cl_wire_mac_reply) == CL_WIRE_MAC_REPLY_SIZE, "as on the wire");

static inline void cl_wire_get_mac_reply(struct cl_wire_mac_reply *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_MAC_REPLY_SIZE);
}

static inline void cl_wire_put_mac_reply(uint8_t *to, const struct cl_wire_mac_reply *from)
{
	memcpy(to, from, CL_WIRE_MAC_REPLY_SIZE);
}

#define CL_WIRE_LOADER_REPLY_KIND 0u
#define CL_WIRE_LOADER_REPLY_CAUSE 1u
#define CL_WIRE_LOADER_REPLY_IMAGE 2u
#define CL_WIRE_LOADER_REPLY_RESERVED 3u
#define CL_WIRE_LOADER_REPLY_DATA_BYTES 4u
#define CL_WIRE_LOADER_REPLY_CAPACITY 8u
#define CL_WIRE_LOADER_REPLY_ORIGIN 12u
#define CL_WIRE_LOADER_REPLY_BOARD 16u
#define CL_WIRE_LOADER_REPLY_BUILD_ID 32u
#define CL_WIRE_LOADER_REPLY_IMAGE_ID 48u
#define CL_WIRE_LOADER_REPLY_SIZE 64u

/** The reply of record type loader, after the header. */
struct cl_wire_loader_reply {
	/** As in info. */
	uint8_t kind;
	/** Why the board was reset: one of the causes of a reset. */
	uint8_t cause;
	/** What the code memory holds: one of the states of an image. */
	uint8_t image;
	/** 0. */
	uint8_t reserved;
	/** Most data bytes of load_data. */
	uint32_t data_bytes;
	/** Size of the code memory in bytes, including the image's header. */
	uint32_t capacity;
	/** Address of the code memory. */
	uint32_t origin;
	/** As in info. */
	uint8_t board[16];
	/** As in info: for the gateware, then for the loader. */
	uint8_t build_id[16];
	/**
	 * Build id of the image in the code memory, if the image is complete; otherwise zeros.
	 */
	uint8_t image_id[16];
};
_Static_assert(sizeof(struct cl_wire_loader_reply) == CL_WIRE_LOADER_REPLY_SIZE, "as on the wire");

static inline void cl_wire_get_loader_reply(struct cl_wire_loader_reply *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_LOADER_REPLY_SIZE);
}

static inline void cl_wire_put_loader_reply(uint8_t *to, const struct cl_wire_loader_reply *from)
{
	memcpy(to, from, CL_WIRE_LOADER_REPLY_SIZE);
}

#define CL_WIRE_LOAD_BEGIN_REQUEST_HEADER 0u
#define CL_WIRE_LOAD_BEGIN_REQUEST_SIZE 32u

/** The request of record type load_begin, after the header. */
struct cl_wire_load_begin_request {
	/** The image's header. */
	uint8_t header[32];
};
_Static_assert(sizeof(struct cl_wire_load_begin_request) == CL_WIRE_LOAD_BEGIN_REQUEST_SIZE, "as on the wire");

static inline void cl_wire_get_load_begin_request(struct cl_wire_load_begin_request *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_LOAD_BEGIN_REQUEST_SIZE);
}

static inline void cl_wire_put_load_begin_request(uint8_t *to, const struct cl_wire_load_begin_request *from)
{
	memcpy(to, from, CL_WIRE_LOAD_BEGIN_REQUEST_SIZE);
}

#define CL_WIRE_MACSEC_REPLY_STATE 0u
#define CL_WIRE_MACSEC_REPLY_SUITE 1u
#define CL_WIRE_MACSEC_REPLY_ENCRYPT 2u
#define CL_WIRE_MACSEC_REPLY_AN 3u
#define CL_WIRE_MACSEC_REPLY_RECEIVES 4u
#define CL_WIRE_MACSEC_REPLY_SCI 8u
#define CL_WIRE_MACSEC_REPLY_PEER_SCI 16u
#define CL_WIRE_MACSEC_REPLY_NEXT_PN 24u
#define CL_WIRE_MACSEC_REPLY_PEER_NEXT_PN 32u
#define CL_WIRE_MACSEC_REPLY_UNTAGGED_IN 40u
#define CL_WIRE_MACSEC_REPLY_NO_TAG 44u
#define CL_WIRE_MACSEC_REPLY_BAD_TAG 48u
#define CL_WIRE_MACSEC_REPLY_NO_SA 52u
#define CL_WIRE_MACSEC_REPLY_NO_SA_ERROR 56u
#define CL_WIRE_MACSEC_REPLY_OVERRUN 60u
#define CL_WIRE_MACSEC_REPLY_UNCHECKED 64u
#define CL_WIRE_MACSEC_REPLY_DELAYED 68u
#define CL_WIRE_MACSEC_REPLY_LATE 72u
#define CL_WIRE_MACSEC_REPLY_OK 76u
#define CL_WIRE_MACSEC_REPLY_INVALID 80u
#define CL_WIRE_MACSEC_REPLY_NOT_VALID 84u
#define CL_WIRE_MACSEC_REPLY_IN_ERRORS 88u
#define CL_WIRE_MACSEC_REPLY_UNTAGGED_OUT 92u
#define CL_WIRE_MACSEC_REPLY_PROTECTED 96u
#define CL_WIRE_MACSEC_REPLY_ENCRYPTED 100u
#define CL_WIRE_MACSEC_REPLY_TOO_LONG 104u
#define CL_WIRE_MACSEC_REPLY_TOO_SHORT 108u
#define CL_WIRE_MACSEC_REPLY_STOPPED 112u
#define CL_WIRE_MACSEC_REPLY_MKPDUS 116u
#define CL_WIRE_MACSEC_REPLY_MKPDUS_REFUSED 120u
#define CL_WIRE_MACSEC_REPLY_RESERVED 124u
#define CL_WIRE_MACSEC_REPLY_SIZE 128u

/** The reply of record type macsec, after the header. */
struct cl_wire_macsec_reply {
	/**
	 * 0: off, all frames pass unprotected. 1: static keys protect all frames; if receives
	 * is 0, there are none, and no frame passes. 2: key agreement (MKA) is under way, and
	 * no frame passes. 3: keys from MKA protect all frames.
	 */
	uint8_t state;
	/** Code of the cipher suite, if the state is not off. */
	uint8_t suite;
	/** 1: frames are encrypted; 0: only their integrity is protected. */
	uint8_t encrypt;
	/** Number of the association that transmits (encodingSA). */
	uint8_t an;
	/** Bit N: association N is used to receive. */
	uint32_t receives;
	/** SCI of the board. */
	uint8_t sci[8];
	/** SCI of the peer. */
	uint8_t peer_sci[8];
	/** Next packet number to send; 0 if there is none. */
	uint64_t next_pn;
	/**
	 * Next packet number expected from the peer, in the association with the number of an.
	 */
	uint64_t peer_next_pn;
	/** InPktsUntagged of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t untagged_in;
	/** InPktsNoTag of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t no_tag;
	/** InPktsBadTag of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t bad_tag;
	/** InPktsNoSA of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t no_sa;
	/** InPktsNoSAError of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t no_sa_error;
	/** InPktsOverrun of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t overrun;
	/** InPktsUnchecked of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t unchecked;
	/** InPktsDelayed of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t delayed;
	/** InPktsLate of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t late;
	/** InPktsOK of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t ok;
	/** InPktsInvalid of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t invalid;
	/** InPktsNotValid of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t not_valid;
	/** InErrors of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t in_errors;
	/** OutPktsUntagged of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t untagged_out;
	/** OutPktsProtected of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t protected;
	/** OutPktsEncrypted of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t encrypted;
	/** OutPktsTooLong of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t too_long;
	/** OutPktsTooShort of IEEE 802.1AE-2018, modulo 2^32. */
	uint32_t too_short;
	/**
	 * Frames to send that were dropped because no packet number is left, or no key; modulo
	 * 2^32.
	 */
	uint32_t stopped;
	/** MKPDUs accepted since MKA was started. */
	uint32_t mkpdus;
	/**
	 * MKPDUs refused since then: of another CKN, with a wrong ICV, repeated, or malformed.
	 */
	uint32_t mkpdus_refused;
	/** 0. */
	uint32_t reserved;
};
_Static_assert(sizeof(struct cl_wire_macsec_reply) == CL_WIRE_MACSEC_REPLY_SIZE, "as on the wire");

static inline void cl_wire_get_macsec_reply(struct cl_wire_macsec_reply *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_MACSEC_REPLY_SIZE);
}

static inline void cl_wire_put_macsec_reply(uint8_t *to, const struct cl_wire_macsec_reply *from)
{
	memcpy(to, from, CL_WIRE_MACSEC_REPLY_SIZE);
}

#define CL_WIRE_PROTECT_REQUEST_STATE 0u
#define CL_WIRE_PROTECT_REQUEST_SUITE 1u
#define CL_WIRE_PROTECT_REQUEST_ENCRYPT 2u
#define CL_WIRE_PROTECT_REQUEST_AN 3u
#define CL_WIRE_PROTECT_REQUEST_REPLAY_WINDOW 4u
#define CL_WIRE_PROTECT_REQUEST_PEER_SCI 8u
#define CL_WIRE_PROTECT_REQUEST_TRANSMIT_KEY 16u
#define CL_WIRE_PROTECT_REQUEST_RECEIVE_KEY 48u
#define CL_WIRE_PROTECT_REQUEST_SIZE 80u

/** The request of record type protect, after the header. */
struct cl_wire_protect_request {
	/**
	 * 0: turn MACsec off, and zeroize its keys; the other fields are then ignored. 1:
	 * install static keys.
	 */
	uint8_t state;
	/** Code of the cipher suite. */
	uint8_t suite;
	/** 1: encrypt frames; 0: protect only their integrity. */
	uint8_t encrypt;
	/** Number of the association, 0 to 3. */
	uint8_t an;
	/** Packet numbers below the next one that are still accepted, once each; 0 to 64. */
	uint32_t replay_window;
	/** SCI of the peer: its MAC address and its port number, big-endian. */
	uint8_t peer_sci[8];
	/** SAK with which the board transmits, first byte first, padded with zeros. */
	uint8_t transmit_key[32];
	/** SAK with which the peer transmits. */
	uint8_t receive_key[32];
};
_Static_assert(sizeof(struct cl_wire_protect_request) == CL_WIRE_PROTECT_REQUEST_SIZE, "as on the wire");

static inline void cl_wire_get_protect_request(struct cl_wire_protect_request *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_PROTECT_REQUEST_SIZE);
}

static inline void cl_wire_put_protect_request(uint8_t *to, const struct cl_wire_protect_request *from)
{
	memcpy(to, from, CL_WIRE_PROTECT_REQUEST_SIZE);
}

#define CL_WIRE_AGREE_REQUEST_SUITE 0u
#define CL_WIRE_AGREE_REQUEST_ENCRYPT 1u
#define CL_WIRE_AGREE_REQUEST_PRIORITY 2u
#define CL_WIRE_AGREE_REQUEST_CKN_BYTES 3u
#define CL_WIRE_AGREE_REQUEST_CAK_BITS 4u
#define CL_WIRE_AGREE_REQUEST_REPLAY_WINDOW 6u
#define CL_WIRE_AGREE_REQUEST_CAK 8u
#define CL_WIRE_AGREE_REQUEST_CKN 40u
#define CL_WIRE_AGREE_REQUEST_SIZE 72u

/** The request of record type agree, after the header. */
struct cl_wire_agree_request {
	/** Code of the cipher suite of the keys that the board makes as key server. */
	uint8_t suite;
	/** 1: encrypt frames; 0: protect only their integrity. */
	uint8_t encrypt;
	/** Key server priority; the lowest number becomes key server; 255: never. */
	uint8_t priority;
	/** Bytes of the CKN, 1 to 32. */
	uint8_t ckn_bytes;
	/** 128 or 256. */
	uint16_t cak_bits;
	/** Packet numbers below the next one that are still accepted, once each; 0 to 64. */
	uint16_t replay_window;
	/** The CAK, first byte first, padded with zeros. */
	uint8_t cak[32];
	/** The CAK's name, padded with zeros. */
	uint8_t ckn[32];
};
_Static_assert(sizeof(struct cl_wire_agree_request) == CL_WIRE_AGREE_REQUEST_SIZE, "as on the wire");

static inline void cl_wire_get_agree_request(struct cl_wire_agree_request *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_AGREE_REQUEST_SIZE);
}

static inline void cl_wire_put_agree_request(uint8_t *to, const struct cl_wire_agree_request *from)
{
	memcpy(to, from, CL_WIRE_AGREE_REQUEST_SIZE);
}

#define CL_WIRE_ERROR_REPLY_CODE 0u
#define CL_WIRE_ERROR_REPLY_REQUEST 2u
#define CL_WIRE_ERROR_REPLY_RESERVED 3u
#define CL_WIRE_ERROR_REPLY_DETAIL 4u
#define CL_WIRE_ERROR_REPLY_SIZE 8u

/** Reports that a request was not carried out, and the reason. */
struct cl_wire_error_reply {
	/** One of the error codes. */
	uint16_t code;
	/** Type of the request. */
	uint8_t request;
	/** 0. */
	uint8_t reserved;
	/** Depends on the code: the limit that was exceeded, or the value refused. */
	uint32_t detail;
};
_Static_assert(sizeof(struct cl_wire_error_reply) == CL_WIRE_ERROR_REPLY_SIZE, "as on the wire");

static inline void cl_wire_get_error_reply(struct cl_wire_error_reply *to, const uint8_t *from)
{
	memcpy(to, from, CL_WIRE_ERROR_REPLY_SIZE);
}

static inline void cl_wire_put_error_reply(uint8_t *to, const struct cl_wire_error_reply *from)
{
	memcpy(to, from, CL_WIRE_ERROR_REPLY_SIZE);
}

#endif
