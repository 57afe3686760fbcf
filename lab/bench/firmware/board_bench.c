/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The benchmark program: measures AES on the board as the host requests, and returns a CRC-32 of
 * the processed data. The host processes the same data with an independent library and compares the
 * CRC-32.
 *
 * A request is eight words: variant, mode, decrypt, key_bits, bytes, passes, seed, memory. The
 * generator xorshift32, started with `seed`, produces 8 words of key, then 4 words of IV, then the
 * data. `bytes` is the length of the data. Each pass processes all data in place, and the next pass
 * processes the result. The chain value of CBC and the counter of CTR continue from pass to pass.
 * In GCM a pass encrypts the data as one message. The nonce is the first 12 bytes of the IV, and
 * the message's tag becomes the next IV. The first pass warms up the caches: it counts neither as
 * the shortest nor as the longest pass. The reply is eight words: status, cycles of the key
 * schedule (caches warm), cycles of all passes (low word, high word), cycles of the shortest pass
 * and of the longest pass, CRC-32 of the data, cycles of the last pass.
 *
 * Mode INTERLEAVED is CTR on several contexts in turn. `decrypt` & 15 is the number of contexts.
 * Each context has its own key and its own data, `bytes` long. If bit 4 of `decrypt` is set, all
 * keys use context 0, which loads another key at every turn. Key n and IV n come from seed + n. The
 * reply is eleven words: the status; the cycles of each of the eight contexts (0 if unused); the
 * cycles of all contexts together; a CRC-32 of all data. The first pass is not counted.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <generated/mem.h>

#include "board_bench.h"
#include "links/crc32.h"
#include "engine/ctr.h"
#include "vector/engine_ise.h"
#include "port.h"
#ifdef MAIN_RAM_BASE
#include "sdram.h"
#endif

#define CONTEXTS   8u
#define SRAM_BYTES 4096u

enum mode {
	MODE_ECB,
	MODE_CBC,
	MODE_CTR,
	MODE_INTERLEAVED,
	MODE_GCM
};

struct request {
	uint32_t variant;
	uint32_t mode;
	uint32_t decrypt;
	uint32_t key_bits;
	uint32_t bytes;
	uint32_t passes;
	uint32_t seed;
	/**
	 * The memory that holds the data. 0: buffer memory. 1: SRAM. 2: SDRAM, if the board has it.
	 * 3: SDRAM; the program copies each piece of PIECE_BYTES to the buffer memory, processes it
	 * there and copies it back.
	 */
	uint32_t memory;
};

/** CPU cycles that the passes over the data took. */
struct result {
	uint64_t cycles;
	uint32_t shortest;
	uint32_t longest;
	uint32_t last;
};

/**
 * The state of one stream of data: the context of the vector unit that processes the stream, the
 * key, and the position in the stream.
 */
struct stream {
	struct cl_ise_device device;
	struct cl_engine engine;
	struct cl_engine_key key;
	uint32_t key_words[8];
	uint32_t iv[4];
	uint32_t tag[4];
	uint64_t blocks;
};

/* Number of bytes of the buffer memory that must stay free for the accelerator's driver. */
#ifndef BENCH_SPARE
#define BENCH_SPARE 0u
#endif

static uint8_t buffer[BUFFER_SIZE - BENCH_SPARE] __attribute__((section(".buffer"), aligned(32)));
static uint8_t sram[SRAM_BYTES] __attribute__((aligned(32)));
static struct stream streams[CONTEXTS];
#ifdef MAIN_RAM_BASE
#define MEMORIES    4u
#define SDRAM_BYTES (SDRAM_TESTED_BYTES * 4)
#define PIECE_BYTES 2048u

static uint8_t sdram[SDRAM_BYTES] __attribute__((section(".sdram"), aligned(32)));
#else
#define MEMORIES 2u
#endif

static uint32_t xorshift(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void fill(uint32_t *words, uint32_t count, uint32_t *state)
{
	for (uint32_t i = 0; i < count; i++) {
		words[i] = xorshift(state);
	}
}

static void device_init(struct cl_ise_device *device, uint8_t context)
{
	const struct cl_ise_memory memory = {BUFFER_BASE, BUFFER_SIZE, port_drain,
					     port_dcache_flush};

	device->context = context;
	device->loaded = 0;
	device->memory = memory;
}

static int set_key(const struct bench_variant *variant, const struct request *request,
		   struct stream *stream)
{
	const uint8_t *const bytes = (const uint8_t *)stream->key_words;

	if ((request->mode == MODE_CTR || request->mode == MODE_GCM) && variant->engine != NULL) {
		stream->engine = variant->engine(&stream->device);
		return stream->engine.set_key(&stream->engine, &stream->key, bytes,
					      request->key_bits);
	}
	if (request->mode == MODE_CTR && variant->set_ctr_key != NULL) {
		return variant->set_ctr_key(&stream->device, &stream->key, bytes, request->key_bits,
					    false);
	}
	return variant->modes->set_key(&stream->device, &stream->key, bytes, request->key_bits,
				       request->mode != MODE_CTR && request->decrypt != 0);
}

/**
 * Runs one pass over the data. Then the caller must call count_on() before the next pass, because
 * some variants do not update the IV themselves.
 */
static int pass(const struct bench_variant *variant, const struct request *request,
		struct stream *stream, uint8_t *data)
{
	const unsigned int length = CL_MODES_KEY(request->key_bits);
	const size_t blocks = request->bytes / CL_BLOCK_BYTES;
	uint32_t *const words = (uint32_t *)(void *)data;
	const bool ctr = request->mode == MODE_CTR;

	if (request->mode == MODE_GCM) {
		const struct cl_gcm_message message = {
			.nonce = (const uint8_t *)stream->iv,
			.in = data,
			.out = data,
			.len = request->bytes,
			.tag = (uint8_t *)stream->tag,
		};

		return stream->engine.gcm(&stream->engine, &stream->key, &message);
	}
	if (ctr && variant->engine != NULL) {
		return stream->engine.ctr(&stream->engine, &stream->key,
					  (const uint8_t *)stream->iv, data, data, request->bytes);
	}
	cl_modes_run *const run = ctr ? variant->ctr[length]
				  : request->mode == MODE_CBC
					  ? variant->modes->cbc[request->decrypt][length]
					  : variant->modes->ecb[request->decrypt][length];

	return run(&stream->device, &stream->key, stream->iv, words, words, blocks);
}

/**
 * Computes the IV for the next pass. In CTR with an engine, the IV is the next counter block. In
 * GCM, the IV is the tag of the last pass. Otherwise the IV is already up to date, because the
 * variant's function of type cl_modes_run has updated it.
 */
static void count_on(const struct bench_variant *variant, const struct request *request,
		     struct stream *stream)
{
	if (request->mode == MODE_CTR && variant->engine != NULL) {
		cl_ctr_counter((uint8_t *)stream->iv, (const uint8_t *)stream->iv,
			       request->bytes / CL_BLOCK_BYTES);
	} else if (request->mode == MODE_GCM) {
		memcpy(stream->iv, stream->tag, sizeof(stream->iv));
	}
}

#ifdef MAIN_RAM_BASE
/**
 * Runs one pass over data in any memory, and computes the IV for the next pass. If the request's
 * `memory` is 3, copies the data in pieces to the buffer memory and back. The measured time
 * includes this copying.
 */
static int pass_anywhere(const struct bench_variant *variant, const struct request *request,
			 struct stream *stream, uint8_t *data)
{
	struct request piece = *request;
	int status = 0;

	if (request->memory != 3) {
		status = pass(variant, request, stream, data);
		count_on(variant, request, stream);
		return status;
	}
	for (uint32_t done = 0; done < request->bytes && status == 0; done += piece.bytes) {
		const uint32_t rest = request->bytes - done;

		piece.bytes = rest < PIECE_BYTES ? rest : PIECE_BYTES;
		memcpy(buffer, data + done, piece.bytes);
		status = pass(variant, &piece, stream, buffer);
		count_on(variant, &piece, stream);
		memcpy(data + done, buffer, piece.bytes);
	}
	return status;
}
#endif

static int measure(const struct bench_variant *variant, const struct request *request,
		   uint8_t *data, struct result *result)
{
	struct stream *const stream = &streams[0];
	int status = 0;

	result->shortest = UINT32_MAX;
	for (uint32_t i = 0; i < request->passes && status == 0; i++) {
		const uint32_t start = port_cycles(NULL);

#ifdef MAIN_RAM_BASE
		status = pass_anywhere(variant, request, stream, data);
		const uint32_t cycles = port_cycles(NULL) - start;
#else
		status = pass(variant, request, stream, data);
		const uint32_t cycles = port_cycles(NULL) - start;

		count_on(variant, request, stream);
#endif
		result->cycles += cycles;
		result->last = cycles;
		if (i == 0 && request->passes > 1) {
			continue;
		}
		result->shortest = cycles < result->shortest ? cycles : result->shortest;
		result->longest = cycles > result->longest ? cycles : result->longest;
	}
	return status;
}

static uint32_t room(const struct request *request)
{
#ifdef MAIN_RAM_BASE
	if (request->memory > 1) {
		return SDRAM_BYTES;
	}
#endif
	return request->memory ? SRAM_BYTES : sizeof(buffer);
}

static uint8_t *place(const struct request *request)
{
#ifdef MAIN_RAM_BASE
	if (request->memory > 1) {
		return sdram;
	}
#endif
	return request->memory ? sram : buffer;
}

static bool is_for_gcm(const struct request *request)
{
	const struct bench_variant *const variant = &bench_variants[request->variant];

	return request->decrypt == 0 && variant->engine != NULL &&
	       variant->engine(&streams[0].device).gcm != NULL;
}

static bool is_valid(const struct request *request)
{
	return request->variant < bench_variant_count && request->mode <= MODE_GCM &&
	       (request->mode != MODE_GCM || is_for_gcm(request)) &&
	       (request->decrypt <= 1 || request->mode == MODE_INTERLEAVED) &&
	       (request->key_bits == 128 || request->key_bits == 192 || request->key_bits == 256) &&
	       request->bytes % CL_BLOCK_BYTES == 0 && request->bytes != 0 &&
	       request->bytes <= room(request) && request->memory < MEMORIES;
}

static void run(const struct request *request)
{
	uint8_t *const data = place(request);
	struct stream *const stream = &streams[0];
	struct result result = {0};
	uint32_t key_cycles = 0;
	int status = -EINVAL;

	if (is_valid(request)) {
		const struct bench_variant *const variant = &bench_variants[request->variant];
		uint32_t state = request->seed;

		fill(stream->key_words, 8, &state);
		fill(stream->iv, 4, &state);
		fill((uint32_t *)(void *)data, request->bytes / 4, &state);
		device_init(&stream->device, 0);
		for (unsigned int i = 0; i < 2; i++) {
			const uint32_t start = port_cycles(NULL);

			status = set_key(variant, request, stream);
			key_cycles = port_cycles(NULL) - start;
		}
		/* Empty the data cache, so that its contents do not influence the measured time. */
		port_dcache_flush();
		if (status == 0) {
			status = measure(variant, request, data, &result);
		}
	}
	const uint32_t reply[8] = {
		(uint32_t)status,
		key_cycles,
		(uint32_t)result.cycles,
		(uint32_t)(result.cycles >> 32),
		result.shortest,
		result.longest,
		status == 0 ? cl_crc32(0, data, request->bytes) : 0,
		result.last,
	};

	port_send_words(reply, 8);
}

static void run_interleaved(const struct request *request)
{
	const uint32_t count = request->decrypt & 15;
	const bool share = (request->decrypt & 16) != 0;
	uint32_t reply[11] = {(uint32_t)-EINVAL};
	struct request ctr = *request;
	int status = 0;
	uint32_t start = 0;

	ctr.mode = MODE_CTR;
	if (!is_valid(request) || count == 0 || count > CONTEXTS || request->memory != 0 ||
	    count * request->bytes > sizeof(buffer) ||
	    bench_variants[request->variant].engine == NULL) {
		port_send_words(reply, 11);
		return;
	}
	const struct bench_variant *const variant = &bench_variants[request->variant];

	for (uint32_t n = 0; n < count && status == 0; n++) {
		uint32_t state = request->seed + n;

		fill(streams[n].key_words, 8, &state);
		fill(streams[n].iv, 4, &state);
		fill((uint32_t *)(void *)(buffer + n * request->bytes), request->bytes / 4, &state);
		device_init(&streams[n].device, share ? 0 : (uint8_t)n);
		/*
		 * Streams can share a context of the vector unit. The engine compares generation
		 * numbers to detect that the context contains another stream's key. So give each
		 * stream's key its own number.
		 */
		streams[n].device.generation = n << 8;
		status = set_key(variant, &ctr, &streams[n]);
		if (share) {
			streams[n].engine.hw = &streams[0].device;
		}
	}
	streams[0].device.loaded = 0;
	for (uint32_t i = 0; i < request->passes && status == 0; i++) {
		if (i == 1) {
			start = port_cycles(NULL);
		}
		for (uint32_t n = 0; n < count && status == 0; n++) {
			const uint32_t before = port_cycles(NULL);

			status = pass(variant, &ctr, &streams[n], buffer + n * request->bytes);
			count_on(variant, &ctr, &streams[n]);
			if (i > 0) {
				reply[1 + n] += port_cycles(NULL) - before;
			}
		}
	}
	reply[9] = port_cycles(NULL) - start;
	reply[0] = (uint32_t)status;
	reply[10] = cl_crc32(0, buffer, count * request->bytes);
	port_send_words(reply, 11);
}

int main(void)
{
#ifdef MAIN_RAM_BASE
	struct sdram_report report;

	/*
	 * The result of the SDRAM's memory test is ignored here. If the SDRAM fails, the CRC-32 of
	 * the data will be wrong, and the host detects it.
	 */
	(void)sdram_init(&report);
#endif
	for (;;) {
		struct request request;
		uint32_t *const words = &request.variant;

		for (unsigned int i = 0; i < sizeof(request) / 4; i++) {
			words[i] = port_receive_word();
		}
		if (request.mode == MODE_INTERLEAVED) {
			run_interleaved(&request);
		} else {
			run(&request);
		}
	}
}
