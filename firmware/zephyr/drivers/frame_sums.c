/* SPDX-License-Identifier: BSD-2-Clause */
#include "frame_sums.h"

#include "links/copy_sum.h"

/*
 * Offsets in a frame (RFC 894), and in the headers of IPv4 (RFC 791), UDP (RFC 768) and ICMP (RFC
 * 792).
 */
#define ETHERTYPE     12u
#define IP            14u
#define IP_LENGTH     2u
#define IP_FRAGMENT   6u
#define IP_PROTOCOL   9u
#define IP_CHECKSUM   10u
#define IP_ADDRESSES  12u
#define UDP_CHECKSUM  6u
#define ICMP_CHECKSUM 2u

#define ETHERTYPE_IPV4  0x0800u
#define IP_HEADER_MIN   20u
#define IP_FRAGMENTED   0x3fffu
#define PROTOCOL_ICMP   1u
#define PROTOCOL_UDP    17u
#define ADDRESSES_BYTES 8u
/** If a checksum is right, data and checksum have this ones' complement sum (RFC 1071). */
#define RIGHT 0xffffu

/** Describes the payload of the IPv4 packet in a frame, and the payload's checksum. */
struct packet {
	/** Offset of the payload in the frame, and its length in bytes. */
	size_t from;
	size_t len;
	/** Offset of the payload's checksum; 0 if the payload has no checksum, as in a fragment. */
	size_t checksum;
	/** Sum of the payload's data. For UDP, it includes the pseudo header. */
	uint32_t sum;
};

static uint32_t load_be16(const uint8_t *from)
{
	return (uint32_t)from[0] << 8 | from[1];
}

/**
 * Swaps the two bytes of a 16-bit number, so that the number can be added to a cl_sum. The headers
 * are big-endian, but cl_sum reads the data as little-endian numbers.
 */
static uint32_t swap16(uint32_t number)
{
	return (number & 0xff) << 8 | number >> 8;
}

static bool is_ipv4(const uint8_t *frame, size_t len)
{
	return len >= IP + IP_HEADER_MIN && load_be16(frame + ETHERTYPE) == ETHERTYPE_IPV4;
}

static bool dissect(const uint8_t *frame, size_t len, uint32_t sum, struct packet *packet)
{
	const size_t header = 4u * (frame[IP] & 0xfu);
	const size_t total = load_be16(frame + IP + IP_LENGTH);
	const uint8_t protocol = frame[IP + IP_PROTOCOL];

	if (header < IP_HEADER_MIN || total < header || IP + total > len) {
		return false;
	}
	*packet = (struct packet){.from = IP + header, .len = total - header};
	if ((load_be16(frame + IP + IP_FRAGMENT) & IP_FRAGMENTED) != 0) {
		/*
		 * A UDP or ICMP checksum covers all fragments of a packet. One fragment is not
		 * enough to check this checksum.
		 */
		return true;
	}
	packet->sum = IP + total == len ? cl_sum_add(sum, ~cl_sum(frame, packet->from))
					: cl_sum(frame + packet->from, packet->len);
	if (protocol == PROTOCOL_UDP) {
		packet->checksum = packet->from + UDP_CHECKSUM;
		packet->sum =
			cl_sum_add(packet->sum, cl_sum(frame + IP + IP_ADDRESSES, ADDRESSES_BYTES));
		packet->sum = cl_sum_add(packet->sum,
					 swap16(PROTOCOL_UDP) + swap16((uint32_t)packet->len));
	} else if (protocol == PROTOCOL_ICMP) {
		packet->checksum = packet->from + ICMP_CHECKSUM;
	}
	return packet->checksum + 2 <= IP + total;
}

bool cl_frame_sums_are_right(const uint8_t *frame, size_t len, uint32_t sum)
{
	struct packet packet;

	if (!is_ipv4(frame, len)) {
		return true;
	}
	if (!dissect(frame, len, sum, &packet) ||
	    cl_sum_fold(cl_sum(frame + IP, packet.from - IP)) != RIGHT) {
		return false;
	}
	if (packet.checksum == 0) {
		return true;
	}
	/* A UDP checksum of 0 means that the sender computed none (RFC 768). */
	return (frame[IP + IP_PROTOCOL] == PROTOCOL_UDP &&
		load_be16(frame + packet.checksum) == 0) ||
	       cl_sum_fold(packet.sum) == RIGHT;
}

void cl_frame_sums_fill(uint8_t *frame, size_t len, uint32_t sum)
{
	struct packet packet;
	uint32_t checksum;

	if (!is_ipv4(frame, len) || !dissect(frame, len, sum, &packet)) {
		return;
	}
	if (load_be16(frame + IP + IP_CHECKSUM) == 0) {
		checksum = ~cl_sum_fold(cl_sum(frame + IP, packet.from - IP)) & RIGHT;
		*(volatile uint16_t *)(frame + IP + IP_CHECKSUM) = (uint16_t)checksum;
	}
	if (packet.checksum != 0 && load_be16(frame + packet.checksum) == 0) {
		checksum = ~cl_sum_fold(packet.sum) & RIGHT;
		/* Send the checksum 0 as 0xffff, because 0 would mean "no checksum". */
		*(volatile uint16_t *)(frame + packet.checksum) =
			(uint16_t)(checksum == 0 ? RIGHT : checksum);
	}
}
