/* SPDX-License-Identifier: BSD-2-Clause */
#include "service/frames.h"

#include "streams/window.h"
#include "zeroize.h"

void cl_frame_take(struct cl_frame *frame, uint8_t *slot, size_t len, uint8_t *sums)
{
	const volatile uint32_t *const words = (const volatile uint32_t *)slot;
	volatile uint32_t *const behind = (volatile uint32_t *)sums;

	for (size_t i = 0; i < CL_FRAME_HEAD_WORDS; i++) {
		frame->head[i] = words[i];
	}
	frame->window_sums[0] = behind[0];
	frame->window_sums[1] = behind[1];
	frame->sum = behind[2];
	for (size_t i = 0; i < 3; i++) {
		behind[i] = 0;
	}
	frame->slot = slot;
	frame->len = len < (size_t)(sums - slot) ? len : (size_t)(sums - slot);
}

struct cl_station cl_frame_station(const struct cl_frame *frame)
{
	const uint32_t *const head = frame->head;

	/*
	 * The sender's MAC address begins at byte 6 of the head, and its IPv4 address at byte 26.
	 * Both addresses begin in the middle of a 32-bit word.
	 */
	return (struct cl_station){
		.mac = {head[1] >> 16, head[2]},
		.address = head[6] >> 16 | head[7] << 16,
	};
}

void cl_frame_put_head(const struct cl_frame *frame, uint8_t *slot)
{
	volatile uint32_t *const words = (volatile uint32_t *)slot;
	const uint32_t *const head = frame->head;

	for (size_t i = 0; i < CL_LINK_UDP_HEAD / 4; i++) {
		words[i] = head[i];
	}
	*(volatile uint16_t *)(slot + CL_LINK_UDP_HEAD / 4 * 4) =
		(uint16_t)head[CL_LINK_UDP_HEAD / 4];
}

size_t cl_frame_carry_out(struct cl_frame *frame, const struct cl_link_udp *udp,
			  struct cl_service *service, size_t len, uint8_t *tx_slot,
			  struct cl_session_cost *cost)
{
	struct cl_link *const link = udp->link;
	uint8_t *const head = (uint8_t *)frame->head;
	uint8_t *const data = frame->slot + CL_LINK_UDP_HEAD;
	const struct cl_service_place record = {head + CL_LINK_UDP_HEADERS, data};
	const struct cl_service_place reply = {record.header, tx_slot + CL_LINK_UDP_HEAD};
	const uint32_t begin = cl_platform_cycles(service->platform);

	/*
	 * The Ethernet MAC's sums include padding after the record. So the sums are valid for the
	 * record's data only if the frame has no padding.
	 */
	link->summed = len + CL_LINK_UDP_HEADERS == frame->len && len > CL_WIRE_HEADER_SIZE;
	if (link->summed) {
		link->sum = cl_window_sum_from(frame->window_sums[0], frame->window_sums[1], data,
					       len - CL_WIRE_HEADER_SIZE);
	}
	len = cl_service_carry_out(service, link, &record, len, &reply,
				   CL_SERVICE_RECORD_MAX((size_t)link->max_data));
	const uint32_t handled = cl_platform_cycles(service->platform);

	cost->copy += link->copy_cycles;
	cost->record += handled - begin - link->engine_cycles - link->copy_cycles;
	if (len == 0) {
		return 0;
	}
	len = cl_link_udp_answer(udp, head, len);
	const uint32_t answered = cl_platform_cycles(service->platform);

	cl_frame_put_head(frame, tx_slot);
	cost->stack += answered - handled;
	cost->copy += cl_platform_cycles(service->platform) - answered;
	return len;
}

void cl_frame_drop(struct cl_frame *frame)
{
	const uint8_t *const head = (const uint8_t *)frame->head;
	const uint8_t type = head[CL_LINK_UDP_HEADERS + CL_WIRE_HEADER_TYPE];

	if (frame->len > CL_LINK_UDP_HEAD &&
	    (type == CL_WIRE_TYPE_OPEN || type == CL_WIRE_TYPE_MAC)) {
		cl_zeroize(frame->slot, frame->len);
	}
	cl_zeroize(frame->head, sizeof(frame->head));
}
