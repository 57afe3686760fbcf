/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Records over UDP in frames that the Ethernet MAC stores in its slots. The CPU copies only the
 * head of a frame, that is, all headers up to the record's header. The Ethernet MAC computes the
 * sums of the frame's bytes. The engine reads a record's data from the receive slot, and writes the
 * data of the answer to a transmit slot.
 */
#ifndef CL_FRAMES_H
#define CL_FRAMES_H

#include "links/link_udp.h"
#include "service/service.h"

/**
 * Number of 32-bit words in the copy of a frame's head, rounded up. The head does not fill the last
 * word. So the last two bytes of the copy are the first two bytes of the record's data.
 */
#define CL_FRAME_HEAD_WORDS ((CL_LINK_UDP_HEAD + 3u) / 4u)

/**
 * A received frame. The Ethernet MAC does not write the frame's slot until the frame is handled.
 */
struct cl_frame {
	/**
	 * The first bytes of the frame: its headers. cl_frame_carry_out replaces them by the
	 * headers of the answer.
	 */
	uint32_t head[CL_FRAME_HEAD_WORDS];
	/**
	 * Sums that the Ethernet MAC computed. `window_sums`: two sums of the bytes after the
	 * frame's head; they become the arguments `a` and `b` of cl_window_sum_from. `sum`: cl_sum
	 * of the whole frame.
	 */
	uint32_t window_sums[2];
	uint32_t sum;
	/** Address of the frame's slot, 4-byte aligned. */
	uint8_t *slot;
	/** Length of the frame in bytes, without the frame check sequence. */
	size_t len;
};

/**
 * Copies the head of the frame in a slot, and the three sums that the Ethernet MAC stored in the
 * slot. Zeroizes the sums in the slot, because the sums of a frame that contains a key reveal
 * something about the key.
 *
 * @param sums address of the sums, at the end of the slot
 */
void cl_frame_take(struct cl_frame *frame, uint8_t *slot, size_t len, uint8_t *sums);

/**
 * The station that sent a frame. `mac[0]`: bytes 0 and 1 of its MAC address. `mac[1]`: bytes 2 to
 * 5. `address`: its IPv4 address. In each word, the first byte is in bits 7:0, as in the Ethernet
 * MAC's registers of known stations.
 */
struct cl_station {
	uint32_t mac[2];
	uint32_t address;
};

/**
 * Reads the sender's addresses from the head of a frame. The frame must contain an IPv4 packet.
 * Call this function after cl_link_udp_receive has found a record in the frame, and before
 * cl_frame_carry_out, which turns the head into the head of the answer.
 */
struct cl_station cl_frame_station(const struct cl_frame *frame);

/** Writes the headers of the answer to the start of @p slot, which is 4-byte aligned. */
void cl_frame_put_head(const struct cl_frame *frame, uint8_t *slot);

/**
 * Processes the record of @p len bytes that cl_link_udp_receive found in the frame. Writes the
 * answer's frame to @p tx_slot. The UDP checksum in this frame is not complete: see
 * cl_link_udp_answer.
 *
 * @param[in,out] cost the session's cycle counts. The function adds its own cycles to the members
 *                     `copy`, `stack` and `record`.
 * @return bytes of the answer's frame; 0 if there is none
 */
size_t cl_frame_carry_out(struct cl_frame *frame, const struct cl_link_udp *udp,
			  struct cl_service *service, size_t len, uint8_t *tx_slot,
			  struct cl_session_cost *cost);

/** Zeroizes the head of a dropped frame, and also the slot if the record can contain a key. */
void cl_frame_drop(struct cl_frame *frame);

#endif
