/**
 * @file
 * The record service over LiteEth's MAC, whose frames are in slots on the bus.
 *
 * The accelerator's DMA reads and writes the slots. For other engines a record's data pass through
 * the buffer memory, where they are aligned to 16 bytes. Data records of the engine `fastpath` do
 * not come here: it has an address of its own.
 */
#ifndef ETHERNET_H
#define ETHERNET_H

#include "fastpath/fastpath.h"
#include "links/link_udp.h"
#include "service/frames.h"
#include "service/service.h"

struct ethernet {
	struct cl_link link;
	struct cl_link_udp udp;
	struct cl_wire_network_reply network;
	struct cl_fastpath fast_path;
	struct cl_service *service;
	/** The frame that was received last. */
	struct cl_frame frame;
	/** Slot of the next frame to transmit. */
	uint32_t tx_slot;
	/** Slot that the last frame was received in. */
	uint32_t rx_slot;
	/** Slots whose frames are to be erased, and one whose next frame may have been; as bits. */
	uint32_t stale;
	uint32_t suspect;
	/** The slot that is being erased, or the number of slots; its bytes that are left: with
	 * none left it counts as stale until a moment without a frame. */
	uint32_t erasing;
	uint32_t left;
};

/**
 * Starts the link, with the addresses of the board's description.
 *
 * @param staging in the buffer memory, 16-byte aligned, CL_LINK_UDP_MAX_DATA bytes
 */
void ethernet_init(struct ethernet *ethernet, struct cl_service *service, uint8_t *staging);

/**
 * Erases what was sent, when the MAC has sent it, and has ethernet_poll erase what was received:
 * while no frame waits, and in the slot that the MAC writes next when a frame has come there. A
 * frame that carries a key is erased as it is taken, always.
 */
void ethernet_forget(struct ethernet *ethernet);

/** Handles a frame, if one was received. Gives up a response that the MAC does not take. */
void ethernet_poll(struct ethernet *ethernet);

#endif
