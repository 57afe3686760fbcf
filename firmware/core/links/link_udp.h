/**
 * @file
 * Records over UDP: one datagram a record, in an Ethernet frame (RFC 768, 791, 894).
 *
 * The link only ever answers the frame it was given: it turns the sender's addresses round and
 * keeps no table of neighbours, so that nothing a stranger sends can fill or stall it. So are ARP
 * requests (RFC 826) and ICMP echo requests (RFC 792) answered. It takes no fragments and no IPv4
 * options; every length is checked against the frame's before it is used. What comes from a group
 * of stations is dropped as malformed: an answer would go to all of them.
 */
#ifndef CL_LINK_UDP_H
#define CL_LINK_UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "links/link.h"

/** Bytes of the headers of Ethernet, IPv4 and UDP before a record. */
#define CL_LINK_UDP_HEADERS 42u
/** Bytes of a frame without its frame check sequence: header and 1500 bytes of payload. */
#define CL_LINK_UDP_FRAME_MAX 1514u
/** Most data bytes of a record, a multiple of 16. */
#define CL_LINK_UDP_MAX_DATA                                                                       \
	((CL_LINK_UDP_FRAME_MAX - CL_LINK_UDP_HEADERS - CL_WIRE_HEADER_SIZE) / 16u * 16u)

struct cl_link_udp {
	/** Its `network` is set. */
	struct cl_link *link;
	uint8_t mac[6];
	/** IPv4 address, first byte first. */
	uint8_t address[4];
	uint16_t port;
};

/**
 * True if a frame says that it comes from more than one station: a broadcast or multicast address
 * as its source, of the MAC, of IPv4 or in an ARP request. It must not be answered.
 */
bool cl_link_udp_is_from_group(const uint8_t *frame, size_t len);

enum cl_link_udp_kind {
	/** Nothing to do. */
	CL_LINK_UDP_NOTHING,
	/** The frame has become a response: transmit it. */
	CL_LINK_UDP_RESPONSE,
	/** A record is behind the headers. */
	CL_LINK_UDP_RECORD,
};

/**
 * Judges a frame as received, and counts it. For a record, link->peer is set to who sent it.
 *
 * @param frame 2-byte aligned
 * @param[in,out] len bytes of the frame without its frame check sequence; of the response, or of
 *                the record behind CL_LINK_UDP_HEADERS
 * @param sum   of these bytes, as cl_copy_sum gives it
 */
enum cl_link_udp_kind cl_link_udp_receive(struct cl_link_udp *udp, uint8_t *frame, size_t *len,
					  uint32_t sum);

/**
 * Turns the headers of a frame that carried a record into those of its answer.
 *
 * @param frame as cl_link_udp_receive left it, with a record of @p len bytes behind the headers
 * @param[out] seed for cl_link_udp_checksum
 * @return bytes of the frame
 */
size_t cl_link_udp_answer(const struct cl_link_udp *udp, uint8_t *frame, size_t len,
			  uint32_t *seed);

/** Offset in a frame of UDP's checksum, which cl_link_udp_answer leaves 0. */
#define CL_LINK_UDP_CHECKSUM 40u

/** UDP's checksum as it is stored little-endian, from the sum over the answer's frame. */
uint16_t cl_link_udp_checksum(uint32_t sum, uint32_t seed);

#endif
