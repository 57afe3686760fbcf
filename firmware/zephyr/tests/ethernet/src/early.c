/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests which frames the Ethernet driver handles itself, before the net stack sees them. The driver
 * must leave all other frames unchanged. The test passes frames to the driver as if the Ethernet
 * MAC had received them.
 */
#include <string.h>

#include <zephyr/kernel.h>
#include <zephyr/net/net_if.h>
#include <zephyr/ztest.h>

#include <cipherlane/ethernet.h>
#include <cipherlane/soc.h>

#include "aes/engines.h"
#include "early.h"
#include "frames.h"
#include "links/copy_sum.h"

#define PORT        CL_WIRE_UDP_PORT
#define RECORD      DATA
#define FRAME_BYTES (RECORD + CL_WIRE_HEADER_SIZE)

static const uint8_t host_mac[] = {2, 0, 0, 0, 0, 1};
static const uint8_t host[] = {192, 168, 1, 99};
static struct in_addr own = {{{192, 168, 1, 50}}};
static struct in_addr other = {{{10, 1, 2, 3}}};

static struct cl_service service;
static struct cl_streams streams CL_SOC_IN_BUFFER;
static struct cl_wire_network_reply network;
static struct cl_link link = {.max_data = CL_LINK_UDP_MAX_DATA, .network = &network};
static uint8_t slot[SLOT_BYTES] CL_SOC_IN_BUFFER;
static struct net_if *iface;
static unsigned int locks;

static struct cl_service *lock(void)
{
	locks++;
	return &service;
}

static void unlock(void)
{
	locks--;
}

/** Writes a frame with the request record `info`, sent from UDP port 0x1234. */
static void make_frame(void)
{
	static const uint8_t ip[UDP - IP] = {0x45, 0, 0, FRAME_BYTES - IP, 0, 1, 0, 0, 64, 17};
	static const uint8_t udp[DATA - UDP] = {0x12,        0x34, PORT >> 8,
						PORT & 0xff, 0,    FRAME_BYTES - UDP};
	static const struct cl_wire_header info = {.version = CL_WIRE_VERSION,
						   .type = CL_WIRE_TYPE_INFO};

	memset(slot, 0, sizeof(slot));
	memcpy(slot, net_if_get_link_addr(iface)->addr, 6);
	memcpy(slot + 6, host_mac, sizeof(host_mac));
	slot[12] = 8;
	memcpy(slot + IP, ip, sizeof(ip));
	memcpy(slot + IP + 12, host, sizeof(host));
	memcpy(slot + IP + 16, &own, sizeof(own));
	memcpy(slot + UDP, udp, sizeof(udp));
	cl_wire_put_header(slot + RECORD, &info);
}

static void put_be16(uint8_t *to, uint32_t value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

static void fill_sums(void)
{
	put_be16(slot + IP + 10, 0);
	put_be16(slot + IP + 10, checksum(0, slot + IP, UDP - IP));
	put_be16(slot + UDP + 6, 0);
	put_be16(slot + UDP + 6, udp_checksum(slot, FRAME_BYTES - UDP));
}

/**
 * Passes the frame to the driver, as if the Ethernet MAC had received it. Returns true if the
 * driver has handled the frame itself.
 */
static bool receive(void)
{
	uint32_t sums[3] = {0, 0, cl_sum(slot, FRAME_BYTES)};
	struct cl_frame frame;

	memcpy(slot + DT_PROP(MAC, slot_sums), sums, sizeof(sums));
	cl_frame_take(&frame, slot, FRAME_BYTES, slot + DT_PROP(MAC, slot_sums));
	return cl_early_receive(iface, &frame, cl_soc_cycles(NULL));
}

/** Checks that the driver answers the frame, and that the answer's source is IP address @p from. */
static void expect_answer(const struct in_addr *from)
{
	const uint8_t *const answer = next_slot();

	zassert_true(receive(), "carried out");
	count_sent();
	k_busy_wait(100); /* wait until the Ethernet MAC has sent the answer */
	zassert_mem_equal(answer, host_mac, 6, "to MAC");
	zassert_mem_equal(answer + 6, net_if_get_link_addr(iface)->addr, 6, "from MAC");
	zassert_mem_equal(answer + IP + 12, from, 4, "from");
	zassert_mem_equal(answer + IP + 16, host, 4, "to");
	zassert_equal(answer[UDP + 2] << 8 | answer[UDP + 3], 0x1234, "to port");
	zassert_equal(checksum(0, answer + IP, UDP - IP), 0, "IPv4's checksum");
	zassert_equal(answer[RECORD + CL_WIRE_HEADER_TYPE], CL_WIRE_TYPE_INFO | CL_WIRE_REPLY,
		      "reply");
	zassert_equal(locks, 0, "the service is given back");
}

/**
 * Checks that the driver leaves the frame to the net stack, does not change it, and sends nothing.
 */
static void expect_passed_on(const char *what)
{
	static uint8_t before[FRAME_BYTES];
	static uint8_t sent[FRAME_BYTES];

	memcpy(before, slot, sizeof(before));
	memcpy(sent, next_slot(), sizeof(sent));
	zassert_false(receive(), "%s", what);
	zassert_mem_equal(slot, before, sizeof(before), "%s", what);
	zassert_mem_equal(next_slot(), sent, sizeof(sent), "%s", what);
	zassert_equal(locks, 0, "the service is given back");
}

/**
 * Checks that the driver leaves a changed frame to the net stack. The change inverts the bits @p
 * change of the byte at offset @p at. If @p summed is true, the frame has the right checksums for
 * its changed content. If @p summed is false, it has the checksums of the original frame.
 */
static void expect_other_passed_on(const char *what, size_t at, uint8_t change, bool summed)
{
	make_frame();
	if (!summed) {
		fill_sums();
	}
	slot[at] ^= change;
	if (summed) {
		fill_sums();
	}
	expect_passed_on(what);
}

static void *serve(void)
{
	static const struct cl_engine *const engines[] = {&cl_engine_byte};
	static const struct cl_platform platform = {
		.board = "suite",
		.firmware = "suite",
		.kind = CL_WIRE_KIND_SIM,
		.max_data = 16,
		.clock_hz = 1,
		.streams = &streams,
		.identity = &cl_engine_byte,
		.engines = engines,
		.engine_count = ARRAY_SIZE(engines),
		.cycles = cl_soc_cycles,
	};
	static const struct cl_ethernet_service server = {
		.link = &link, .port = PORT, .lock = lock, .unlock = unlock};

	iface = net_if_get_default();
	zassert_equal(cl_service_init(&service, &platform), 0, "service");
	zassert_not_null(net_if_ipv4_addr_add(iface, &own, NET_ADDR_MANUAL, 0), "address");
	make_frame();
	fill_sums();
	expect_passed_on("before there is a service");
	cl_ethernet_serve(&server);
	return NULL;
}

ZTEST(early, test_a_record_is_answered_to_where_it_came_from)
{
	make_frame();
	fill_sums();
	expect_answer(&own);
	make_frame();
	fill_sums();
	put_be16(slot + UDP + 6, 0); /* the sender computed none */
	expect_answer(&own);
}

ZTEST(early, test_what_is_not_beyond_doubt_is_left_to_the_stack)
{
	expect_other_passed_on("another EtherType", 13, 6, true);
	expect_other_passed_on("IPv4 options", IP, 3, true);
	expect_other_passed_on("a first fragment", IP + 6, 0x20, true);
	expect_other_passed_on("another fragment", IP + 7, 1, true);
	expect_other_passed_on("another protocol", IP + 9, 1, true);
	expect_other_passed_on("another port", UDP + 3, 1, true);
	expect_other_passed_on("another length", UDP + 5, 1, true);
	expect_other_passed_on("another MAC address", 5, 1, true);
	expect_other_passed_on("from a group", 6, 1, true);
	expect_other_passed_on("another IPv4 address", IP + 19, 1, true);
	expect_other_passed_on("IPv4's checksum", IP + 10, 1, false);
	expect_other_passed_on("UDP's checksum", UDP + 6, 1, false);
	expect_other_passed_on("a damaged record", RECORD + 20, 1, false);
}

ZTEST(early, test_the_interface_s_address_is_the_stack_s)
{
	make_frame();
	fill_sums();
	zassert_equal(net_if_down(iface), 0, "down");
	expect_passed_on("interface down");
	zassert_equal(net_if_up(iface), 0, "up");
	zassert_true(net_if_ipv4_addr_rm(iface, &own), "removed");
	expect_passed_on("no address");
	struct net_if_addr *const held = net_if_ipv4_addr_add(iface, &other, NET_ADDR_MANUAL, 0);

	zassert_not_null(held, "added");
	expect_passed_on("the address of before");
	memcpy(slot + IP + 16, &other, sizeof(other));
	fill_sums();
	held->addr_state = NET_ADDR_TENTATIVE;
	expect_passed_on("not the interface's yet");
	held->addr_state = NET_ADDR_PREFERRED;
	expect_answer(&other);
	zassert_true(net_if_ipv4_addr_rm(iface, &other), "removed");
	zassert_not_null(net_if_ipv4_addr_add(iface, &own, NET_ADDR_MANUAL, 0), "address");
}

ZTEST_SUITE(early, NULL, serve, NULL, NULL, NULL);
