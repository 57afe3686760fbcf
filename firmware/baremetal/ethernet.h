/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The record service over LiteEth's Ethernet MAC. The Ethernet MAC stores frames in slots: buffers
 * of one frame each, in memory on the bus.
 *
 * The accelerator's DMA reads and writes the slots directly. For engines other than the
 * accelerator, the driver copies the data to the buffer memory, where the data are aligned to 16
 * bytes. Data records of sessions on the fast path do not pass through this driver: the host sends
 * these records to the fast path's own IP address.
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
	/**
	 * Function that handles frames of EtherType 0x888e (EAPOL). It receives the member
	 * `context` as its first argument. NULL if the board ignores these frames.
	 */
	void (*eapol)(void *context, const uint8_t *frame, size_t size);
	void *context;
	/** The last frame received. */
	struct cl_frame frame;
	/** Number of the transmit slot for the next frame. */
	uint32_t tx_slot;
	/** Number of the receive slot that contains the frame received last. */
	uint32_t rx_slot;
	/**
	 * Bit masks of receive slots. `stale`: slots that must be erased, because they still
	 * contain old data. `suspect`: slots in which the next frame can be damaged, because the
	 * erasure can have overwritten bytes of that frame.
	 */
	uint32_t stale;
	uint32_t suspect;
	/**
	 * `erasing`: number of the slot that is being erased; ETHMAC_RX_SLOTS if there is none.
	 * `left`: number of bytes in this slot that must still be erased. The slot stays marked in
	 * `stale` until `left` is 0 and ethernet_poll finds no new frame.
	 */
	uint32_t erasing;
	uint32_t left;
};

/**
 * Starts the link, with the MAC and IPv4 addresses from the board's description.
 *
 * @param staging buffer for the data of a record: CL_LINK_UDP_MAX_DATA bytes in the buffer memory,
 *         16-byte aligned
 */
void ethernet_init(struct ethernet *ethernet, struct cl_service *service, uint8_t *staging);

/**
 * Sends a frame, to which the Ethernet MAC adds the frame check sequence. Drops the frame if no
 * transmit slot becomes free in time. Exists only if the SoC has a SecY (MACsec).
 */
void ethernet_send(struct ethernet *ethernet, const uint8_t *frame, size_t size);

/**
 * Zeroizes the staging buffer and the transmit slots, and marks all receive slots as stale.
 * ethernet_poll zeroizes stale slots later, when it finds no new frame.
 *
 * The function first waits until the Ethernet MAC has sent all frames. If this takes more than 1
 * ms, the function does not zeroize the transmit slots. The slot to which the Ethernet MAC will
 * write the next frame stays stale until that frame has been handled. A frame that carries a key is
 * always zeroized as soon as it has been read.
 */
void ethernet_forget(struct ethernet *ethernet);

/**
 * Handles one frame, if one was received. Drops the response if the Ethernet MAC does not accept it
 * in time.
 */
void ethernet_poll(struct ethernet *ethernet);

#endif
