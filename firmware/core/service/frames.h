/**
 * @file
 * Records over UDP in frames that lie in a MAC's slots. The CPU copies only the head of a frame;
 * the MAC computes the sums of the rest. A record's data stay in their slot until the data of the
 * answer are in another slot.
 */
#ifndef CL_FRAMES_H
#define CL_FRAMES_H

#include "links/link_udp.h"
#include "service/service.h"

/** Words of a frame's head. One half of the last word belongs to the data after the head. */
#define CL_FRAME_HEAD_WORDS ((CL_LINK_UDP_HEAD + 3u) / 4u)

/** A received frame. Its slot belongs to the CPU meanwhile. */
struct cl_frame {
	/** The frame's head; later the head of its answer. */
	uint32_t head[CL_FRAME_HEAD_WORDS];
	/**
	 * Sums by the MAC: of the bytes after the head, as cl_window_sum_from needs them, and
	 * cl_sum of the whole frame.
	 */
	uint32_t window_sums[2];
	uint32_t sum;
	/** Address of the slot, 4-byte aligned. */
	uint8_t *slot;
	/** Length in bytes without the frame check sequence. */
	size_t len;
};

/**
 * Copies the head of the frame in a slot, and the three words of the MAC's sums. It zeroizes these
 * words, because the sums of a frame with a key reveal something of the key.
 *
 * @param sums address of the sums, after the bytes that the slot has for a frame
 */
void cl_frame_take(struct cl_frame *frame, uint8_t *slot, size_t len, uint8_t *sums);

/** Writes the head to the start of a slot, which is 4-byte aligned. */
void cl_frame_put_head(const struct cl_frame *frame, uint8_t *slot);

/**
 * Carries out the record of @p len bytes that cl_link_udp_receive found in the frame. The answer is
 * in @p tx_slot, complete but for the UDP checksum: see cl_link_udp_answer.
 *
 * @param[in,out] cost the cycles are added to all members but `driver`
 * @return bytes of the answer's frame; 0 if there is none
 */
size_t cl_frame_carry_out(struct cl_frame *frame, const struct cl_link_udp *udp,
			  struct cl_service *service, size_t len, uint8_t *tx_slot,
			  struct cl_session_cost *cost);

/** Zeroizes a dropped frame if it may be a record with a key that was damaged in transit. */
void cl_frame_drop(struct cl_frame *frame);

#endif
