/**
 * @file
 * The record service over LiteEth's MAC, whose frames are in slots on the bus.
 *
 * A frame is copied into the buffer memory so that its record's data are aligned to 16 bytes, is
 * answered in place, and copied out again: the engines reach the buffer memory, not the slots.
 * Data records of the engine `fastpath` do not come here: it has an address of its own.
 */
#ifndef ETHERNET_H
#define ETHERNET_H

#include "fastpath/fastpath.h"
#include "links/link_udp.h"
#include "service/service.h"

/** A frame's place: the data of its record, behind headers of 42 and 24 bytes, are aligned. */
struct ethernet_frame {
	uint8_t unused[14];
	uint8_t bytes[CL_LINK_UDP_HEADERS + CL_SERVICE_RECORD_MAX(CIPHERLANE_MAX_DATA)];
};

struct ethernet {
	struct cl_link link;
	struct cl_link_udp udp;
	struct cl_wire_network_reply network;
	struct cl_fastpath fast_path;
	struct cl_service *service;
	uint8_t *frame;
	/** Slot of the next frame to transmit. */
	uint32_t tx_slot;
	/** Slot that the last frame was received in. */
	uint32_t rx_slot;
	/** Slots whose frames are to be erased, and one whose next frame may have been; as bits. */
	uint32_t stale;
	uint32_t suspect;
	/** The slot that is being erased, or the number of slots; its bytes that are left. */
	uint32_t erasing;
	uint32_t left;
	/** Cycle counter when `network.cycles` was last brought up to date. */
	uint32_t cycles;
};

/**
 * Starts the link, with the addresses of the board's description.
 *
 * @param frame in the buffer memory, 16-byte aligned
 */
void ethernet_init(struct ethernet *ethernet, struct cl_service *service,
		   struct ethernet_frame *frame);

/**
 * Erases what was sent, when the MAC has sent it, and has ethernet_poll erase what was received:
 * while no frame waits, and in the slot that the MAC writes next when a frame has come there. A
 * frame that carries a key is erased as it is taken, always.
 */
void ethernet_forget(struct ethernet *ethernet);

/** Handles a frame, if one was received. Gives up a response that the MAC does not take. */
void ethernet_poll(struct ethernet *ethernet);

#endif
