/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * A host program that runs the benchmark's LTE layer 2. test_layer2.py builds it with sanitizers.
 *
 * A request on standard input is ten 32-bit words, then a transport block. The words are: mode,
 * four words of the key, COUNT of the first PDU, BEARER, LCID, misalignment of the block, length of
 * the block. Mode 0 is 128-EEA0. Mode 1 is 128-EEA2 with the engine `table`. Mode 2 is like mode 1,
 * but PDCP deciphers directly from the block without copying the data first, as with the
 * accelerator. Mode 3 continues with the state of the previous request's bearer. If 256 is added to
 * the mode, each layer finishes the whole block before the next layer starts.
 *
 * A reply is seven 32-bit words: status, the five counts of struct lte_counts, COUNT of the last
 * PDU. Then come the packets; the length of each packet precedes it. The length 2^32 - 1 marks the
 * end. Words have the host's byte order.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aes/engines.h"
#include "layer2.h"

#define END        UINT32_MAX
#define BY_LAYERS  256u
#define QUEUE_PDUS 65536u

struct request {
	uint32_t how;
	uint32_t key[4];
	uint32_t count;
	uint32_t identity;
	uint32_t lcid;
	uint32_t misalign;
	uint32_t len;
};

static uint8_t *packets;
static size_t used;

static void put(uint32_t word)
{
	memcpy(packets + used, &word, 4);
	used += 4;
}

/*
 * Returns newly allocated memory of exactly the size of the longest packet. So the sanitizer
 * notices writes beyond this memory.
 */
static uint8_t *room(void *context)
{
	uint8_t **const packet = context;

	free(*packet);
	*packet = malloc(LTE_PACKET_BYTES);
	return *packet;
}

static void deliver(void *context, const uint8_t *packet, size_t len)
{
	(void)context;
	put((uint32_t)len);
	memcpy(packets + used, packet, len);
	used += len;
}

/**
 * Reads the block from standard input into newly allocated memory. This memory consists only of the
 * aligned 32-bit words that contain bytes of the block. So the sanitizers notice every read outside
 * these words.
 */
static uint8_t *take(const struct request *request, uint8_t **words)
{
	*words = malloc((request->misalign + request->len + 3) / 4 * 4);
	uint8_t *const block = *words + request->misalign;

	if (fread(block, 1, request->len, stdin) != request->len) {
		exit(2);
	}
	return block;
}

/**
 * Receives a block as lte_receive() does, but each layer finishes the whole block before the next
 * layer starts.
 */
static int receive_by_layers(struct lte_stack *stack, const uint8_t *block, size_t len)
{
	static struct lte_pdu queue[QUEUE_PDUS];
	struct lte_mac mac;
	size_t rlc = 0;
	size_t pdcp = 0;
	int result = lte_mac_begin(&mac, block, len);

	while (result == 0 && lte_mac_next(stack, &mac, &queue[rlc])) {
		rlc++;
	}
	for (size_t i = 0; i < rlc; i++) {
		if (lte_rlc(stack, &queue[i])) {
			queue[pdcp++] = queue[i];
		}
	}
	for (size_t i = 0; i < pdcp && result == 0; i++) {
		result = lte_pdcp(stack, &queue[i]);
	}
	return result;
}

int main(void)
{
	static struct lte_bearer bearer;
	static struct cl_engine_key key;
	struct cl_engine table = cl_engine_table;
	struct request request;

	packets = malloc(1 << 22);
	while (fread(&request, sizeof(request), 1, stdin) == 1) {
		uint8_t *words;
		uint8_t *packet = NULL;
		const uint8_t *const block = take(&request, &words);
		const bool by_layers = (request.how & BY_LAYERS) != 0;
		const uint32_t how = request.how & ~BY_LAYERS;
		struct lte_stack stack = {
			.bearers = &bearer,
			.bearer_count = 1,
			.room = room,
			.deliver = deliver,
			.context = &packet,
		};

		if (how < 3) {
			table.anywhere = how == 2;
			(void)table.set_key(&table, &key, (const uint8_t *)request.key, 128);
			bearer = (struct lte_bearer){
				.engine = how == 0 ? NULL : &table,
				.key = &key,
				.lcid = (uint8_t)request.lcid,
				.identity = (uint8_t)request.identity,
				.rlc_next = request.count & 0x3ff,
				.count = request.count - 1,
			};
		}
		used = 28;
		const int status =
			(by_layers ? receive_by_layers : lte_receive)(&stack, block, request.len);
		const uint32_t head[7] = {
			(uint32_t)status,     stack.counts.packets, stack.counts.bytes,
			stack.counts.control, stack.counts.unknown, stack.counts.dropped,
			bearer.count,
		};

		memcpy(packets, head, sizeof(head));
		put(END);
		if (fwrite(packets, 1, used, stdout) != used) {
			return 3;
		}
		free(packet);
		free(words);
	}
	free(packets);
	return 0;
}
