/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The benchmark of LTE's layer 2 in Zephyr's threads. The host sends a transport block. The program
 * processes the block once in each TTI (1 ms) and reports how long the processing took. The program
 * repeats this measurement for each order of the threads' priorities.
 *
 * A request on the UART is a struct lte_bench_request (lte_bench.h), then the block. `cipher` is a
 * number from ciphers.h, and `passes` is the number of timed TTIs. After the timed TTIs, the
 * program processes the block once more, to compute a CRC-32 over all packets. The reply contains
 * one struct reply for each value of enum threads_order.
 */
#include <errno.h>
#include <string.h>

#include <zephyr/device.h>
#include <zephyr/drivers/uart.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include <cipherlane/soc.h>

#include "ciphers.h"
#include "costs.h"
#include "links/crc32.h"
#include "lte_bench.h"
#include "threads.h"

/** Words, little-endian. */
struct reply {
	uint32_t status;
	/** CRC-32 over the packets of the last block. The time of this block is not measured. */
	uint32_t crc;
	struct threads_outcome outcome;
};

/**
 * The state of the packet buffers. `next` is the number of the buffer for the next packet, which
 * overwrites the oldest packet. For the last block, deliver() also computes a CRC-32.
 */
struct sink {
	uint32_t next;
	uint32_t crc;
};

static const struct device *const uart = DEVICE_DT_GET(DT_CHOSEN(cipherlane_uart));

static uint8_t block[LTE_BENCH_BLOCK_BYTES] CL_SOC_IN_BUFFER;
static uint8_t packets[LTE_BENCH_PACKETS][LTE_PACKET_BYTES + 4] CL_SOC_IN_BUFFER;

static void receive(void *to, size_t size)
{
	uint8_t *const bytes = to;

	for (size_t i = 0; i < size;) {
		i += (size_t)uart_fifo_read(uart, &bytes[i], (int)(size - i));
	}
}

static void send(const void *from, size_t size)
{
	const uint8_t *bytes = from;

	while (size > 0) {
		const int sent = uart_fifo_fill(uart, bytes, (int)size);

		bytes += sent;
		size -= (size_t)sent;
	}
}

static uint8_t *room(void *context)
{
	const struct sink *const sink = context;

	return packets[sink->next];
}

static void deliver(void *context, const uint8_t *packet, size_t len, bool checks)
{
	struct sink *const sink = context;

	sink->next = (sink->next + 1) % LTE_BENCH_PACKETS;
	if (checks) {
		/* If a DMA wrote the packet, the cache can contain old data. So empty the cache. */
		cl_soc_dcache_flush();
		sink->crc = cl_crc32(sink->crc, packet, len);
	}
}

/** Processes the block as the request specifies. @p order sets the priorities of the threads. */
static int measure(const struct lte_bench_request *request, const struct cl_engine *engine,
		   enum threads_order order, struct reply *reply)
{
	static struct cl_engine_key key;
	static struct sink sink;
	const struct threads_plan plan = {
		.order = order,
		.block = block,
		.len = request->bytes,
		.blocks = request->passes,
		.bearer = lte_bench_bearer(request, engine, &key),
		.room = room,
		.deliver = deliver,
		.context = &sink,
	};
	int status = 0;

	memset(&key, 0, sizeof(key));
	memset(&sink, 0, sizeof(sink));
	if (engine != NULL) {
		status = engine->set_key(engine, &key, (const uint8_t *)request->key,
					 LTE_BENCH_KEY_BITS);
	}
	if (status != 0) {
		return status;
	}
	status = threads_run(&plan, &reply->outcome);
	if (engine != NULL && status != -ETIMEDOUT) {
		engine->clear(engine, &key);
	}
	reply->crc = sink.crc;
	return status;
}

int main(void)
{
	const struct costs costs = costs_measure();

	printk("from thread to thread: %u cycles\n", costs.yield);
	printk("a PDU into a queue and out of it: %u cycles\n", costs.queue);
	printk("to a thread that waits for it, and back: %u cycles\n", costs.hand_over);
	printk("transport blocks on %s\n", uart->name);
	for (;;) {
		struct lte_bench_request request;
		bool is_there = false;

		receive(&request, sizeof(request));
		/*
		 * If the block is too long, the program does not read it. The host must not send
		 * such a block.
		 */
		if (request.bytes <= LTE_BENCH_BLOCK_BYTES) {
			receive(block, ROUND_UP(request.bytes, 4));
			is_there = request.cipher < CIPHERS;
		}
		for (unsigned int order = 0; order < THREADS_ORDERS; order++) {
			struct reply reply = {.status = (uint32_t)-EINVAL};

			if (is_there) {
				reply.status = (uint32_t)measure(&request, cipher(request.cipher),
								 (enum threads_order)order, &reply);
			}
			send(&reply, sizeof(reply));
		}
	}
}
