/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests how received frames are copied to one network buffer, or to a chain of smaller buffers
 * (CONFIG_NET_BUF_DATA_SIZE). The whole frame must be copied and checked, and all buffers must
 * become free again.
 */
#include <string.h>

#include <zephyr/kernel.h>
#include <zephyr/net/ethernet.h>
#include <zephyr/ztest.h>

#include "frame_parts.h"
#include "frames.h"

#define CHAINS_MAX CONFIG_NET_BUF_RX_COUNT

static uint8_t slot[CL_FRAME_MAX + 2] __aligned(4);
static struct cl_ethernet_counters counts;

/**
 * Makes a frame of @p len bytes that contains a UDP datagram. The last @p padding bytes of the
 * frame are padding.
 */
static void make_frame(size_t len, size_t padding)
{
	static const uint8_t headers[DATA] = {
		2, 0, 0, 0,  0,  1, 2, 0,   0,   0, 0,  2,   8,   0, 0x45, 0,    0,    0,    0,
		1, 0, 0, 64, 17, 0, 0, 192, 168, 1, 50, 192, 168, 1, 99,   0x12, 0x34, 0x56, 0x78,
	};
	const size_t ip = len - padding - IP;

	for (size_t i = 0; i < len; i++) {
		slot[i] = (uint8_t)(7 * i + (i >> 8) + 1);
	}
	memcpy(slot, headers, sizeof(headers));
	slot[IP + 2] = (uint8_t)(ip >> 8);
	slot[IP + 3] = (uint8_t)ip;
	slot[UDP + 4] = (uint8_t)((ip - 20) >> 8);
	slot[UDP + 5] = (uint8_t)(ip - 20);
	const uint32_t header = checksum(0, slot + IP, UDP - IP);

	slot[IP + 10] = (uint8_t)(header >> 8);
	slot[IP + 11] = (uint8_t)header;
	const uint32_t udp = udp_checksum(slot, ip - 20);

	slot[UDP + 6] = (uint8_t)(udp >> 8);
	slot[UDP + 7] = (uint8_t)udp;
}

/**
 * Makes a frame, copies it to network buffers, compares their content with the frame, and frees
 * them.
 */
static void expect_whole(size_t len, size_t padding)
{
	size_t at = 0;

	make_frame(len, padding);
	struct net_buf *const first = cl_frame_parts_take(slot, len, &counts);

	zassert_not_null(first, "%u bytes", (unsigned int)len);
	for (const struct net_buf *part = first; part != NULL; part = part->frags) {
		zassert_true(part->len > 0 && at + part->len <= len, "part at %u",
			     (unsigned int)at);
		zassert_mem_equal(part->data, slot + at, part->len, "part at %u of %u",
				  (unsigned int)at, (unsigned int)len);
		at += part->len;
	}
	zassert_equal(at, len, "length");
	net_buf_unref(first);
}

/** Returns how many frames of the maximum length the free network buffers can contain. */
static size_t count_room(void)
{
	static struct net_buf *held[CHAINS_MAX];
	size_t room = 0;

	make_frame(CL_FRAME_MAX, 0);
	while (room < CHAINS_MAX &&
	       (held[room] = cl_frame_parts_take(slot, CL_FRAME_MAX, &counts)) != NULL) {
		room++;
	}
	for (size_t i = 0; i < room; i++) {
		net_buf_unref(held[i]);
	}
	return room;
}

ZTEST(parts, test_frames_are_taken_whole)
{
	static const size_t lengths[] = {
		DATA, 60, 113, 114, 115, 241, 242, 243, CL_FRAME_MAX - 1, CL_FRAME_MAX,
	};
	const uint32_t before = counts.checksum_errors;

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		expect_whole(lengths[i], 0);
	}
	expect_whole(60, 10);
	expect_whole(400, 101);
	zassert_equal(counts.checksum_errors, before, "errors");
}

ZTEST(parts, test_damage_in_any_part_is_noticed)
{
	static const size_t places[] = {IP + 8, DATA, 113, 114, 500, CL_FRAME_MAX - 1};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const uint32_t before = counts.checksum_errors;

		make_frame(CL_FRAME_MAX, 0);
		slot[places[i]] ^= 4;
		zassert_is_null(cl_frame_parts_take(slot, CL_FRAME_MAX, &counts), "at %u",
				(unsigned int)places[i]);
		zassert_equal(counts.checksum_errors, before + 1, "counted");
	}
}

ZTEST(parts, test_what_is_refused_keeps_no_buffer)
{
	const size_t room = count_room();

	zassert_true(room > 0, "room");
	slot[DATA] ^= 1;
	zassert_is_null(cl_frame_parts_take(slot, CL_FRAME_MAX, &counts), "damaged");
	slot[DATA] ^= 1;
	slot[6] |= 1;
	zassert_is_null(cl_frame_parts_take(slot, CL_FRAME_MAX, &counts), "from a group");
	zassert_is_null(cl_frame_parts_take(slot, CL_FRAME_MAX + 1, &counts), "too long");
	zassert_equal(count_room(), room, "all buffers are free again");
}

ZTEST_SUITE(parts, NULL, NULL, NULL, NULL, NULL);
