/**
 * @file
 * LTE's layer 2 as a terminal receives: the downlink's data plane of Release 8, from a transport
 * block to packets, with deciphering by an engine (128-EEA2, `snow3g` 128-EEA1) or none (128-EEA0).
 *
 * A transport block is a MAC PDU (TS 36.321, 6.1.2): subheaders, then what they announce. A logical
 * channel's part is one RLC AMD PDU (TS 36.322, 6.2.1.4) with one whole PDCP data PDU with a
 * sequence number of 12 bits (TS 36.323, 6.2.3), whose data are ciphered (TS 33.401, B.1.3).
 *
 * Each layer is a step: one thread does one after the other (lte_receive), or each has a thread.
 *
 * Not there: RLC segments and several SDUs in a PDU, reordering and status reports, header
 * compression, integrity. PDUs with such things, or out of order, are counted as dropped.
 */
#ifndef LTE_LAYER2_H
#define LTE_LAYER2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

/** A packet is at most as long as an Ethernet frame carries. */
#define LTE_PACKET_BYTES 1500u

/** A radio bearer on a logical channel, and how far it has come. */
struct lte_bearer {
	/** Who deciphers in CTR mode; NULL for 128-EEA0, which ciphers nothing. */
	const struct cl_engine *engine;
	const struct cl_engine_key *key;
	/** Logical channel, 1 to 10. */
	uint8_t lcid;
	/** BEARER, 5 bits. */
	uint8_t identity;
	/** VR(R), 10 bits: the sequence number that RLC expects; lte_rlc's alone. */
	uint16_t rlc_next;
	/**
	 * COUNT of the last PDCP PDU: 20 bits of hyper frame number, 12 of sequence number;
	 * lte_pdcp's alone.
	 */
	uint32_t count;
};

/** What came, as numbers of PDUs and, of packets, bytes. */
struct lte_counts {
	uint32_t packets;
	uint32_t bytes;
	/** MAC control elements, RLC and PDCP control PDUs: passed over. */
	uint32_t control;
	/** For a logical channel that no bearer has. */
	uint32_t unknown;
	/** RLC or PDCP PDUs that are too short or too long, segmented, or out of order. */
	uint32_t dropped;
};

/** What one layer hands to the next: a PDU of a bearer, where it lies in the transport block. */
struct lte_pdu {
	struct lte_bearer *bearer;
	const uint8_t *data;
	size_t len;
};

/** How far MAC has come in a transport block. */
struct lte_mac {
	const uint8_t *block;
	/** Bytes of it behind the parts that were handed over, and where they begin. */
	size_t left;
	size_t at;
	/** The next subheader, if there is one. */
	size_t header;
	bool last;
};

/** A receiver. Threads that do a step each have each its own, with the same bearers. */
struct lte_stack {
	struct lte_bearer *bearers;
	size_t bearer_count;
	/** Where a packet of at most LTE_PACKET_BYTES is to go when it is deciphered, 4-byte
	 * aligned. */
	uint8_t *(*room)(void *context);
	/** Hands over a packet: where `room` said, or with 128-EEA0 in the block, at any alignment.
	 */
	void (*deliver)(void *context, const uint8_t *packet, size_t len);
	void *context;
	struct lte_counts counts;
};

/**
 * Receives a transport block, which stays as it is.
 *
 * @param block at any alignment, but in memory that can be read by whole words, as its first and
 *              last word are
 * @retval 0 done; what became of its parts is in the stack's counts
 * @retval -EBADMSG its MAC header does not fit its length: nothing was delivered
 * @retval -errno an engine's: the packets before were delivered
 */
int lte_receive(struct lte_stack *stack, const uint8_t *block, size_t len);

/**
 * MAC, first: looks at the header of a transport block, which stays where it is.
 *
 * @retval 0 it fits its length: lte_mac_next() gives its parts
 * @retval -EBADMSG it does not
 */
int lte_mac_begin(struct lte_mac *mac, const uint8_t *block, size_t len);

/** MAC: the next part that is an RLC PDU of a bearer; false at the block's end. */
bool lte_mac_next(struct lte_stack *stack, struct lte_mac *mac, struct lte_pdu *pdu);

/** RLC: makes of an RLC PDU the PDCP PDU in it; false where there is none, or it is dropped. */
bool lte_rlc(struct lte_stack *stack, struct lte_pdu *pdu);

/**
 * PDCP: deciphers a PDCP PDU and delivers its packet, if it is one.
 *
 * @retval 0 delivered, or counted as something else
 * @retval -errno the engine's
 */
int lte_pdcp(struct lte_stack *stack, const struct lte_pdu *pdu);

#endif
