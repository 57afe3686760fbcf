/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The benchmark of LTE's layer 2 on bare metal. The host sends a transport block. The program
 * processes the block several times, as a terminal processes a received block. Then it reports the
 * cycles that the processing took.
 *
 * A request is a struct lte_bench_request (lte_bench.h), then the block. Before each pass, the
 * program resets the receiver, so that the receiver expects the first PDU. The program also
 * invalidates the data cache, as if a modem had just written the block to memory. After the timed
 * passes, one more pass computes a CRC-32 over all packets.
 *
 * The reply is eleven words: status; cycles of the first pass; cycles of the shortest and of the
 * longest of the other passes; number of packets and their total bytes; number of control, unknown
 * and dropped PDUs; CRC-32; CPU cycles per second. Numbers of packets and PDUs are from the last
 * pass.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>

#include "accelerator/engine_accel.h"
#include "engine_snow3g.h"
#include "aes/engines.h"
#include "lte_bench.h"
#include "links/crc32.h"
#include "port.h"
#include "vector/engine_ise.h"

#define BOUNCE_BYTES 512u

/**
 * The state of the packet buffers. `next` is the number of the buffer for the next packet, which
 * overwrites the oldest packet. If `checks` is true, deliver() computes a CRC-32 over the packets.
 */
struct sink {
	uint32_t next;
	uint32_t crc;
	bool checks;
};

static uint8_t block[LTE_BENCH_BLOCK_BYTES] __attribute__((section(".buffer"), aligned(32)));
static uint8_t packets[LTE_BENCH_PACKETS][LTE_PACKET_BYTES + 4]
	__attribute__((section(".buffer"), aligned(32)));
static uint8_t bounce[BOUNCE_BYTES] __attribute__((section(".buffer"), aligned(16)));

static uint8_t *room(void *context)
{
	struct sink *const sink = context;

	return packets[sink->next];
}

static void deliver(void *context, const uint8_t *packet, size_t len)
{
	struct sink *const sink = context;

	sink->next = (sink->next + 1) % LTE_BENCH_PACKETS;
	if (sink->checks) {
		/* If a DMA wrote the packet, the cache can contain old data. So empty the cache. */
		port_dcache_flush();
		sink->crc = cl_crc32(sink->crc, packet, len);
	}
}

/**
 * Processes the block in all passes. Writes the results to @p reply, which points to the word after
 * the status in the reply.
 */
static int measure(const struct lte_bench_request *request, const struct cl_engine *engine,
		   uint32_t reply[10])
{
	static struct cl_engine_key key;
	struct sink sink = {0};
	int status = 0;

	if (engine != NULL) {
		status = engine->set_key(engine, &key, (const uint8_t *)request->key,
					 LTE_BENCH_KEY_BITS);
	}
	reply[1] = UINT32_MAX;
	for (uint32_t pass = 0; pass <= request->passes && status == 0; pass++) {
		struct lte_bearer bearer = lte_bench_bearer(request, engine, &key);
		struct lte_stack stack = {
			.bearers = &bearer,
			.bearer_count = 1,
			.room = room,
			.deliver = deliver,
			.context = &sink,
		};

		sink.checks = pass == request->passes;
		port_dcache_flush();
		const uint32_t start = port_cycles(NULL);

		status = lte_receive(&stack, block, request->bytes);
		const uint32_t cycles = port_cycles(NULL) - start;

		if (pass == 0) {
			reply[0] = cycles;
		} else if (!sink.checks) {
			reply[1] = cycles < reply[1] ? cycles : reply[1];
			reply[2] = cycles > reply[2] ? cycles : reply[2];
		}
		reply[3] = stack.counts.packets;
		reply[4] = stack.counts.bytes;
		reply[5] = stack.counts.control;
		reply[6] = stack.counts.unknown;
		reply[7] = stack.counts.dropped;
	}
	reply[8] = sink.crc;
	reply[9] = CONFIG_CLOCK_FREQUENCY;
	if (engine != NULL) {
		engine->clear(engine, &key);
	}
	return status;
}

static void receive(uint32_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		words[i] = port_receive_word();
	}
}

int main(void)
{
	static struct cl_ise_device ise_device = {
		.memory = {BUFFER_BASE, BUFFER_SIZE, port_drain, port_dcache_flush},
	};
	static struct cl_accel_device accel_device = {
		.dma_origin = BUFFER_BASE,
		.dma_bytes = BUFFER_SIZE,
		.bounce = bounce,
		.bounce_bytes = BOUNCE_BYTES,
	};
	static struct cl_accel_device snow3g_device = {
		.dma_origin = BUFFER_BASE,
		.dma_bytes = BUFFER_SIZE,
		.bounce = bounce,
		.bounce_bytes = BOUNCE_BYTES,
	};
	const struct cl_engine ise = cl_engine_ise(&ise_device);
	const struct cl_engine ise_fused = cl_engine_ise_fused(&ise_device);
	const struct cl_engine ise_vmem = cl_engine_ise_vmem(&ise_device);
	const struct cl_engine accelerator = cl_engine_accel(&accel_device);
	const struct cl_engine snow3g = cl_engine_snow3g(&snow3g_device);
	const struct cl_engine *const engines[] = {
		NULL,       &cl_engine_byte, &cl_engine_table, &ise,
		&ise_fused, &ise_vmem,       &accelerator,     &snow3g,
	};
	int ready = cl_engine_accel_init(&accel_device, (volatile uint32_t *)CSR_ACCELERATOR_BASE,
					 port_dcache_flush);

	if (ready == 0) {
		ready = cl_engine_accel_init(&snow3g_device, (volatile uint32_t *)CSR_SNOW3G_BASE,
					     port_dcache_flush);
	}

	for (;;) {
		struct lte_bench_request request;
		uint32_t reply[11] = {(uint32_t)-EINVAL};

		receive(&request.cipher, sizeof(request) / 4);
		if (request.bytes > LTE_BENCH_BLOCK_BYTES) {
			/*
			 * The block does not fit in this program's buffer. The host must not send
			 * such a block: the program would read the block's words as new requests.
			 */
			port_send_words(reply, 11);
			continue;
		}
		receive((uint32_t *)(void *)block, (request.bytes + 3) / 4);
		if (ready != 0) {
			reply[0] = (uint32_t)ready;
		} else if (request.cipher < sizeof(engines) / sizeof(engines[0]) &&
			   request.passes >= 2) {
			reply[0] = (uint32_t)measure(&request, engines[request.cipher], reply + 1);
		}
		port_send_words(reply, 11);
	}
}
