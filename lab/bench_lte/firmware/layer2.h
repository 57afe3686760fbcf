/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The receiver of LTE's layer 2 (Release 8) in a terminal, for example a phone. It turns transport
 * blocks of the downlink's data plane into packets. The engine `snow3g` deciphers 128-EEA1, and all
 * other engines decipher 128-EEA2. 128-EEA0 does not cipher and needs no engine.
 *
 * A transport block is a MAC PDU (TS 36.321, 6.1.2): subheaders, then the parts that they describe.
 * A part for a logical channel is one RLC AMD PDU (TS 36.322, 6.2.1.4). It contains one whole PDCP
 * data PDU (TS 36.323, 6.2.3). That PDU contains a sequence number of 12 bits and ciphered data (TS
 * 33.401, B.1.3).
 *
 * Each of the three layers (MAC, RLC, PDCP) is a step. Either one thread runs all steps
 * (lte_receive), or each step has its own thread.
 *
 * Not supported: RLC segments, several SDUs in a PDU, reordering, status reports, header
 * compression and integrity protection. The code drops and counts a PDU that is out of order or
 * uses one of these features.
 */
#ifndef LTE_LAYER2_H
#define LTE_LAYER2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

/** Maximum size of a packet in bytes: the largest payload of an Ethernet frame. */
#define LTE_PACKET_BYTES 1500u

/** A radio bearer on a logical channel, and the state of its reception. */
struct lte_bearer {
	/** The engine that deciphers in CTR mode; NULL for 128-EEA0, which does not cipher. */
	const struct cl_engine *engine;
	const struct cl_engine_key *key;
	/** Number of the logical channel, 1 to 10. */
	uint8_t lcid;
	/** BEARER, 5 bits. */
	uint8_t identity;
	/** VR(R), 10 bits: the sequence number that RLC expects. Only lte_rlc changes it. */
	uint16_t rlc_next;
	/**
	 * COUNT of the last PDCP PDU: 20 bits of hyper frame number, then 12 bits of sequence
	 * number. Only lte_pdcp changes it.
	 */
	uint32_t count;
};

/**
 * Numbers of received PDUs that were delivered as packets, skipped or dropped. `bytes` is the total
 * length of the delivered packets.
 */
struct lte_counts {
	uint32_t packets;
	uint32_t bytes;
	/** Skipped PDUs: MAC control elements, and control PDUs of RLC and PDCP. */
	uint32_t control;
	/** PDUs for a logical channel without a bearer. */
	uint32_t unknown;
	/** RLC or PDCP PDUs that are too short or too long, segmented, or out of order. */
	uint32_t dropped;
};

/** Describes a PDU of a bearer. The data of the PDU stay in the transport block. */
struct lte_pdu {
	struct lte_bearer *bearer;
	const uint8_t *data;
	size_t len;
};

/** State of the MAC layer while it processes a transport block. */
struct lte_mac {
	const uint8_t *block;
	/**
	 * `at`: offset of the next part in the block. `left`: number of bytes from the start of
	 * this part to the end of the block.
	 */
	size_t left;
	size_t at;
	/** Offset of the next subheader. Undefined if `last` is true. */
	size_t header;
	bool last;
};

/**
 * A receiver. If each layer runs in its own thread, each thread has its own receiver, and all
 * receivers use the same bearers.
 */
struct lte_stack {
	struct lte_bearer *bearers;
	size_t bearer_count;
	/** Returns a 4-byte aligned buffer of LTE_PACKET_BYTES bytes for a deciphered packet. */
	uint8_t *(*room)(void *context);
	/**
	 * Delivers a packet. The packet is in the buffer that the function `room` returned. With
	 * 128-EEA0, @p packet points into the transport block instead, at any alignment.
	 */
	void (*deliver)(void *context, const uint8_t *packet, size_t len);
	void *context;
	struct lte_counts counts;
};

/**
 * Receives a transport block. Does not change the block.
 *
 * @param block can have any alignment. The function reads whole words. So it can read up to three
 *              bytes before the block and up to three bytes after it.
 * @retval 0 done; `counts` in @p stack tells how many parts were delivered, skipped or dropped
 * @retval -EBADMSG the MAC header does not fit the block's length: nothing was delivered
 * @retval -errno the engine returned this error; the packets before the error were delivered
 */
int lte_receive(struct lte_stack *stack, const uint8_t *block, size_t len);

/**
 * First step of MAC: begins to process a transport block, and checks its header. The block must
 * stay in memory until its last part has been processed.
 *
 * @retval 0 the header fits the block's length; then call lte_mac_next() for each part
 * @retval -EBADMSG the header does not fit the block's length
 */
int lte_mac_begin(struct lte_mac *mac, const uint8_t *block, size_t len);

/**
 * Second step of MAC: finds the next part of the block that is an RLC PDU of a bearer. Returns
 * false if there is no such part.
 */
bool lte_mac_next(struct lte_stack *stack, struct lte_mac *mac, struct lte_pdu *pdu);

/**
 * Step of RLC: parses the RLC PDU that @p pdu describes. Afterwards @p pdu describes the PDCP PDU
 * inside it. Returns false if the RLC PDU contains no PDCP PDU or must be dropped.
 */
bool lte_rlc(struct lte_stack *stack, struct lte_pdu *pdu);

/**
 * Step of PDCP: deciphers a PDCP PDU and delivers the packet, if the PDU contains one.
 *
 * @retval 0 the packet was delivered, or the PDU was counted as a control PDU or as dropped
 * @retval -errno the error that the engine returned
 */
int lte_pdcp(struct lte_stack *stack, const struct lte_pdu *pdu);

#endif
