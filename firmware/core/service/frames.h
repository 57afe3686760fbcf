/**
 * @file
 * Records over UDP whose frames are in a MAC's slots: of a frame the CPU takes the head alone, the
 * sums of the rest are the MAC's. A record's data stay in their slot until its answer's are in
 * another.
 */
#ifndef CL_FRAMES_H
#define CL_FRAMES_H

#include "links/link_udp.h"
#include "service/service.h"

/** Words of a frame's head, of the last of which a half belongs to the data behind it. */
#define CL_FRAME_HEAD_WORDS ((CL_LINK_UDP_HEAD + 3u) / 4u)

/** A received frame, whose slot is the CPU's meanwhile. */
struct cl_frame {
	/** Its head, then that of its answer. */
	uint32_t head[CL_FRAME_HEAD_WORDS];
	/** The MAC's: as cl_window_sum_from has them from behind the head, and cl_sum of all. */
	uint32_t window_sums[2];
	uint32_t sum;
	/** 4-byte aligned. */
	uint8_t *slot;
	/** Bytes without the frame check sequence. */
	size_t len;
};

/**
 * Takes the head of the frame in a slot, and the three words of the MAC's sums, which it erases: of
 * a frame with a key they tell of it.
 *
 * @param sums where they are, behind what the slot has room for
 */
void cl_frame_take(struct cl_frame *frame, uint8_t *slot, size_t len, uint8_t *sums);

/** Puts the head before what is in a slot, 4-byte aligned. */
void cl_frame_put_head(const struct cl_frame *frame, uint8_t *slot);

/**
 * Carries out the record of @p len bytes that cl_link_udp_receive found in the frame. The answer is
 * in @p tx_slot, but for UDP's checksum: see cl_link_udp_answer.
 *
 * @param[in,out] cost is added to, all but `driver`
 * @return bytes of the answer's frame; 0 if there is none
 */
size_t cl_frame_carry_out(struct cl_frame *frame, const struct cl_link_udp *udp,
			  struct cl_service *service, size_t len, uint8_t *tx_slot,
			  struct cl_session_cost *cost);

/** Erases a frame that is dropped if it may have been a record with a key, damaged on its way. */
void cl_frame_drop(struct cl_frame *frame);

#endif
