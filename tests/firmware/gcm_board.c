/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Program for the simulated board: runs CTR or GCM on the vector unit's engines. A test on the host
 * sends requests over the UART.
 *
 * Numbers are little-endian words. A request begins with seven numbers: engine (0 to 2), mode (0:
 * CTR, 1: GCM encryption, 2: GCM decryption), key bits, misalignment of the buffers, bytes of
 * additional data, bytes of text, and bytes of text in the request. Then follow the key (8 words),
 * the nonce (3 words), the tag (4 words), the additional data and the text. If the request contains
 * no text, the call runs twice on the buffer's present contents. The answer consists of the status,
 * the clock cycles of the last call, the tag, and as much text as the request contained.
 */
#include <stdint.h>
#include <string.h>

#include <generated/mem.h>

#include "port.h"
#include "vector/engine_ise.h"

#define BYTES 16384u

static uint8_t buffer[BYTES + 16] __attribute__((section(".buffer"), aligned(16)));
static uint8_t aad[256];

static void receive(uint8_t *to, uint32_t bytes)
{
	for (uint32_t n = 0; n < bytes; n += 4) {
		const uint32_t word = port_receive_word();

		memcpy(to + n, &word, bytes - n < 4 ? bytes - n : 4);
	}
}

int main(void)
{
	static struct cl_ise_device device = {
		.memory = {BUFFER_BASE, BUFFER_SIZE, port_drain, port_dcache_flush},
	};
	const struct cl_engine engines[] = {
		cl_engine_ise_with_gcm(cl_engine_ise(&device)),
		cl_engine_ise_with_gcm(cl_engine_ise_fused(&device)),
		cl_engine_ise_with_gcm(cl_engine_ise_vmem(&device)),
	};

	for (;;) {
		uint32_t head[7];
		uint8_t key_bytes[32];
		uint8_t nonce[16] = {[15] = 2};
		uint32_t answer[6] = {0};
		struct cl_engine_key key = {0};

		receive((uint8_t *)head, sizeof(head));
		receive(key_bytes, sizeof(key_bytes));
		receive(nonce, 12);
		receive((uint8_t *)&answer[2], 16);
		receive(aad, head[4]);
		const struct cl_engine *const engine = &engines[head[0]];
		uint8_t *const data = buffer + head[3];
		const struct cl_gcm_message message = {
			.nonce = nonce,
			.aad = aad,
			.aad_len = head[4],
			.in = data,
			.out = data,
			.len = head[5],
			.tag = (uint8_t *)&answer[2],
			.decrypt = head[1] == 2,
		};

		receive(data, head[6]);
		answer[0] = (uint32_t)engine->set_key(engine, &key, key_bytes, head[2]);
		for (int run = head[6] == 0 ? 2 : 1; run > 0; run--) {
			const uint32_t begin = port_cycles(NULL);

			answer[0] = (uint32_t)(head[1] == 0 ? engine->ctr(engine, &key, nonce, data,
									  data, head[5])
							    : engine->gcm(engine, &key, &message));
			answer[1] = port_cycles(NULL) - begin;
		}
		engine->clear(engine, &key);
		port_send_words(answer, 6);
		for (uint32_t n = 0; n < head[6]; n += 4) {
			uint32_t word;

			memcpy(&word, data + n, 4);
			port_send_words(&word, 1);
		}
	}
}
