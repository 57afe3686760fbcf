/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Records over UDP: one record per datagram, in an Ethernet frame (RFC 768, 791, 894).
 *
 * The link sends a frame only as the answer to a received one. It sends each answer to the source
 * addresses of the received frame, so it needs no ARP table that an attacker could fill, and never
 * waits for an ARP reply. It answers ARP requests (RFC 826) and ICMP echo requests (RFC 792) in the
 * same way. It accepts no fragments and no IPv4 options, and checks every length against the
 * frame's length before use. Frames from a group address are dropped as malformed, as an answer
 * would go to the whole group. Frames that name the board itself as their source are dropped as
 * well. Frames with a VLAN tag are ignored.
 */
#ifndef CL_LINK_UDP_H
#define CL_LINK_UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "links/link.h"

/** Bytes of the Ethernet, IPv4 and UDP headers before a record. */
#define CL_LINK_UDP_HEADERS 42u
/**
 * Number of bytes at the start of a frame that the link needs in the CPU's own memory: the
 * Ethernet, IPv4 and UDP headers, and a record's header.
 */
#define CL_LINK_UDP_HEAD (CL_LINK_UDP_HEADERS + CL_WIRE_HEADER_SIZE)
/** Largest frame in bytes without its frame check sequence: header and 1500 bytes of payload. */
#define CL_LINK_UDP_FRAME_MAX 1514u
/** Largest number of data bytes in a record, a multiple of 16. */
#define CL_LINK_UDP_MAX_DATA ((CL_LINK_UDP_FRAME_MAX - CL_LINK_UDP_HEAD) / 16u * 16u)

struct cl_link_udp {
	/** The link; its member `network` must not be NULL. */
	struct cl_link *link;
	_Alignas(sizeof(uint16_t)) uint8_t mac[6];
	/** The board's IPv4 address, in network byte order. */
	_Alignas(sizeof(uint16_t)) uint8_t address[4];
	uint16_t port;
};

/**
 * Checks the source of a frame, and returns true if the frame must not be answered. The source must
 * be a single station, and must not be the board itself (RFC 1122, 3.2.1.3). The function checks
 * the source MAC address, the source IPv4 address and, in ARP, the sender's addresses.
 *
 * No address is allowed to be a broadcast or multicast address. No IPv4 address is allowed to be in
 * 127.0.0.0/8. The source addresses in the Ethernet and IPv4 headers must differ from the
 * destination addresses there. The source address in the IPv4 header must not be in 0.0.0.0/8.
 */
bool cl_link_udp_is_from_nobody(const uint8_t *frame, size_t len);

/**
 * Tells whether a frame is for this link. Firmware with a network stack passes all other frames to
 * its network stack.
 *
 * Returns a pointer to the destination IPv4 address in @p head if the frame appears to contain a
 * datagram for the link's UDP port. The datagram must be unfragmented and without IPv4 options.
 * Returns NULL for all other frames. cl_link_udp_receive makes all other checks.
 *
 * @param head as for cl_link_udp_receive
 */
const uint8_t *cl_link_udp_destination(const struct cl_link_udp *udp, const uint8_t *head,
				       size_t len);

enum cl_link_udp_kind {
	/** The caller must send no answer to the frame. */
	CL_LINK_UDP_NOTHING,
	/**
	 * @p head now contains the headers of a response. The caller must transmit them, followed
	 * by the rest of the received frame.
	 */
	CL_LINK_UDP_RESPONSE,
	/** A record follows the frame's headers. */
	CL_LINK_UDP_RECORD,
};

/**
 * Checks a received frame, and updates the link's counters. If the frame contains a record, stores
 * the sender's number in link->peer.
 *
 * @param head  copy of the frame's first CL_LINK_UDP_HEAD bytes, or of the whole frame if it is
 *              shorter; 2-byte aligned
 * @param frame the whole frame, 2-byte aligned; the function reads it only if @p sum is not
 *              sufficient
 * @param[in,out] len bytes of the frame without its frame check sequence; on return, bytes of the
 *                    response, or of the record after CL_LINK_UDP_HEADERS
 * @param sum   cl_sum of the frame
 */
enum cl_link_udp_kind cl_link_udp_receive(struct cl_link_udp *udp, uint8_t *head,
					  const uint8_t *frame, size_t *len, uint32_t sum);

/**
 * Turns the headers of a received record's frame into the headers of the answer. The UDP checksum
 * is not complete: the checksum field contains only the sum of the pseudo header. The caller or the
 * Ethernet MAC must add the sum of the datagram to this field.
 *
 * @param head as cl_link_udp_receive left it
 * @param len  bytes of the record that the answer carries
 * @return bytes of the frame
 */
size_t cl_link_udp_answer(const struct cl_link_udp *udp, uint8_t *head, size_t len);

/** Byte offset of the UDP checksum in a frame. */
#define CL_LINK_UDP_CHECKSUM 40u

#endif
