/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies frames between the Ethernet MAC's slots and network buffers. While copying, the code also
 * computes the sum of the frame's data. With this sum, the driver checks or computes the checksums
 * without a second pass over the data.
 *
 * A frame in a slot begins at a word boundary. A frame in a network buffer begins 2 bytes after a
 * word boundary, so that the data after the headers of Ethernet, IPv4 and UDP are word-aligned.
 */
#include "frame_parts.h"

#include <string.h>

#include <zephyr/net/ethernet.h>
#include <zephyr/net/net_pkt.h>

#include <cipherlane/soc.h>

#include "frame_sums.h"
#include "links/copy_sum.h"
#include "links/link_udp.h"
#include "zeroize.h"

/* Number of unused bytes before the frame in a network buffer. */
#define HEADROOM      14
#define ALLOC_TIMEOUT K_MSEC(10)

BUILD_ASSERT(CONFIG_NET_BUF_DATA_SIZE % 4 == 0, "what is in each buffer begins at a word");
BUILD_ASSERT(CONFIG_NET_BUF_DATA_SIZE >= 64, "the first buffer has a frame's headers");

/** Works like cl_copy_sum. Also adds the copy's clock cycles to the counter frame_copy_cycles. */
static uint32_t copy(uint8_t *to, const uint8_t *from, size_t len,
		     struct cl_ethernet_counters *counts)
{
	const uint32_t start = cl_soc_cycles(NULL);
	const uint32_t sum = cl_copy_sum(to, from, len);

	counts->frame_copy_cycles += cl_soc_cycles(NULL) - start;
	return sum;
}

/**
 * Copies a frame into as many network buffers as it needs. Returns NULL if there is not enough
 * memory.
 */
static struct net_buf *copy_parts(const uint8_t *slot, size_t len, uint32_t *sum,
				  struct cl_ethernet_counters *counts)
{
	struct net_buf *first = NULL;
	struct net_buf *last = NULL;
	size_t headroom = HEADROOM;

	*sum = 0;
	for (size_t done = 0; done < len;) {
		struct net_buf *const part = net_pkt_get_reserve_rx_data(
			MIN(CONFIG_NET_BUF_DATA_SIZE, headroom + len - done), ALLOC_TIMEOUT);

		if (part == NULL) {
			if (first != NULL) {
				net_buf_unref(first);
			}
			return NULL;
		}
		net_buf_reserve(part, headroom);
		headroom = 0;
		const size_t bytes = MIN(net_buf_tailroom(part), len - done);

		*sum = cl_sum_add(*sum, copy(net_buf_add(part, bytes), slot + done, bytes, counts));
		done += bytes;
		if (first == NULL) {
			first = part;
		} else {
			last->frags = part;
		}
		last = part;
	}
	return first;
}

struct net_buf *cl_frame_parts_take(const uint8_t *slot, size_t len,
				    struct cl_ethernet_counters *counts)
{
	uint32_t sum;
	struct net_buf *const first =
		len > CL_FRAME_MAX ? NULL : copy_parts(slot, len, &sum, counts);

	if (first == NULL) {
		return NULL;
	}
	const uint8_t *const frame = first->frags == NULL ? first->data : slot;
	const bool is_right = cl_frame_sums_are_right(frame, len, sum);

	counts->checksum_errors += !is_right;
	/*
	 * Drop a frame if its source address cannot belong to a single other station, for example a
	 * broadcast address. The net stack would answer some of these frames.
	 */
	if (is_right && !cl_link_udp_is_from_nobody(frame, len)) {
		return first;
	}
	for (struct net_buf *part = first; part != NULL; part = part->frags) {
		cl_zeroize(part->data, part->len); /* the dropped frame can contain a key */
	}
	net_buf_unref(first);
	return NULL;
}

size_t cl_frame_parts_assemble(uint8_t *slot, const struct net_pkt *pkt,
			       struct cl_ethernet_counters *counts)
{
	size_t len = 0;
	uint32_t sum = 0;
	bool even = true;

	for (const struct net_buf *part = pkt->buffer; part != NULL; part = part->frags) {
		even = even && ((len | (uintptr_t)part->data) & 1) == 0;
		if (even) {
			sum = cl_sum_add(sum, copy(slot + len, part->data, part->len, counts));
		} else {
			memcpy(slot + len, part->data, part->len);
		}
		len += part->len;
	}
	cl_frame_sums_fill(slot, len, even ? sum : cl_sum(slot, len));
	return len;
}

/** Zeroizes all free buffers of a pool. */
static void erase_buffers(struct net_buf_pool *pool)
{
	struct net_buf *held = NULL;
	struct net_buf *buffer;

	while ((buffer = net_buf_alloc_len(pool, CONFIG_NET_BUF_DATA_SIZE, K_NO_WAIT)) != NULL) {
		cl_zeroize(buffer->__buf, buffer->size);
		buffer->frags = held;
		held = buffer;
	}
	if (held != NULL) {
		net_buf_unref(held);
	}
}

void cl_frame_parts_forget(void)
{
	struct k_mem_slab *slab;
	struct net_buf_pool *rx;
	struct net_buf_pool *tx;

	net_pkt_get_info(&slab, &slab, &rx, &tx);
	erase_buffers(rx);
	erase_buffers(tx);
}
