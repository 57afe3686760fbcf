/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the firmware's engines on models of the board's AES hardware. The program reads commands
 * from stdin and writes replies to stdout, in the format of tests/firmware/core_peer.c. Commands
 * select key structures by number. The program is built with sanitizers. During an engine call, the
 * sanitizer allows accesses only to the call's buffers and the bounce buffer. It reports every
 * other access to the hardware's memory.
 */
#include <errno.h>
#include <sanitizer/asan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "accelerator/engine_accel.h"
#include "fastpath/fastpath.h"
#include "gcm/gcm.h"
#include "vector/engine_ise.h"
#include "vector/block_ise.h"
#include "aes/engines.h"
#include "model.h"
#include "engine/modes.h"
#include "streams/window.h"

#define MESSAGE_MAX (1u << 16)
#define ANSWER_MAX  (1u << 20)
#define PLACES      40u
#define ENGINES     9u
#define MODES       4u
#define SERVER      6u /* index of the fast path in the list of engines */
/**
 * Offsets of the engines' input and output buffers in the memory that the hardware reaches, in
 * bytes. The bounce buffer is at offset 0.
 */
#define IN_AT     0x1000u
#define OUT_AT    0x8000u
#define UNTOUCHED 0x5a
#define CONTEXT_B 5u

/**
 * Location of a buffer: on the heap, at a fixed offset in the memory that the hardware can access,
 * or at the end of this memory.
 */
enum where {
	HEAP,
	MEMORY,
	MEMORY_END,
};

struct buffer {
	uint8_t *data;
	uint8_t *heap;
	size_t size;
};

static struct cl_ise_device ise[2];
static struct cl_accel_device accel;
static struct cl_fastpath fastpath;
static struct cl_engine engines[ENGINES];
static struct cl_hasher hasher;
static struct cl_server server;
static const struct cl_modes *modes[MODES];
static struct cl_engine_key *keys[PLACES];
static uint8_t *const memory = (uint8_t *)UNITS_ORIGIN;
static uint8_t *datagram;

static uint8_t message[MESSAGE_MAX];
static size_t size;
static size_t taken;
static uint8_t answer[ANSWER_MAX];
static size_t answered;

static const uint8_t *take(size_t bytes)
{
	if (bytes > size - taken) {
		units_die("message too short");
	}
	taken += bytes;
	return message + taken - bytes;
}

static uint32_t take_u8(void)
{
	return *take(1);
}

static uint32_t take_u32(void)
{
	return cl_load_u32(take(4));
}

static void put(const void *data, size_t bytes)
{
	if (bytes > ANSWER_MAX - answered) {
		units_die("answer too long");
	}
	memcpy(answer + answered, data, bytes);
	answered += bytes;
}

static void put_u32(uint32_t value)
{
	put(&value, sizeof(value));
}

static void drain(void)
{
	units_drained = true;
}

static void flush(void)
{
	units_stale = false;
}

static struct cl_engine_key *take_key(void)
{
	const uint32_t place = take_u8();

	if (place >= PLACES) {
		units_die("no such place");
	}
	return keys[place];
}

/**
 * Copies the remaining bytes of the command to a new buffer, which begins `misalign` bytes after an
 * aligned address.
 */
static uint8_t *take_rest(size_t misalign, uint8_t **heap)
{
	const size_t bytes = size - taken;

	*heap = malloc(bytes + misalign + (bytes + misalign == 0));
	return memcpy(*heap + misalign, take(bytes), bytes);
}

static struct buffer allocate(enum where where, size_t misalign, size_t at, size_t bytes)
{
	struct buffer buffer = {.size = bytes};

	if (where == HEAP) {
		buffer.heap = malloc(misalign + bytes + (misalign + bytes == 0));
		buffer.data = buffer.heap + misalign;
		return buffer;
	}
	buffer.data = memory + (where == MEMORY ? at + misalign : UNITS_BYTES - bytes);
	ASAN_UNPOISON_MEMORY_REGION(buffer.data, bytes);
	return buffer;
}

/**
 * Releases a buffer after a call. Frees the buffer if it is on the heap. Otherwise, fills it with
 * UNTOUCHED, the value that check_memory() expects in all memory after the bounce buffer.
 */
static void release(struct buffer *buffer)
{
	if (buffer->heap == NULL) {
		memset(buffer->data, UNTOUCHED, buffer->size);
	}
	free(buffer->heap);
}

static void check_memory(void)
{
	uint8_t *const first = memory + accel.bounce_bytes;
	const size_t bytes = UNITS_BYTES - accel.bounce_bytes;

	ASAN_UNPOISON_MEMORY_REGION(first, bytes);
	for (size_t i = 0; i < bytes; i++) {
		if (first[i] != UNTOUCHED) {
			units_die("memory beside the buffers was changed");
		}
	}
	ASAN_POISON_MEMORY_REGION(first, bytes);
	if (units_stale) {
		units_die("the CPU's cache holds what was changed behind its back");
	}
	if (units.vector.waiting > 0) {
		units_die("a vector store is under way after the call");
	}
}

/**
 * The buffers of a call. A command describes them in 5 bytes, which the comments below call
 * `buffers`: location and misalignment of the input, location and misalignment of the output, and 1
 * if the output overwrites the input.
 */
struct call {
	struct buffer in;
	struct buffer out;
	bool in_place;
};

static struct call take_buffers(void)
{
	const uint8_t *const said = take(5);
	const size_t bytes = size - taken;
	struct call call = {.in_place = said[4] != 0};

	if (bytes > OUT_AT - IN_AT - 16) {
		units_die("too much data");
	}
	call.in = allocate((enum where)said[0], said[1], IN_AT, bytes);
	memcpy(call.in.data, take(bytes), bytes);
	call.out = call.in_place ? call.in : allocate((enum where)said[2], said[3], OUT_AT, bytes);
	units_drained = false;
	return call;
}

static void put_result(struct call *call, int status)
{
	put_u32((uint32_t)status);
	put(call->out.data, call->out.size);
	if (!call->in_place) {
		if (memcmp(call->in.data, message + size - call->in.size, call->in.size) != 0) {
			units_die("the input was changed");
		}
		release(&call->in);
	}
	release(&call->out);
	check_memory();
}

/**
 * Command: power the hardware on. Arguments: value of every byte in its memories (u8), size of the
 * bounce buffer in bytes (u32). Reply: status of cl_engine_accel_init (i32).
 */
static void op_start(void)
{
	const int remains = (int)take_u8();

	memset(&units, 0, sizeof(units));
	memset(units.vector.context, remains, sizeof(units.vector.context));
	memset(units.vector.queue, remains, sizeof(units.vector.queue));
	memset(units.accel.key, remains, sizeof(units.accel.key));
	memset(units.accel.read, remains, sizeof(units.accel.read));
	memset(units.accel.written, remains, sizeof(units.accel.written));
	memset(units.accel.keystream, remains, sizeof(units.accel.keystream));
	memset(units.fastpath.key, remains, sizeof(units.fastpath.key));
	for (uint32_t n = 0; n < 2; n++) {
		ise[n] = (struct cl_ise_device){
			.context = n == 0 ? 0 : CONTEXT_B,
			.memory = {UNITS_ORIGIN, UNITS_BYTES, drain, flush},
		};
	}
	accel = (struct cl_accel_device){
		.dma_origin = UNITS_ORIGIN,
		.dma_bytes = UNITS_BYTES,
		.bounce = memory,
		.bounce_bytes = take_u32(),
	};
	fastpath = (struct cl_fastpath){0};
	ASAN_UNPOISON_MEMORY_REGION(memory, UNITS_BYTES);
	memset(memory, UNTOUCHED, UNITS_BYTES);
	ASAN_POISON_MEMORY_REGION(memory + accel.bounce_bytes, UNITS_BYTES - accel.bounce_bytes);
	for (uint32_t n = 0; n < PLACES; n++) {
		memset(keys[n], 0, sizeof(*keys[n]));
	}
	cl_ise_zeroize();
	cl_fastpath_zeroize(&fastpath);
	put_u32((uint32_t)cl_engine_accel_init(&accel, NULL, flush));
	check_memory();
	engines[0] = cl_engine_ise_with_gcm(cl_engine_ise(&ise[0]));
	engines[1] = cl_engine_ise_with_gcm(cl_engine_ise_fused(&ise[0]));
	engines[2] = cl_engine_ise_with_gcm(cl_engine_ise_vmem(&ise[0]));
	engines[3] = cl_engine_ise_with_gcm(cl_engine_ise_fused(&ise[1]));
	engines[4] = cl_engine_ise_with_gcm(cl_engine_ise_vmem(&ise[1]));
	engines[5] = cl_engine_accel(&accel);
	hasher = cl_ise_hasher(&ise[1]);
	engines[5].hasher = &hasher;
	server = cl_fastpath_server(&fastpath);
	engines[7] = cl_engine_byte;
	engines[8] = cl_engine_table;
	modes[0] = &cl_modes_ise;
	modes[1] = &cl_modes_ise_fused;
	modes[2] = &cl_modes_ise_vmem;
	modes[3] = &cl_modes_ise_by_block;
}

/** Reads an engine's index (u8) from the command. Returns the engine, or NULL for the fast path. */
static const struct cl_engine *take_engine(void)
{
	const uint32_t n = take_u8();

	if (n >= ENGINES) {
		units_die("no such engine");
	}
	return n == SERVER ? NULL : &engines[n];
}

/**
 * Command: set a key of an engine. Arguments: engine (u8), number of the key structure (u8),
 * misalignment of the key (u8), key bits (u32), key. Reply: status (i32).
 */
static void op_set_key(void)
{
	const struct cl_engine *const engine = take_engine();
	struct cl_engine_key *const key = take_key();
	const size_t misalign = take_u8();
	const uint32_t bits = take_u32();
	uint8_t *heap;
	const uint8_t *const bytes = take_rest(misalign, &heap);

	put_u32((uint32_t)(engine != NULL ? engine->set_key(engine, key, bytes, bits)
					  : server.set_key(&server, key, bytes, bits)));
	free(heap);
	check_memory();
}

/**
 * Command: set a key for ECB or CBC. Arguments: index in `modes` (u8), index in `ise` (u8), number
 * of the key structure (u8), 1 to decrypt (u8), key bits (u32), key. Reply: status (i32).
 */
static void op_modes_set_key(void)
{
	const struct cl_modes *const m = modes[take_u8() % MODES];
	struct cl_ise_device *const device = &ise[take_u8() % 2];
	struct cl_engine_key *const key = take_key();
	const bool decrypt = take_u8() != 0;
	const uint32_t bits = take_u32();
	uint8_t *heap;
	const uint8_t *const bytes = take_rest(0, &heap);

	put_u32((uint32_t)m->set_key(device, key, bytes, bits, decrypt));
	free(heap);
}

/**
 * Command: run CTR. Arguments: engine (u8), number of the key structure (u8), misalignment of the
 * counter block (u8), counter block (16 bytes), buffers (5 bytes), data. Reply: status (i32),
 * output.
 */
static void op_ctr(void)
{
	const struct cl_engine *const engine = take_engine();
	const struct cl_engine_key *const key = take_key();
	const size_t misalign = take_u8();
	uint8_t *const heap = malloc(misalign + 16);

	memcpy(heap + misalign, take(16), 16);
	struct call call = take_buffers();

	put_result(&call, engine->ctr(engine, key, heap + misalign, call.in.data, call.out.data,
				      call.in.size));
	free(heap);
}

/**
 * Command: run GCM. Arguments: engine (u8), number of the key structure (u8), 1 to decrypt (u8),
 * misalignment of nonce, additional data and tag (u8), nonce (12 bytes), tag (16 bytes), length of
 * the additional data (u32), these data, buffers (5 bytes), data. Reply: status (i32), output, tag.
 */
static void op_gcm(void)
{
	const struct cl_engine *const engine = take_engine();
	const struct cl_engine_key *const key = take_key();
	struct cl_gcm_message gcm = {.decrypt = take_u8() != 0};
	const size_t misalign = take_u8();
	uint8_t *const nonce = malloc(misalign + CL_GCM_NONCE_BYTES);
	uint8_t *const tag = malloc(misalign + CL_BLOCK_BYTES);

	gcm.nonce = memcpy(nonce + misalign, take(CL_GCM_NONCE_BYTES), CL_GCM_NONCE_BYTES);
	gcm.tag = memcpy(tag + misalign, take(CL_BLOCK_BYTES), CL_BLOCK_BYTES);
	gcm.aad_len = take_u32();

	uint8_t *const aad = malloc(misalign + gcm.aad_len + 1);

	gcm.aad = memcpy(aad + misalign, take(gcm.aad_len), gcm.aad_len);
	struct call call = take_buffers();

	gcm.in = call.in.data;
	gcm.out = call.out.data;
	gcm.len = call.in.size;
	put_result(&call, cl_gcm_run(engine, key, &gcm));
	put(gcm.tag, CL_BLOCK_BYTES);
	free(nonce);
	free(tag);
	free(aad);
}

/**
 * Command: run ECB or CBC. Arguments: index in `modes` (u8), index in `ise` (u8), number of the key
 * structure (u8), 1 to decrypt (u8), 1 for CBC (u8), key bits / 64 - 2 (u8), chain value (16
 * bytes), buffers (5 bytes), data. Reply: status (i32), output, new chain value (16 bytes).
 */
static void op_modes(void)
{
	const struct cl_modes *const m = modes[take_u8() % MODES];
	struct cl_ise_device *const device = &ise[take_u8() % 2];
	const struct cl_engine_key *const key = take_key();
	const bool decrypt = take_u8() != 0;
	const bool cbc = take_u8() != 0;
	const uint32_t length = take_u8() % 3;
	cl_modes_run *const run = cbc ? m->cbc[decrypt][length] : m->ecb[decrypt][length];
	uint32_t *const chain = malloc(16);

	memcpy(chain, take(16), 16);
	struct call call = take_buffers();

	put_result(&call, run(device, key, cbc ? chain : NULL, (uint32_t *)(void *)call.in.data,
			      (uint32_t *)(void *)call.out.data, call.in.size / 16));
	put(chain, 16);
	free(chain);
}

/**
 * Command: clear a key. Arguments: engine (u8), number of the key structure (u8). Reply: 0 if the
 * whole key structure is now zero, otherwise another number (u32).
 */
static void op_clear(void)
{
	const struct cl_engine *const engine = take_engine();
	struct cl_engine_key *const key = take_key();
	uint8_t any = 0;

	if (engine != NULL) {
		engine->clear(engine, key);
	} else {
		server.clear(&server, key);
	}
	for (size_t i = 0; i < sizeof(*key); i++) {
		any |= ((const uint8_t *)key)[i];
	}
	put_u32(any);
	check_memory();
}

/**
 * Command: begin a session of the server. Arguments: number of the key structure (u8), session
 * (u32), token (u64), peer (u64), length (u64), bytes per record (u32), initial counter block (16
 * bytes), window (struct cl_window). Reply: status (i32).
 */
static void op_serve(void)
{
	const struct cl_engine_key *const key = take_key();
	struct cl_window *const window = malloc(sizeof(*window));
	struct cl_server_client client = {.window = window};

	client.session = take_u32();
	client.token = cl_load_u64(take(8));
	client.peer = cl_load_u64(take(8));
	client.length = cl_load_u64(take(8));
	client.record_bytes = take_u32();
	client.iv = take(16);
	memcpy(window, take(sizeof(*window)), sizeof(*window));
	put_u32((uint32_t)server.serve(&server, key, &client));
	free(window);
}

/**
 * Command: report the server's work for a session. Arguments: number of the key structure (u8).
 * Reply: bytes (u64), blocks (u64), records (u32).
 */
static void op_report(void)
{
	const struct cl_engine_key *const key = take_key();
	struct cl_server_work work;

	server.report(&server, key, &work);
	put(&work.bytes, 8);
	put(&work.blocks, 8);
	put_u32(work.records);
}

/**
 * Command: end a session of the server. Arguments: number of the key structure (u8). Reply: status
 * (i32), window (struct cl_window).
 */
static void op_finish(void)
{
	const struct cl_engine_key *const key = take_key();
	struct cl_window *const window = calloc(1, sizeof(*window));

	put_u32((uint32_t)server.finish(&server, key, window));
	put(window, sizeof(*window));
	free(window);
}

/**
 * Command: send a datagram to the fast path. Arguments: IPv4 address (u32), port (u32), session
 * (u32), token (u64), offset (u64), polls (u32), data. The simulated hardware finishes the
 * encryption after `polls` register reads. Reply: result of units_fastpath_receive (u32).
 */
static void op_datagram(void)
{
	struct units_datagram d;

	d.ip = take_u32();
	d.port = take_u32();
	d.session = take_u32();
	d.token = cl_load_u64(take(8));
	d.offset = cl_load_u64(take(8));
	d.polls = take_u32();
	d.length = (uint32_t)(size - taken);
	free(datagram);
	datagram = malloc(d.length + 1);
	d.data = memcpy(datagram, take(d.length), d.length);
	put_u32(units_fastpath_receive(&d));
}

/**
 * Command: read the data of the last datagram. Arguments: number of bytes (u32). Reply: these
 * bytes, encrypted if the fast path has answered the datagram.
 */
static void op_reply(void)
{
	put(datagram, take_u32());
}

/**
 * Command: select the fault that happens next. Arguments: enum units_fault (u8). Reply: the
 * previously selected fault (u32), or UNITS_SOUND if that fault has already happened.
 */
static void op_fault(void)
{
	put_u32(units_fault);
	units_fault = (enum units_fault)take_u8();
}

/**
 * Command: report all state. No arguments. Reply: four masks (u32 each): accelerator slots that the
 * driver uses; accelerator slots that hold a key; fast-path slots that hold a key; open rows of the
 * fast path. Then a number that is 0 if no vector context holds a key (u32), size in bytes of the
 * hardware's state and the bounce buffer (u32), this state, and the state of the firmware.
 */
static void op_dump(void)
{
	uint32_t slots = 0;

	for (uint32_t n = 0; n < CL_ACCEL_SLOTS; n++) {
		slots |= (accel.slots[n] != 0) << n;
	}
	put_u32(slots);
	put_u32(units.accel.valid);
	put_u32(units.fastpath.valid);
	put_u32(units.fastpath.opened);
	put_u32(ise[0].loaded | ise[1].loaded);
	put_u32((uint32_t)(sizeof(units) + accel.bounce_bytes));
	put(&units, sizeof(units));
	put(memory, accel.bounce_bytes);
	put(ise, sizeof(ise));
	put(&accel, sizeof(accel));
	put(&fastpath, sizeof(fastpath));
	for (uint32_t n = 0; n < PLACES; n++) {
		put(keys[n], sizeof(*keys[n]));
	}
}

static const struct {
	char name;
	void (*run)(void);
} operations[] = {
	{'S', op_start},  {'k', op_set_key}, {'K', op_modes_set_key}, {'c', op_ctr},
	{'G', op_gcm},    {'m', op_modes},   {'x', op_clear},         {'s', op_serve},
	{'r', op_report}, {'f', op_finish},  {'d', op_datagram},      {'a', op_reply},
	{'F', op_fault},  {'D', op_dump},
};

int main(void)
{
	uint32_t bytes;

	if (mmap(memory, UNITS_BYTES, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != memory) {
		units_die("the memory's address is taken");
	}
	units_aes_init();
	for (uint32_t n = 0; n < PLACES; n++) {
		keys[n] = aligned_alloc(16, sizeof(*keys[n]));
	}
	while (fread(&bytes, sizeof(bytes), 1, stdin) == 1) {
		if (bytes == 0 || bytes > MESSAGE_MAX || fread(message, bytes, 1, stdin) != 1) {
			units_die("message too long");
		}
		const char operation = (char)message[0];
		size_t n = 0;

		while (operations[n].name != operation) {
			if (++n == sizeof(operations) / sizeof(operations[0])) {
				units_die("no such operation");
			}
		}
		size = bytes;
		taken = 1;
		answered = 0;
		operations[n].run();
		bytes = (uint32_t)answered;
		fwrite(&bytes, sizeof(bytes), 1, stdout);
		fwrite(answer, answered, 1, stdout);
		fflush(stdout);
	}
	free(datagram);
	return 0;
}
