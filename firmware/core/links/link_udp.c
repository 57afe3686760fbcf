/* SPDX-License-Identifier: BSD-2-Clause */
#include "links/link_udp.h"

#include <stdbool.h>

#include "links/copy_sum.h"

/* Byte offsets in a frame: Ethernet, then ARP, or IPv4 with ICMP or UDP. */
enum {
	TO_MAC = 0,
	FROM_MAC = 6,
	ETHERTYPE = 12,
	ARP = 14,
	ARP_OPERATION = 20,
	ARP_SENDER_MAC = 22,
	ARP_SENDER_ADDRESS = 28,
	ARP_TARGET_MAC = 32,
	ARP_TARGET_ADDRESS = 38,
	ARP_END = 42,
	IP = 14,
	IP_LENGTH = 16,
	IP_IDENTIFICATION = 18,
	IP_FRAGMENT = 20,
	IP_TTL = 22,
	IP_PROTOCOL = 23,
	IP_CHECKSUM = 24,
	IP_FROM = 26,
	IP_TO = 30,
	IP_END = 34,
	ICMP_TYPE = 34,
	ICMP_CODE = 35,
	ICMP_CHECKSUM = 36,
	ICMP_END = 42,
	UDP_FROM = 34,
	UDP_TO = 36,
	UDP_LENGTH = 38,
	UDP_END = 42,
};

_Static_assert((int)UDP_END == (int)CL_LINK_UDP_HEADERS, "headers as the port knows them");

#define ETHERTYPE_IPV4 0x0800u
#define ETHERTYPE_ARP  0x0806u
/*
 * This bit of a MAC address's first byte is set in group and broadcast addresses (IEEE 802.3,
 * 3.2.3).
 */
#define MAC_GROUP 1u
/*
 * IPv4 addresses with this first byte or a higher one are multicast, broadcast or reserved (RFC
 * 1112, RFC 919).
 */
#define ADDRESS_GROUP    224u
#define ADDRESS_LOOPBACK 127u  /* first byte */
#define IPV4_PLAIN       0x45u /* version 4, no options */
#define IPV4_FRAGMENTED  0x3fffu
#define PROTOCOL_ICMP    1u
#define PROTOCOL_UDP     17u
#define ICMP_ECHO        8u
#define IP_HEADER        20u
#define UDP_HEADER       8u
#define DONT_FRAGMENT    0x4000u
#define TIME_TO_LIVE     64u
#define SUM_IS_RIGHT     0xffffu
/*
 * The ICMP checksum grows by this number when an echo request (type 8) becomes an echo reply (type
 * 0). The checksum is read as a little-endian number of 16 bits.
 */
#define ECHO_REPLY_DELTA 8u

/*
 * Type for access to the headers in units of 16 bits. All header fields are 2-byte aligned in the
 * frame, and the driver's copy of the headers is 2-byte aligned.
 */
typedef uint16_t __attribute__((may_alias)) half;

/**
 * Swaps the bytes of a big-endian field, so that the field can be added to a sum of little-endian
 * words.
 */
static uint32_t swap16(uint32_t value)
{
	return (value & 0xff) << 8 | (value >> 8 & 0xff);
}

static uint32_t load_be16(const uint8_t *p)
{
	return swap16(*(const half *)p);
}

static void store_sum(uint8_t *p, uint32_t value)
{
	*(half *)p = (half)value;
}

static void store_be16(uint8_t *p, uint32_t value)
{
	store_sum(p, swap16(value));
}

/** Copies a header field; @p size is an even constant. */
static inline void copy(uint8_t *to, const uint8_t *from, size_t size)
{
	for (size_t i = 0; i < size; i += sizeof(half)) {
		*(half *)(to + i) = *(const half *)(from + i);
	}
}

static inline bool same(const uint8_t *a, const uint8_t *b, size_t size)
{
	uint32_t difference = 0;

	for (size_t i = 0; i < size; i += sizeof(half)) {
		difference |= (uint32_t)(*(const half *)(a + i) ^ *(const half *)(b + i));
	}
	return difference == 0;
}

/**
 * Returns true if two addresses are equal. Unlike the function `same`, compares the last two bytes
 * first, because different addresses differ most often in these bytes.
 */
static inline bool same_end(const uint8_t *a, const uint8_t *b, size_t size)
{
	const size_t end = size - sizeof(half);

	return *(const half *)(a + end) == *(const half *)(b + end) && same(a, b, end);
}

/**
 * Sets the MAC addresses of an answer: the frame's sender becomes the destination, and the board
 * becomes the source.
 */
static void return_frame(const struct cl_link_udp *udp, uint8_t *frame)
{
	copy(frame + TO_MAC, frame + FROM_MAC, 6);
	copy(frame + FROM_MAC, udp->mac, 6);
}

static void return_address(const struct cl_link_udp *udp, uint8_t *frame)
{
	copy(frame + IP_TO, frame + IP_FROM, 4);
	copy(frame + IP_FROM, udp->address, 4);
}

static enum cl_link_udp_kind count(uint32_t *counter, enum cl_link_udp_kind kind)
{
	(*counter)++;
	return kind;
}

static inline bool is_no_host(const uint8_t *address)
{
	return address[0] >= ADDRESS_GROUP || address[0] == ADDRESS_LOOPBACK;
}

static inline bool is_from_nobody(const uint8_t *frame, size_t len)
{
	if (len < IP) {
		return false;
	}
	if ((frame[FROM_MAC] & MAC_GROUP) != 0 || same_end(frame + FROM_MAC, frame + TO_MAC, 6)) {
		return true;
	}
	switch (load_be16(frame + ETHERTYPE)) {
	case ETHERTYPE_IPV4:
		return len >= IP_END && (is_no_host(frame + IP_FROM) || frame[IP_FROM] == 0 ||
					 same_end(frame + IP_FROM, frame + IP_TO, 4));
	case ETHERTYPE_ARP:
		return len >= ARP_END && ((frame[ARP_SENDER_MAC] & MAC_GROUP) != 0 ||
					  is_no_host(frame + ARP_SENDER_ADDRESS));
	default:
		return false;
	}
}

bool cl_link_udp_is_from_nobody(const uint8_t *frame, size_t len)
{
	return is_from_nobody(frame, len);
}

const uint8_t *cl_link_udp_destination(const struct cl_link_udp *udp, const uint8_t *head,
				       size_t len)
{
	return len >= UDP_END && load_be16(head + ETHERTYPE) == ETHERTYPE_IPV4 &&
			       head[IP] == IPV4_PLAIN && head[IP_PROTOCOL] == PROTOCOL_UDP &&
			       (load_be16(head + IP_FRAGMENT) & IPV4_FRAGMENTED) == 0 &&
			       load_be16(head + UDP_TO) == udp->port
		       ? head + IP_TO
		       : NULL;
}

/*
 * receive_arp and receive_icmp are not inlined, so that the code for records occupies few cache
 * lines.
 */
static __attribute__((noinline)) enum cl_link_udp_kind receive_arp(struct cl_link_udp *udp,
								   uint8_t *frame, size_t *len)
{
	/*
	 * First bytes of an ARP request: hardware type Ethernet, protocol IPv4, lengths of MAC and
	 * IPv4 addresses, operation "request".
	 */
	static const _Alignas(sizeof(half)) uint8_t request[8] = {0, 1, 8, 0, 6, 4, 0, 1};
	struct cl_wire_network_reply *const seen = udp->link->network;

	if (*len < ARP_END || same(frame + FROM_MAC, udp->mac, 6) ||
	    same(frame + ARP_SENDER_MAC, udp->mac, 6) ||
	    same(frame + ARP_SENDER_ADDRESS, udp->address, 4)) {
		return count(&seen->malformed, CL_LINK_UDP_NOTHING);
	}
	if (!same(frame + ARP, request, sizeof(request)) ||
	    !same(frame + ARP_TARGET_ADDRESS, udp->address, 4)) {
		return count(&seen->ignored, CL_LINK_UDP_NOTHING);
	}
	return_frame(udp, frame);
	store_be16(frame + ARP_OPERATION, 2);
	copy(frame + ARP_TARGET_MAC, frame + ARP_SENDER_MAC, 10);
	copy(frame + ARP_SENDER_MAC, udp->mac, 6);
	copy(frame + ARP_SENDER_ADDRESS, udp->address, 4);
	*len = ARP_END;
	return count(&seen->responses, CL_LINK_UDP_RESPONSE);
}

/**
 * Returns the sum of the UDP pseudo header without its IP addresses: the protocol number plus @p
 * len, the length of the datagram in bytes.
 */
static uint32_t pseudo_header(size_t len)
{
	return swap16(PROTOCOL_UDP) + swap16((uint32_t)len);
}

/**
 * Returns the sum of the bytes with offsets @p from to @p end - 1 in a frame. @p head contains a
 * copy of the frame's first @p from bytes.
 *
 * @param sum sum of the whole frame. If the frame ends at @p end, the function computes the result
 *            from this sum. If padding follows @p end, as in short frames, the function adds up the
 *            bytes from @p from to @p end.
 */
static uint32_t sum_of_part(const uint8_t *frame, size_t len, uint32_t sum, const uint8_t *head,
			    size_t from, size_t end)
{
	return len == end ? cl_sum_add(sum, ~cl_sum(head, from)) : cl_sum(frame + from, end - from);
}

static __attribute__((noinline)) enum cl_link_udp_kind
receive_icmp(struct cl_link_udp *udp, uint8_t *head, const uint8_t *frame, size_t *len, size_t end,
	     uint32_t sum)
{
	struct cl_wire_network_reply *const seen = udp->link->network;

	if (end < ICMP_END) {
		return count(&seen->malformed, CL_LINK_UDP_NOTHING);
	}
	if (head[ICMP_TYPE] != ICMP_ECHO || head[ICMP_CODE] != 0) {
		return count(&seen->ignored, CL_LINK_UDP_NOTHING);
	}
	if (cl_sum_fold(sum_of_part(frame, *len, sum, head, ICMP_TYPE, end)) != SUM_IS_RIGHT) {
		return count(&seen->checksum_errors, CL_LINK_UDP_NOTHING);
	}
	return_frame(udp, head);
	return_address(udp, head);
	head[ICMP_TYPE] = 0;
	store_sum(head + ICMP_CHECKSUM,
		  cl_sum_fold((uint32_t)head[ICMP_CHECKSUM] +
			      ((uint32_t)head[ICMP_CHECKSUM + 1] << 8) + ECHO_REPLY_DELTA));
	*len = end;
	return count(&seen->responses, CL_LINK_UDP_RESPONSE);
}

static enum cl_link_udp_kind receive_udp(struct cl_link_udp *udp, uint8_t *head,
					 const uint8_t *frame, size_t *len, size_t end,
					 uint32_t sum)
{
	struct cl_wire_network_reply *const seen = udp->link->network;

	if (end < UDP_END || load_be16(head + UDP_LENGTH) != end - UDP_FROM) {
		return count(&seen->malformed, CL_LINK_UDP_NOTHING);
	}
	if (load_be16(head + UDP_TO) != udp->port) {
		return count(&seen->ignored, CL_LINK_UDP_NOTHING);
	}
	/*
	 * If the checksum field is 0, the sender computed no checksum (RFC 768), and there is
	 * nothing to check. The sum begins at the IP addresses, because they are part of the pseudo
	 * header.
	 */
	if (load_be16(head + CL_LINK_UDP_CHECKSUM) != 0 &&
	    cl_sum_fold(cl_sum_add(sum_of_part(frame, *len, sum, head, IP_FROM, end),
				   pseudo_header(end - UDP_FROM))) != SUM_IS_RIGHT) {
		return count(&seen->checksum_errors, CL_LINK_UDP_NOTHING);
	}
	udp->link->peer = CL_PEER_NETWORK | (uint64_t)load_be16(head + IP_FROM) << 32 |
			  (uint64_t)load_be16(head + IP_FROM + 2) << 16 |
			  load_be16(head + UDP_FROM);
	*len = end - UDP_END;
	return count(&seen->records, CL_LINK_UDP_RECORD);
}

static enum cl_link_udp_kind receive_ipv4(struct cl_link_udp *udp, uint8_t *head,
					  const uint8_t *frame, size_t *len, uint32_t sum)
{
	struct cl_wire_network_reply *const seen = udp->link->network;

	if (*len < IP_END) {
		return count(&seen->malformed, CL_LINK_UDP_NOTHING);
	}
	if (!same(head + TO_MAC, udp->mac, 6) || !same(head + IP_TO, udp->address, 4)) {
		return count(&seen->ignored, CL_LINK_UDP_NOTHING);
	}
	const size_t end = IP + load_be16(head + IP_LENGTH);

	if (head[IP] != IPV4_PLAIN || end < IP_END || end > *len ||
	    (load_be16(head + IP_FRAGMENT) & IPV4_FRAGMENTED) != 0) {
		return count(&seen->malformed, CL_LINK_UDP_NOTHING);
	}
	if (cl_sum_fold(cl_sum(head + IP, IP_HEADER)) != SUM_IS_RIGHT) {
		return count(&seen->checksum_errors, CL_LINK_UDP_NOTHING);
	}
	switch (head[IP_PROTOCOL]) {
	case PROTOCOL_UDP:
		return receive_udp(udp, head, frame, len, end, sum);
	case PROTOCOL_ICMP:
		return receive_icmp(udp, head, frame, len, end, sum);
	default:
		return count(&seen->ignored, CL_LINK_UDP_NOTHING);
	}
}

enum cl_link_udp_kind cl_link_udp_receive(struct cl_link_udp *udp, uint8_t *head,
					  const uint8_t *frame, size_t *len, uint32_t sum)
{
	struct cl_wire_network_reply *const seen = udp->link->network;

	seen->frames++;
	if (*len < IP || *len > CL_LINK_UDP_FRAME_MAX || is_from_nobody(head, *len)) {
		return count(&seen->malformed, CL_LINK_UDP_NOTHING);
	}
	switch (load_be16(head + ETHERTYPE)) {
	case ETHERTYPE_IPV4:
		return receive_ipv4(udp, head, frame, len, sum);
	case ETHERTYPE_ARP:
		return receive_arp(udp, head, len);
	default:
		return count(&seen->ignored, CL_LINK_UDP_NOTHING);
	}
}

size_t cl_link_udp_answer(const struct cl_link_udp *udp, uint8_t *head, size_t len)
{
	const uint32_t port = load_be16(head + UDP_TO);

	return_frame(udp, head);
	return_address(udp, head);
	store_be16(head + IP_LENGTH, (uint32_t)(IP_HEADER + UDP_HEADER + len));
	store_be16(head + IP_IDENTIFICATION, 0);
	store_be16(head + IP_FRAGMENT, DONT_FRAGMENT);
	head[IP_TTL] = TIME_TO_LIVE;
	store_be16(head + IP_CHECKSUM, 0);
	store_sum(head + IP_CHECKSUM, ~cl_sum_fold(cl_sum(head + IP, IP_HEADER)));
	copy(head + UDP_TO, head + UDP_FROM, 2);
	store_be16(head + UDP_FROM, port);
	store_be16(head + UDP_LENGTH, (uint32_t)(UDP_HEADER + len));
	store_sum(head + CL_LINK_UDP_CHECKSUM,
		  cl_sum_fold(cl_sum_add(cl_sum(head + IP_FROM, IP_END - IP_FROM),
					 pseudo_header(UDP_HEADER + len))));
	return CL_LINK_UDP_HEADERS + len;
}
