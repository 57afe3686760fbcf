/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests the driver of LiteEth's Ethernet MAC. The driver must be able to send a packet from a chain
 * of buffers with any lengths. If the net stack uses protocols that the driver does not support,
 * the driver must not offer to compute checksums.
 */
#include <string.h>

#include <zephyr/kernel.h>
#include <zephyr/net/ethernet.h>
#include <zephyr/net/net_if.h>
#include <zephyr/net/net_pkt.h>
#include <zephyr/ztest.h>

#include "frames.h"

#define FRAME_BYTES (DATA + 61)

static const struct device *const mac = DEVICE_DT_GET(MAC);
static uint8_t frame[FRAME_BYTES];

/** Makes a frame with a UDP datagram of 61 data bytes, in which the checksum fields are 0. */
static void make_frame(void)
{
	static const uint8_t headers[DATA] = {
		2,    0,  0,   0,   0, 1,  2,    0,    0,    0,    0, 2,  8,   0,
		0x45, 0,  0,   89,  0, 1,  0,    0,    64,   17,   0, 0,  192, 168,
		1,    50, 192, 168, 1, 99, 0x12, 0x34, 0x56, 0x78, 0, 69, 0,   0,
	};

	memcpy(frame, headers, sizeof(headers));
	for (size_t i = DATA; i < FRAME_BYTES; i++) {
		frame[i] = (uint8_t)(7 * i + 1);
	}
}

/**
 * Sends the frame in a chain of buffers, and checks that the transmit slot contains the frame with
 * its checksums. The buffers have the lengths in @p parts. If there are more buffers than lengths,
 * the list of lengths is repeated.
 */
static void send(const size_t *parts, size_t count, bool shifted)
{
	const struct ethernet_api *const api = mac->api;
	const uint8_t *const slot = next_slot();
	struct net_pkt *const pkt = net_pkt_alloc_on_iface(net_if_get_default(), K_NO_WAIT);
	size_t at = 0;

	zassert_not_null(pkt, "packet");
	for (size_t i = 0; at < FRAME_BYTES; i++) {
		const size_t len = MIN(parts[i % count], FRAME_BYTES - at);
		struct net_buf *const part =
			net_pkt_get_reserve_rx_data(FRAME_BYTES + 1, K_NO_WAIT);

		zassert_not_null(part, "part %u", (unsigned int)i);
		net_buf_reserve(part, shifted);
		net_buf_add_mem(part, frame + at, len);
		net_pkt_frag_add(pkt, part);
		at += len;
	}
	zassert_equal(api->send(mac, pkt), 0, "send");
	net_pkt_unref(pkt);
	count_sent();
	k_busy_wait(100); /* wait until the Ethernet MAC has sent the frame */
	const uint32_t ip = checksum(0, frame + IP, UDP - IP);
	const uint32_t udp = udp_checksum(frame, FRAME_BYTES - UDP);

	zassert_equal(slot[IP + 10] << 8 | slot[IP + 11], ip, "IPv4's checksum");
	zassert_equal(slot[UDP + 6] << 8 | slot[UDP + 7], udp, "UDP's checksum");
	zassert_mem_equal(slot, frame, IP + 10, "headers");
	zassert_mem_equal(slot + IP + 12, frame + IP + 12, UDP + 6 - IP - 12, "headers");
	zassert_mem_equal(slot + DATA, frame + DATA, FRAME_BYTES - DATA, "data");
}

ZTEST(ethernet, test_packets_in_parts)
{
	static const size_t whole[] = {FRAME_BYTES};
	static const size_t even[] = {14, 20, 8, 40};
	static const size_t odd[] = {DATA + 3, 7, 20};
	static const size_t odd_headers[] = {15, 21, 33};

	make_frame();
	send(whole, ARRAY_SIZE(whole), false);
	send(even, ARRAY_SIZE(even), false);
	send(odd, ARRAY_SIZE(odd), false);
	send(odd_headers, ARRAY_SIZE(odd_headers), false);
	send(even, ARRAY_SIZE(even), true);
}

/**
 * The driver computes checksums only for unfragmented IPv4 packets with UDP or ICMP. If the net
 * stack supports more protocols, the net stack must compute all checksums.
 */
ZTEST(ethernet, test_claims_what_it_does)
{
	static const enum net_if_checksum_type types[] = {
		NET_IF_CHECKSUM_IPV4_HEADER,
		NET_IF_CHECKSUM_IPV4_UDP,
		NET_IF_CHECKSUM_IPV4_ICMP,
	};
	const struct ethernet_api *const api = mac->api;
	const bool claims = (api->get_capabilities(mac) &
			     (ETHERNET_HW_RX_CHKSUM_OFFLOAD | ETHERNET_HW_TX_CHKSUM_OFFLOAD)) != 0;

	const bool more = IS_ENABLED(CONFIG_NET_TCP) || IS_ENABLED(CONFIG_NET_IPV6) ||
			  IS_ENABLED(CONFIG_NET_IPV4_FRAGMENT);

	zassert_equal(claims, !more, "claims");
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct net_if *const iface = net_if_get_default();

		zassert_equal(net_if_need_calc_tx_checksum(iface, types[i]), !claims,
			      "transmitted");
		zassert_equal(net_if_need_calc_rx_checksum(iface, types[i]), !claims, "received");
	}
}

ZTEST_SUITE(ethernet, NULL, NULL, NULL, NULL, NULL);
