/**
 * @file
 * Records over UDP: one datagram a record, in an Ethernet frame (RFC 768, 791, 894).
 *
 * The link only ever answers the frame it was given: it turns the sender's addresses round and
 * keeps no table of neighbours, so that nothing a stranger sends can fill or stall it. So are ARP
 * requests (RFC 826) and ICMP echo requests (RFC 792) answered. It takes no fragments and no IPv4
 * options; every length is checked against the frame's before it is used. What comes from a group
 * of stations is dropped as malformed, as an answer would go to all of them, and so is what names
 * the board itself as its source. Frames with a VLAN tag are ignored, whatever VLAN they name.
 */
#ifndef CL_LINK_UDP_H
#define CL_LINK_UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "links/link.h"

/** Bytes of the headers of Ethernet, IPv4 and UDP before a record. */
#define CL_LINK_UDP_HEADERS 42u
/** What the link needs of a frame in memory of the CPU's own: these and a record's header. */
#define CL_LINK_UDP_HEAD (CL_LINK_UDP_HEADERS + CL_WIRE_HEADER_SIZE)
/** Bytes of a frame without its frame check sequence: header and 1500 bytes of payload. */
#define CL_LINK_UDP_FRAME_MAX 1514u
/** Most data bytes of a record, a multiple of 16. */
#define CL_LINK_UDP_MAX_DATA ((CL_LINK_UDP_FRAME_MAX - CL_LINK_UDP_HEAD) / 16u * 16u)

struct cl_link_udp {
	/** Its `network` is set. */
	struct cl_link *link;
	_Alignas(sizeof(uint16_t)) uint8_t mac[6];
	/** IPv4 address, first byte first. */
	_Alignas(sizeof(uint16_t)) uint8_t address[4];
	uint16_t port;
};

/**
 * True if a frame says that it comes from more than one station, or from none beside this one: it
 * must not be answered (RFC 1122, 3.2.1.3). Its source is a broadcast or multicast address, of the
 * MAC, of IPv4 or in an ARP request; or where it goes to, of the MAC or IPv4; or in 127.0.0.0/8, or
 * but for ARP in 0.0.0.0/8.
 */
bool cl_link_udp_is_from_nobody(const uint8_t *frame, size_t len);

/**
 * For a port with a net stack: where a frame says that it carries a datagram to the link's port in
 * one piece and without IPv4 options, the address that it is for; NULL if not. What else
 * cl_link_udp_receive judges is left to it.
 *
 * @param head as for cl_link_udp_receive
 */
const uint8_t *cl_link_udp_destination(const struct cl_link_udp *udp, const uint8_t *head,
				       size_t len);

enum cl_link_udp_kind {
	/** Nothing to do. */
	CL_LINK_UDP_NOTHING,
	/** The head has become that of a response: transmit it, with what follows it in the frame.
	 */
	CL_LINK_UDP_RESPONSE,
	/** A record is behind the headers. */
	CL_LINK_UDP_RECORD,
};

/**
 * Judges a frame as received, and counts it. For a record, link->peer is set to who sent it.
 *
 * @param head  its first bytes, CL_LINK_UDP_HEAD or all; 2-byte aligned
 * @param frame all of it, 2-byte aligned; read only where its sum does not tell enough
 * @param[in,out] len bytes of the frame without its frame check sequence; of the response, or of
 *                the record behind CL_LINK_UDP_HEADERS
 * @param sum   cl_sum of the frame
 */
enum cl_link_udp_kind cl_link_udp_receive(struct cl_link_udp *udp, uint8_t *head,
					  const uint8_t *frame, size_t *len, uint32_t sum);

/**
 * Turns the headers of a frame that carried a record into those of its answer, but for UDP's
 * checksum: in its place is the sum of the pseudo header, as whoever sums up the datagram wants it.
 *
 * @param head as cl_link_udp_receive left it
 * @param len  bytes of the record that the answer carries
 * @return bytes of the frame
 */
size_t cl_link_udp_answer(const struct cl_link_udp *udp, uint8_t *head, size_t len);

/** Offset in a frame of UDP's checksum. */
#define CL_LINK_UDP_CHECKSUM 40u

#endif
