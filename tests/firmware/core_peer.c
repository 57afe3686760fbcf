/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drives firmware/core on the host for its tests: reads commands from stdin and writes replies to
 * stdout.
 *
 * A command is a length (32 bits, little-endian), a letter that selects the function, and its
 * arguments. A reply is a length and that number of bytes; the length may be 0. Numbers are
 * little-endian, with the types u8, u16, u32, u64 and i32. An argument without a type or a length
 * takes the remaining bytes of the command. `misalign` is the distance in bytes of a buffer from an
 * aligned address. The program is built with sanitizers. Each buffer for the core is a separate
 * allocation of exactly the size that the core's interface requires, so the sanitizers notice every
 * access beyond a buffer.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "aes/aes.h"
#include "links/cobs.h"
#include "links/copy_sum.h"
#include "links/crc32.h"
#include "engine/ctr.h"
#include "aes/engines.h"
#include "gcm/gcm.h"
#include "links/link_udp.h"
#include "links/link_uart.h"
#include "streams/ranges.h"
#include "links/record.h"
#include "service/frames.h"
#include "service/identity.h"
#include "service/service.h"
#include "streams/window.h"
#include "stack_left.h"

#define ANSWER_MAX   (4u << 20)
#define CODE_WRONG   2u
#define CODE_FAULTY  3u
#define CODE_SERVING 4u
#define ENGINES      4u

/** The state that the program keeps from one command to the next. */
struct peer {
	struct cl_platform platform;
	struct cl_service *service;
	struct cl_link link;
	struct cl_link_uart uart;
	uint8_t *uart_buffer;
	size_t uart_capacity;
	struct cl_link network_link;
	uint32_t reserved;
	uint32_t reserve_faults;
	struct cl_link_udp udp;
	/**
	 * If true, the program increases the link's counter `pauses` before each received frame. On
	 * a board, the port increases this counter each time it finds that no frame is waiting.
	 */
	bool pause;
	/**
	 * If not 0, each call of the engine `faulty` takes this many cycles, plus 0 to 255 cycles
	 * that depend on the key.
	 */
	uint32_t ctr_cycles;
	struct cl_wire_network_reply network;
	/** The last received frame, and the buffer for the frame that the link sends. */
	uint8_t *rx_slot;
	size_t rx_bytes;
	uint8_t *tx_slot;
	size_t tx_bytes;
	uint8_t *bench_buffer;
	const struct cl_engine *engines[ENGINES + 1];
	/**
	 * The state of the simulated server, which replaces the fast path in tests. `client` is the
	 * session that the core passed to the server last. `work` contains the bytes, blocks and
	 * records that the server reports for its sessions. `serving` is the number of sessions
	 * that the server serves now.
	 */
	struct cl_server_client client;
	struct cl_server_work work;
	/** The window of the session `client`. It marks the records that the server received. */
	struct cl_window came;
	uint32_t serving;
	int serve_status;
	int finish_status;
	/** The status that the random source returns, and the next random word. */
	int random_status;
	uint32_t random_word;
	/**
	 * A table of ranges for the command op_ranges(), and a window for op_window(). The record
	 * service uses neither this table nor this window.
	 */
	struct cl_ranges ranges;
	struct cl_window window;
	/** The statuses that the functions set_key and ctr of the engine `faulty` return. */
	int set_key_status;
	int ctr_status;
	/** How often the core called the port's function `forget`, which zeroizes memory. */
	uint32_t forgotten;
	/** The cycle counter advances by `step` each time it is read. */
	uint32_t cycles;
	uint32_t step;
	uint8_t *answer;
	size_t answered;
};

/** The rest of a command: the arguments that have not been read yet. */
struct message {
	const uint8_t *data;
	size_t size;
};

static void die(const char *why)
{
	fprintf(stderr, "core_peer: %s\n", why);
	exit(2);
}

static const uint8_t *take(struct message *message, size_t size)
{
	const uint8_t *const taken = message->data;

	if (size > message->size) {
		die("message too short");
	}
	message->data += size;
	message->size -= size;
	return taken;
}

static uint32_t take_u32(struct message *message)
{
	return cl_load_u32(take(message, 4));
}

static void answer(struct peer *peer, const void *data, size_t size)
{
	if (size > ANSWER_MAX - peer->answered) {
		die("answer too long");
	}
	if (size > 0) {
		memcpy(peer->answer + peer->answered, data, size);
	}
	peer->answered += size;
}

static void answer_u32(struct peer *peer, uint32_t value)
{
	uint8_t bytes[4];

	cl_store_u32(bytes, value);
	answer(peer, bytes, sizeof(bytes));
}

/**
 * Copies data to a separate allocation. The copy begins `misalign` bytes after an aligned address,
 * and the allocation ends where the copy ends.
 */
static uint8_t *duplicate(const uint8_t *data, size_t size, size_t misalign, uint8_t **memory)
{
	*memory = malloc(size + misalign + (size + misalign == 0));
	if (*memory == NULL) {
		die("no memory");
	}
	if (size > 0) {
		memcpy(*memory + misalign, data, size);
	}
	return *memory + misalign;
}

static uint32_t count_cycles(void *context)
{
	struct peer *const peer = context;

	peer->cycles += peer->step;
	return peer->cycles;
}

static void forget(void *context)
{
	((struct peer *)context)->forgotten++;
}

static int draw_words(void *context, uint32_t *words, size_t count)
{
	struct peer *const peer = context;

	for (size_t i = 0; i < count; i++) {
		words[i] = peer->random_word++;
	}
	return peer->random_status;
}

/** CTR of an engine whose output has one wrong bit. The self-test must detect this bit. */
static int wrong_ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
		     const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
		     size_t len)
{
	const int status = cl_engine_table.ctr(engine, key, counter, in, out, len);

	if (len > 0) {
		out[len - 1] ^= 0x80;
	}
	return status;
}

static int faulty_set_key(const struct cl_engine *engine, struct cl_engine_key *key,
			  const uint8_t *key_bytes, unsigned int key_bits)
{
	const struct peer *const peer = engine->hw;

	(void)cl_engine_c_set_key(engine, key, key_bytes, key_bits);
	return peer->set_key_status;
}

static int faulty_ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
		      const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
		      size_t len)
{
	struct peer *const peer = engine->hw;

	(void)cl_engine_table.ctr(engine, key, counter, in, out, len);
	if (peer->ctr_cycles != 0) {
		peer->cycles += peer->ctr_cycles + (key->round_key[0] & 0xff);
	}
	return peer->ctr_status;
}

static int serving_set_key(const struct cl_server *server, struct cl_engine_key *key,
			   const uint8_t *key_bytes, unsigned int key_bits)
{
	(void)server;
	return cl_engine_c_set_key(NULL, key, key_bytes, key_bits);
}

static int serve(const struct cl_server *server, const struct cl_engine_key *key,
		 const struct cl_server_client *client)
{
	struct peer *const peer = server->hw;

	if (key->key_bits == 0) {
		die("a session is served without a key");
	}
	peer->client = *client;
	peer->came = *client->window;
	peer->serving += peer->serve_status == 0;
	return peer->serve_status;
}

static int finish(const struct cl_server *server, const struct cl_engine_key *key,
		  struct cl_window *window)
{
	struct peer *const peer = server->hw;

	if (key->key_bits == 0) {
		die("a session ends without its key");
	}
	*window = peer->came;
	return peer->finish_status;
}

static void report(const struct cl_server *server, const struct cl_engine_key *key,
		   struct cl_server_work *work)
{
	(void)key;
	*work = ((const struct peer *)server->hw)->work;
}

static void serving_clear(const struct cl_server *server, struct cl_engine_key *key)
{
	struct peer *const peer = server->hw;

	peer->serving -= peer->serve_status == 0;
	cl_engine_c_clear(NULL, key);
}

static void fast_path(const struct cl_link *link, struct cl_wire_fastpath_reply *reply)
{
	(void)link;
	*reply = (struct cl_wire_fastpath_reply){
		.address = 0xc0a80133u, .port = 7, .max_data = 1440, .token = 99};
}

/**
 * Command: start the service as after power-on. Arguments (each u32): max_data, clock_hz,
 * bench_bytes, mask of engines, first value of the cycle counter, step of the cycle counter, idle
 * time in cycles, kind of board, 1 if there is a random source. Reply: status of cl_service_init
 * (i32). Bits 0 to 4 of the mask select engines and the server. Bits 29 to 31 make the platform
 * invalid. Bit 29: the server's window is too long. Bit 30: the server and the first engine have
 * the same number. Bit 31: the first engine is in the list twice.
 */
static void op_start(struct peer *peer, struct message *message)
{
	static const struct cl_engine wrong = {
		.code = CODE_WRONG,
		.name = "wrong",
		.set_key = cl_engine_c_set_key,
		.ctr = wrong_ctr,
		.clear = cl_engine_c_clear,
	};
	static struct cl_engine faulty = {
		.code = CODE_FAULTY,
		.name = "faulty",
		.set_key = faulty_set_key,
		.ctr = faulty_ctr,
		.clear = cl_engine_c_clear,
	};
	static struct cl_server serving;
	const struct cl_engine *const all[ENGINES] = {&cl_engine_byte, &cl_engine_table, &wrong,
						      &faulty};

	faulty.hw = peer;
	serving = (struct cl_server){
		.code = CODE_SERVING,
		.name = "serving",
		.set_key = serving_set_key,
		.serve = serve,
		.report = report,
		.finish = finish,
		.clear = serving_clear,
		.window = CL_WINDOW_MAX,
		.hw = peer,
	};
	peer->serving = 0;
	peer->serve_status = 0;
	peer->finish_status = 0;
	peer->random_status = 0;
	peer->random_word = 0;
	peer->work = (struct cl_server_work){0};
	const uint32_t max_data = take_u32(message);
	const uint32_t clock_hz = take_u32(message);
	const uint32_t bench_bytes = take_u32(message);
	const uint32_t engines = take_u32(message);

	peer->cycles = take_u32(message);
	peer->step = take_u32(message);
	const uint32_t idle_cycles = take_u32(message);
	const uint32_t kind = take_u32(message);
	const bool random = take_u32(message) != 0;

	peer->set_key_status = 0;
	peer->ctr_status = 0;
	peer->ctr_cycles = 0;
	free(peer->bench_buffer);
	peer->bench_buffer = malloc(bench_bytes + 1);
	free(peer->platform.streams);
	struct cl_streams *const streams = malloc(sizeof(*streams));

	memset(streams, 0x5a, sizeof(*streams)); /* arbitrary contents, as at power-on */
	peer->platform = (struct cl_platform){
		.board = "host",
		.firmware = "a name beyond its 16 bytes",
		.kind = (uint8_t)kind,
		.max_data = (uint16_t)max_data,
		.clock_hz = clock_hz,
		.rx_window = 4321,
		.bench_buffer = peer->bench_buffer,
		.bench_bytes = bench_bytes,
		.engines = peer->engines,
		.cycles = count_cycles,
		.random = random ? draw_words : NULL,
		.forget = forget,
		.streams = streams,
		.identity = &cl_engine_byte,
		.session_idle_cycles = idle_cycles,
		.context = peer,
	};
	for (size_t i = 0; i < ENGINES; i++) {
		if ((engines >> i & 1) != 0) {
			peer->engines[peer->platform.engine_count++] = all[i];
		}
	}
	if ((engines >> ENGINES & 1) != 0) {
		peer->platform.server = &serving;
	}
	if ((engines >> 29 & 1) != 0) {
		serving.window++;
	}
	if ((engines >> 30 & 1) != 0) {
		serving.code = peer->engines[0]->code;
	}
	if (engines >> 31 != 0) { /* bit 31: list the first engine a second time */
		peer->engines[peer->platform.engine_count++] = peer->engines[0];
	}
	free(peer->service);
	peer->service = malloc(sizeof(*peer->service));
	memset(&peer->link, 0, sizeof(peer->link));
	answer_u32(peer, (uint32_t)cl_service_init(peer->service, &peer->platform));
	free(peer->uart_buffer);
	peer->uart_capacity = CL_LINK_UART_BUFFER(CL_SERVICE_RECORD_MAX(max_data));
	peer->uart_buffer = calloc(1, peer->uart_capacity);
}

static void collect(void *context, const uint8_t *bytes, size_t size)
{
	answer(context, bytes, size);
}

/** Command: start the UART link. Must come after op_start(). No arguments. Reply: empty. */
static void op_uart_start(struct peer *peer, struct message *message)
{
	(void)message;
	cl_link_uart_init(&peer->uart, &peer->link, peer->uart_buffer, peer->uart_capacity, collect,
			  peer);
}

/**
 * Command: handle a record. Arguments: peer (u64), 1 if the core's answer overwrites the record
 * (u8), misalign (u8), record. Reply: the core's answer; empty if the core does not answer.
 */
static void op_record(struct peer *peer, struct message *message)
{
	const size_t room = CL_SERVICE_RECORD_MAX(peer->platform.max_data);
	uint8_t *memory;
	uint8_t *reply_memory = NULL;
	uint8_t *reply;

	peer->link.peer = cl_load_u64(take(message, 8));
	const bool in_place = *take(message, 1) != 0;
	const size_t misalign = *take(message, 1);
	const size_t len = message->size;
	uint8_t *record = duplicate(take(message, len), len, misalign, &memory);

	if (in_place) { /* the buffer must have room for the longest reply */
		reply_memory = calloc(1, misalign + (len > room ? len : room));
		reply = reply_memory + misalign;
		memcpy(reply, record, len);
		record = reply;
	} else {
		reply_memory = malloc(misalign + room);
		reply = reply_memory + misalign;
	}
	wipe_stack();
	const size_t replied =
		cl_service_handle(peer->service, &peer->link, record, len, reply, room);

	keep_stack();
	answer(peer, reply, replied);
	free(memory);
	free(reply_memory);
}

/**
 * Command: handle a record in a buffer in which the core's answer overwrites the record. Arguments:
 * record. Reply: the whole buffer after the call.
 */
static void op_record_leaves(struct peer *peer, struct message *message)
{
	const size_t room = CL_SERVICE_RECORD_MAX(peer->platform.max_data);
	const size_t len = message->size;
	uint8_t *const buffer = malloc(room);

	if (len > room) {
		die("record too long");
	}
	memset(buffer, 0x5a, room);
	memcpy(buffer, take(message, len), len);
	(void)cl_service_handle(peer->service, &peer->link, buffer, len, buffer, room);
	answer(peer, buffer, room);
	free(buffer);
}

/**
 * Command: handle a record with an answer buffer that is one byte smaller than the core requires.
 * Arguments: record. Reply: length of the core's answer (u32).
 */
static void op_record_no_room(struct peer *peer, struct message *message)
{
	const size_t room = CL_SERVICE_RECORD_MAX(peer->platform.max_data) - 1;
	const size_t len = message->size;
	uint8_t *memory;
	uint8_t *const record = duplicate(take(message, len), len, 0, &memory);
	uint8_t *const reply = malloc(room);

	answer_u32(peer, (uint32_t)cl_service_handle(peer->service, &peer->link, record, len, reply,
						     room));
	free(memory);
	free(reply);
}

/**
 * The bytes that the UART link receives. After every `chunk` bytes, one call of get_byte() reports
 * that no byte is available.
 */
struct stream {
	struct message message;
	size_t chunk;
	size_t at_hand;
};

static int get_byte(void *context)
{
	struct stream *const stream = context;

	if (stream->message.size == 0 || stream->at_hand == 0) {
		stream->at_hand = stream->chunk;
		return -1;
	}
	stream->at_hand--;
	return *take(&stream->message, 1);
}

/**
 * Command: receive bytes from the UART. Arguments: number of bytes that are available at a time
 * (u32), bytes. Reply: the bytes that the board transmits.
 */
static void op_uart(struct peer *peer, struct message *message)
{
	const size_t chunk = take_u32(message);
	struct stream stream = {.message = *message, .chunk = chunk, .at_hand = chunk};
	size_t len;

	peer->link.peer = 0;
	do {
		wipe_stack();
		len = cl_link_uart_receive(&peer->uart, get_byte, &stream);
		if (len > 0) {
			cl_link_uart_send(
				&peer->uart, peer->uart_buffer,
				cl_service_handle(peer->service, &peer->link, peer->uart_buffer,
						  len, peer->uart_buffer, peer->uart_capacity));
			keep_stack();
		}
	} while (len > 0 || stream.message.size > 0);
}

static void refresh_network(struct cl_link *link)
{
	link->network->overflows++;
}

/**
 * The link's function `reserve`. If @p open is true, reserves buffers for the frames of a session,
 * and otherwise ends the reservation. @p place is the index of the session. Inverts the session's
 * bit in `reserved`.
 */
static void reserve(struct cl_link *link, uint32_t place, bool open)
{
	struct peer *const peer =
		(struct peer *)((char *)link - offsetof(struct peer, network_link));
	const uint32_t bit = UINT32_C(1) << place;

	if (((peer->reserved & bit) != 0) == open) {
		peer->reserve_faults++;
	}
	peer->reserved ^= bit;
}

/**
 * Command: report the reservations of the UDP link. No arguments. Reply: bit mask of the sessions
 * that have a reservation (u32), number of wrong calls of reserve() (u32). A call is wrong if it
 * makes a second reservation for a session, or ends a reservation that does not exist.
 */
static void op_reserved(struct peer *peer, struct message *message)
{
	(void)message;
	answer_u32(peer, peer->reserved);
	answer_u32(peer, peer->reserve_faults);
}

/**
 * Command: start the UDP link. Arguments: MAC address (6 bytes), IPv4 address (4 bytes), port
 * (u16), max_data (u16), 1 if the link has a staging buffer (u8). Reply: empty.
 */
static void op_udp_start(struct peer *peer, struct message *message)
{
	free(peer->network_link.staging);
	peer->network = (struct cl_wire_network_reply){0};
	peer->pause = true;
	peer->reserved = peer->reserve_faults = 0;
	peer->udp = (struct cl_link_udp){.link = &peer->network_link};
	memcpy(peer->udp.mac, take(message, 6), 6);
	memcpy(peer->udp.address, take(message, 4), 4);
	peer->udp.port = cl_load_u16(take(message, 2));
	peer->network_link = (struct cl_link){
		.rx_window = 1234,
		.max_data = cl_load_u16(take(message, 2)),
		.network = &peer->network,
		.refresh = refresh_network,
		.reserve = reserve,
		.fast_path = fast_path,
	};
	if (*take(message, 1) != 0) {
		peer->network_link.staging = malloc(peer->network_link.max_data);
	}
}

/**
 * Command: receive an Ethernet frame. Arguments: the three sums that the Ethernet MAC computes for
 * the frame (u32 each), frame. Reply: the frame that the Ethernet MAC has to transmit; empty if
 * there is none. As on a board, both frames are in slots (the MAC's buffers), and the link works on
 * copies of the first bytes of the frames.
 */
static void op_udp(struct peer *peer, struct message *message)
{
	struct cl_link *const link = &peer->network_link;
	const size_t room = CL_SERVICE_RECORD_MAX((size_t)link->max_data);
	struct cl_frame frame = {0};

	frame.sum = cl_load_u32(take(message, 4));
	frame.window_sums[0] = cl_load_u32(take(message, 4));
	frame.window_sums[1] = cl_load_u32(take(message, 4));
	frame.len = message->size;
	size_t len = frame.len;
	uint8_t *const head = (uint8_t *)frame.head;

	free(peer->rx_slot);
	free(peer->tx_slot);
	peer->rx_bytes = len;
	peer->tx_bytes = CL_LINK_UDP_HEADERS + (room > len ? room : len);
	duplicate(take(message, len), len, 0, &peer->rx_slot);
	peer->tx_slot = malloc(peer->tx_bytes);
	memset(peer->tx_slot, 0xa5, peer->tx_bytes);
	frame.slot = peer->rx_slot;
	uint8_t *const sent = peer->tx_slot;

	memset(head, 0xa5, CL_LINK_UDP_HEAD);
	memcpy(head, frame.slot, len < CL_LINK_UDP_HEAD ? len : CL_LINK_UDP_HEAD);
	link->pauses += peer->pause;
	const bool to_port = cl_link_udp_destination(&peer->udp, head, len) != NULL;
	const enum cl_link_udp_kind kind =
		cl_link_udp_receive(&peer->udp, head, frame.slot, &len, frame.sum);

	if (kind == CL_LINK_UDP_RECORD) {
		struct cl_session_cost cost = {.driver = 1};

		if (!to_port) {
			die("a record to another port");
		}
		len = cl_frame_carry_out(&frame, &peer->udp, peer->service, len, sent, &cost);
		cost = (struct cl_session_cost){1, 20, 300, cost.record};
		peer->cycles += 321;
		cl_service_account(peer->service, link, &cost);
		if (len > 0) {
			answer(peer, sent, len);
		}
	} else if (kind == CL_LINK_UDP_RESPONSE) {
		memcpy(sent, frame.slot, len);
		memcpy(sent, head, len < CL_LINK_UDP_HEAD ? len : CL_LINK_UDP_HEAD);
		answer(peer, sent, len);
	} else {
		cl_frame_drop(&frame);
	}
}

/**
 * Command: set the timing of later commands. Arguments: 1 if the port finds the receive queue empty
 * before each frame (u8), cycles that the engine `faulty` takes (u32). Reply: empty.
 */
static void op_pace(struct peer *peer, struct message *message)
{
	peer->pause = *take(message, 1) != 0;
	peer->ctr_cycles = take_u32(message);
}

/**
 * Command: copy bytes with cl_copy_sum(). Arguments: misalign of the source (u8), misalign of the
 * destination (u8), bytes. Reply: sum (u32), the copy.
 */
static void op_copy(struct peer *peer, struct message *message)
{
	const size_t from_misalign = *take(message, 1);
	const size_t to_misalign = *take(message, 1);
	const size_t len = message->size;
	uint8_t *from_memory;
	uint8_t *const from = duplicate(take(message, len), len, from_misalign, &from_memory);
	uint8_t *const to_memory = malloc(to_misalign + len + 1);
	const uint32_t sum = cl_copy_sum(to_memory + to_misalign, from, len);

	if (cl_sum_fold(sum) != cl_sum_fold(cl_sum(from, len))) {
		die("two sums of the same bytes");
	}
	answer_u32(peer, cl_sum_fold(sum));
	answer(peer, to_memory + to_misalign, len);
	free(from_memory);
	free(to_memory);
}

/**
 * Command: search the stack memory that the last call into firmware/core used. Arguments: bytes to
 * find. Reply: how often these bytes occur (u32).
 */
static void op_find_in_stack(struct peer *peer, struct message *message)
{
	const size_t size = message->size;
	const uint8_t *const bytes = take(message, size);

	answer_u32(peer, stack_holds(bytes, size));
}

static uint32_t count_in(const void *memory, size_t bytes, const uint8_t *sought, size_t size)
{
	uint32_t found = 0;

	for (size_t i = 0; memory != NULL && i + size <= bytes; i++) {
		found += memcmp((const uint8_t *)memory + i, sought, size) == 0;
	}
	return found;
}

/**
 * Command: search the memory of the service and of the streams, the UART's buffer, and the UDP
 * link's staging buffer and slots. Arguments: bytes to find. Reply: how often these bytes occur
 * (u32).
 */
static void op_find(struct peer *peer, struct message *message)
{
	const size_t size = message->size;
	const uint8_t *const bytes = take(message, size);
	uint32_t found = count_in(peer->service, sizeof(*peer->service), bytes, size);

	found += count_in(peer->platform.streams, sizeof(*peer->platform.streams), bytes, size);
	found += count_in(peer->uart_buffer, peer->uart_capacity, bytes, size);
	found += count_in(peer->network_link.staging, peer->network_link.max_data, bytes, size);
	found += count_in(peer->rx_slot, peer->rx_bytes, bytes, size);
	found += count_in(peer->tx_slot, peer->tx_bytes, bytes, size);
	answer_u32(peer, found);
}

/**
 * Command: set the results of the engine `faulty`. Arguments: status of set_key (i32), status of
 * ctr (i32). Reply: empty.
 */
static void op_fault(struct peer *peer, struct message *message)
{
	peer->set_key_status = (int)take_u32(message);
	peer->ctr_status = (int)take_u32(message);
}

static void answer_u64(struct peer *peer, uint64_t value)
{
	answer_u32(peer, (uint32_t)value);
	answer_u32(peer, (uint32_t)(value >> 32));
}

static uint64_t take_u64(struct message *message)
{
	return cl_load_u64(take(message, 8));
}

/**
 * Command: set the results of the server `serving`, and report its state. Arguments: statuses that
 * its functions serve and finish return (i32 each), bytes (u64), blocks (u64), records (u32). The
 * server reports the last three numbers for each session. Reply: number of sessions that the server
 * serves (u32). Then the session that the core passed to the server last: session (u32), token
 * (u64), peer (u64), length (u64), record_bytes (u32). Then the window of this session: first
 * (u64), seen (u64), records (u32). If the server serves a session, the reply ends with the initial
 * counter block (16 bytes).
 */
static void op_serving(struct peer *peer, struct message *message)
{
	peer->serve_status = (int)take_u32(message);
	peer->finish_status = (int)take_u32(message);
	peer->work.bytes = take_u64(message);
	peer->work.blocks = take_u64(message);
	peer->work.records = take_u32(message);
	answer_u32(peer, peer->serving);
	answer_u32(peer, peer->client.session);
	answer_u64(peer, peer->client.token);
	answer_u64(peer, peer->client.peer);
	answer_u64(peer, peer->client.length);
	answer_u32(peer, peer->client.record_bytes);
	answer_u64(peer, peer->came.first);
	answer_u64(peer, peer->came.seen);
	answer_u32(peer, peer->came.records);
	if (peer->serving > 0) { /* the pointer is valid only while the server serves a session */
		answer(peer, peer->client.iv, CL_BLOCK_BYTES);
	}
}

/**
 * Command: let the server `serving` receive a record for its last session. Arguments: number of the
 * record (u64), checksum of its data (u64). Reply: result of cl_window_judge (u32).
 */
static void op_serve_record(struct peer *peer, struct message *message)
{
	const uint64_t record = take_u64(message);
	const uint64_t sum = take_u64(message);
	const enum cl_window_verdict verdict = cl_window_judge(&peer->came, record, sum);

	if (verdict == CL_WINDOW_NEW) {
		cl_window_accept(&peer->came, record, sum);
	}
	answer_u32(peer, verdict);
}

/**
 * Command: compute cl_window_sum() of a record's data. Arguments: misalign (u8), data. Reply: sum
 * (u64).
 */
static void op_sum(struct peer *peer, struct message *message)
{
	const size_t misalign = *take(message, 1);
	const size_t len = message->size;
	uint8_t *memory;
	const uint8_t *const data = duplicate(take(message, len), len, misalign, &memory);

	answer_u64(peer, cl_window_sum(data, len));
	free(memory);
}

/**
 * Command: change a window. The first argument is a letter that selects the change. 'i' empties the
 * window and sets its size (u32). 'r' changes the size (u32). 'n' receives the record with the
 * given number (u64) and checksum (u64). Reply: result of cl_window_judge for 'n', otherwise 0
 * (u32), first (u64), seen (u64), end (u64).
 */
static void op_window(struct peer *peer, struct message *message)
{
	struct cl_window *const window = &peer->window;
	enum cl_window_verdict verdict = CL_WINDOW_NEW;

	switch (*take(message, 1)) {
	case 'i':
		cl_window_init(window, take_u32(message));
		break;
	case 'r': {
		const uint32_t records = take_u32(message);

		wipe_stack();
		cl_window_resize(window, records);
		keep_stack();
		break;
	}
	default: {
		const uint64_t record = take_u64(message);
		const uint64_t sum = take_u64(message);

		verdict = cl_window_judge(window, record, sum);
		if (verdict == CL_WINDOW_NEW) {
			cl_window_accept(window, record, sum);
		}
	}
	}
	answer_u32(peer, verdict);
	answer_u64(peer, window->first);
	answer_u64(peer, window->seen);
	answer_u64(peer, cl_window_end(window));
}

/**
 * Command: change a table of ranges. The first argument is a letter that selects the change. '0'
 * empties the table. 't' adds a range: key number (u64), first block (16 bytes, big-endian), number
 * of blocks (u64). 'e', 's' and 'r' extend, shorten and release a range: index (u32), number of
 * blocks (u64). Reply: status (i32), number of free entries (u32). Then for each used entry: key
 * number (u64), high and low half of the first block's number (u64 each), number of blocks (u64), 1
 * if a stream holds the range (u32).
 */
static void op_ranges(struct peer *peer, struct message *message)
{
	struct cl_ranges *const ranges = &peer->ranges;
	const char what = (char)*take(message, 1);
	int result = 0;

	if (what == '0') {
		memset(ranges, 0, sizeof(*ranges));
	} else if (what == 't') {
		const uint64_t key = take_u64(message);
		const uint8_t *const first = take(message, CL_BLOCK_BYTES);
		struct cl_block_number number = {0};

		for (size_t i = 0; i < 8; i++) {
			number.high = number.high << 8 | first[i];
			number.low = number.low << 8 | first[8 + i];
		}
		result = cl_ranges_take(ranges, key, number, take_u64(message));
	} else {
		const int index = (int)take_u32(message);
		const uint64_t blocks = take_u64(message);

		if (what == 'e') {
			result = cl_ranges_extend(ranges, index, blocks);
		} else if (what == 's') {
			cl_ranges_trim(ranges, index, blocks);
		} else {
			cl_ranges_release(ranges, index);
		}
	}
	answer_u32(peer, (uint32_t)result);
	answer_u32(peer, cl_ranges_free(ranges));
	for (size_t i = 0; i < CL_RANGES; i++) {
		const struct cl_range *const range = &ranges->range[i];

		if (range->blocks != 0) {
			answer_u64(peer, range->key);
			answer_u64(peer, range->first.high);
			answer_u64(peer, range->first.low);
			answer_u64(peer, range->blocks);
			answer_u32(peer, ranges->held[i]);
		}
	}
}

/**
 * Command: advance the cycle counter, then call cl_service_poll() as a port's main loop does.
 * Arguments: cycles (u32). Reply: empty.
 */
static void op_poll(struct peer *peer, struct message *message)
{
	peer->cycles += take_u32(message);
	cl_service_poll(peer->service);
}

/**
 * Command: count how often the core has asked the port to zeroize memory since the last command of
 * this kind. No arguments. Reply: count (u32).
 */
static void op_forgotten(struct peer *peer, struct message *message)
{
	(void)message;
	answer_u32(peer, peer->forgotten);
	peer->forgotten = 0;
}

/**
 * Command: compute the number that identifies a key ('k'), make a ticket ('t'), or draw a counter
 * block ('d'). Arguments: this letter, key bits (u32), session (u32), counter block (16 bytes), key
 * (32 bytes). Reply: status (i32), result padded with zeros (16 bytes).
 */
static void op_identity(struct peer *peer, struct message *message)
{
	const char what = (char)*take(message, 1);
	const uint32_t key_bits = take_u32(message);
	const uint32_t session = take_u32(message);
	const uint8_t *const block = take(message, CL_BLOCK_BYTES);
	const uint8_t *const key = take(message, CL_KEY_BYTES_MAX);
	static union {
		uint64_t number;
		uint8_t block[CL_BLOCK_BYTES];
	} result;
	int status;

	memset(&result, 0, sizeof(result));
	wipe_stack();
	if (what == 'k') {
		status = cl_identity_key(&peer->platform, key, key_bits, &result.number);
	} else if (what == 't') {
		status = cl_identity_ticket(&peer->platform, key, key_bits, block, session,
					    &result.number);
	} else {
		status = cl_identity_draw(&peer->platform, block, result.block);
	}
	keep_stack();
	answer_u32(peer, (uint32_t)status);
	answer(peer, result.block, sizeof(result.block));
}

/**
 * Command: set the results of the random source. Arguments: status (i32), first random word (u32).
 * Reply: empty.
 */
static void op_random(struct peer *peer, struct message *message)
{
	peer->random_status = (int)take_u32(message);
	peer->random_word = take_u32(message);
}

/**
 * Command: run CTR. Arguments: engine, 0 for `byte` or 1 for `table` (u8), misalign of the input
 * (u8), misalign of the output (u8), 1 to work in place (u8), key bits (u32), counter block (16
 * bytes), key (32 bytes), data. Reply: status (i32), output.
 */
static void op_ctr(struct peer *peer, struct message *message)
{
	const struct cl_engine *const engine =
		*take(message, 1) == 0 ? &cl_engine_byte : &cl_engine_table;
	const size_t in_misalign = *take(message, 1);
	const size_t out_misalign = *take(message, 1);
	const bool in_place = *take(message, 1) != 0;
	const uint32_t key_bits = take_u32(message);
	const uint8_t *const counter = take(message, CL_BLOCK_BYTES);
	const uint8_t *const key_bytes = take(message, CL_KEY_BYTES_MAX);
	const size_t len = message->size;
	struct cl_engine_key key = {0};
	uint8_t *in_memory;
	uint8_t *out_memory;
	const uint8_t *const in = take(message, len);
	uint8_t *out = duplicate(in, len, out_misalign, &out_memory);
	const uint8_t *source = duplicate(in, len, in_misalign, &in_memory);
	int status = engine->set_key(engine, &key, key_bytes, key_bits);

	if (in_place) {
		source = out;
	}
	if (status == 0) {
		status = engine->ctr(engine, &key, counter, source, out, len);
	}
	engine->clear(engine, &key);
	for (size_t i = 0; i < sizeof(key); i++) {
		if (((const uint8_t *)&key)[i] != 0) {
			die("clear left something of the key");
		}
	}
	if (engine->ctr(engine, &key, counter, source, out, len) != -EINVAL) {
		die("a cleared key was used");
	}
	answer_u32(peer, (uint32_t)status);
	answer(peer, out, len);
	free(in_memory);
	free(out_memory);
}

/**
 * Selects the call of gcm_ctr() that fails: 1 is the next call, 2 is the call after it, and so on.
 * 0 means that no call fails. Each call decrements this number until it is 0.
 */
static uint32_t gcm_fails;

static int gcm_ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
		   const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
		   size_t len)
{
	if (gcm_fails > 0 && --gcm_fails == 0) {
		return -EIO;
	}
	return cl_engine_table.ctr(engine, key, counter, in, out, len);
}

/**
 * Command: encrypt or decrypt a GCM message. Arguments: 1 to decrypt (u8), misalign of all buffers
 * (u8), 1 to work in place (u8), number of the engine's call that fails, or 0 if none fails (u32),
 * key bits (u32), nonce (12 bytes), key (32 bytes), tag (16 bytes), bytes of additional data (u32),
 * additional data, text. Reply: status (i32), tag (16 bytes), output. If the output has a buffer of
 * its own, each byte of this buffer is 0xa5 before the call.
 */
static void op_gcm(struct peer *peer, struct message *message)
{
	struct cl_engine engine = cl_engine_table;
	struct cl_gcm_message gcm = {.decrypt = *take(message, 1) != 0};
	const size_t misalign = *take(message, 1);
	const bool in_place = *take(message, 1) != 0;
	uint8_t *memory[5];
	struct cl_engine_key key = {0};

	gcm_fails = take_u32(message);
	engine.ctr = gcm_ctr;
	const uint32_t key_bits = take_u32(message);

	gcm.nonce = duplicate(take(message, CL_GCM_NONCE_BYTES), CL_GCM_NONCE_BYTES, misalign,
			      &memory[0]);
	(void)engine.set_key(&engine, &key, take(message, CL_KEY_BYTES_MAX), key_bits);
	gcm.tag = duplicate(take(message, CL_BLOCK_BYTES), CL_BLOCK_BYTES, misalign, &memory[1]);
	gcm.aad_len = take_u32(message);
	gcm.aad = duplicate(take(message, gcm.aad_len), gcm.aad_len, misalign, &memory[2]);
	gcm.len = message->size;
	const uint8_t *const text = take(message, gcm.len);
	uint8_t *const in = duplicate(text, gcm.len, misalign, &memory[3]);

	gcm.in = in;
	gcm.out = duplicate(text, gcm.len, misalign, &memory[4]);
	memset(gcm.out, 0xa5, gcm.len);
	if (in_place) {
		gcm.out = in;
	}
	wipe_stack();
	const int status = cl_gcm_run(&engine, &key, &gcm);

	keep_stack();
	engine.clear(&engine, &key);
	answer_u32(peer, (uint32_t)status);
	answer(peer, gcm.tag, CL_BLOCK_BYTES);
	answer(peer, gcm.out, gcm.len);
	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++) {
		free(memory[i]);
	}
}

/**
 * Command: expand a key. Arguments: key bits (u32), key (32 bytes). Reply: status (i32), number of
 * rounds (u32), round keys.
 */
static void op_expand(struct peer *peer, struct message *message)
{
	const uint32_t key_bits = take_u32(message);
	struct cl_engine_key key = {0};

	answer_u32(peer,
		   (uint32_t)cl_aes_expand_key(&key, take(message, CL_KEY_BYTES_MAX), key_bits));
	answer_u32(peer, key.rounds);
	answer(peer, key.round_key, sizeof(key.round_key));
}

/**
 * Command: compute a counter block. Arguments: initial counter block (16 bytes), number of the
 * block (u64). Reply: counter block (16 bytes).
 */
static void op_counter(struct peer *peer, struct message *message)
{
	const uint8_t *const iv = take(message, CL_BLOCK_BYTES);
	uint8_t counter[CL_BLOCK_BYTES];

	cl_ctr_counter(counter, iv, cl_load_u64(take(message, 8)));
	answer(peer, counter, sizeof(counter));
}

/**
 * Command: continue a CRC-32. Arguments: CRC of the earlier bytes (u32), bytes. Reply: CRC (u32).
 */
static void op_crc(struct peer *peer, struct message *message)
{
	const uint32_t crc = take_u32(message);
	const size_t len = message->size;
	uint8_t *memory;
	const uint8_t *const data = duplicate(take(message, len), len, 0, &memory);

	answer_u32(peer, cl_crc32(crc, data, len));
	free(memory);
}

/**
 * Command: encode a frame with COBS. Arguments: number of bytes per call of the encoder (u32),
 * bytes. Reply: the frame.
 */
static void op_encode(struct peer *peer, struct message *message)
{
	const size_t piece = take_u32(message);
	struct cl_cobs_encoder encoder;

	cl_cobs_begin(&encoder, collect, peer);
	while (message->size > 0) {
		const size_t size = piece < message->size ? piece : message->size;

		cl_cobs_encode(&encoder, take(message, size), size);
	}
	cl_cobs_end(&encoder);
}

/**
 * Command: decode COBS frames. Arguments: size of the decoder's buffer (u32), number of bytes that
 * are available at a time (u32), bytes. Reply: for each complete frame, status of the decoder
 * (u32), length (u32), decoded bytes.
 */
static void op_decode(struct peer *peer, struct message *message)
{
	const uint32_t capacity = take_u32(message);
	const size_t chunk = take_u32(message);
	struct stream stream = {.message = *message, .chunk = chunk, .at_hand = chunk};
	struct cl_cobs_decoder decoder = {.buffer = malloc(capacity), .capacity = capacity};
	enum cl_cobs_status status;

	do {
		status = cl_cobs_decode(&decoder, get_byte, &stream);
		if (status != CL_COBS_MORE) {
			const size_t length = status == CL_COBS_FRAME ? decoder.length : 0;

			answer_u32(peer, status);
			answer_u32(peer, (uint32_t)length);
			answer(peer, decoder.buffer, length);
			cl_cobs_restart(&decoder);
		}
	} while (status != CL_COBS_MORE || stream.message.size > 0);
	free(decoder.buffer);
}

static const struct operation {
	char letter;
	void (*run)(struct peer *peer, struct message *message);
} operations[] = {
	{'k', op_find_in_stack}, {'S', op_start},  {'u', op_uart_start},     {'R', op_record},
	{'L', op_record_leaves}, {'U', op_uart},   {'F', op_find},           {'f', op_fault},
	{'C', op_ctr},           {'K', op_expand}, {'N', op_counter},        {'Z', op_crc},
	{'E', op_encode},        {'D', op_decode}, {'n', op_record_no_room}, {'O', op_reserved},
	{'p', op_udp_start},     {'P', op_udp},    {'Y', op_copy},           {'V', op_serving},
	{'v', op_serve_record},  {'s', op_sum},    {'W', op_window},         {'G', op_ranges},
	{'o', op_poll},          {'d', op_random}, {'g', op_forgotten},      {'I', op_identity},
	{'w', op_pace},          {'M', op_gcm},
};

static bool read_all(uint8_t *to, size_t size)
{
	return fread(to, 1, size, stdin) == size;
}

int main(void)
{
	static struct peer peer;
	uint8_t prefix[4];

	peer.answer = malloc(ANSWER_MAX);
	while (read_all(prefix, sizeof(prefix))) {
		const size_t size = cl_load_u32(prefix);
		uint8_t *const data = malloc(size);
		struct message message = {.data = data + 1, .size = size - 1};
		size_t i = 0;

		if (size == 0 || !read_all(data, size)) {
			die("no message");
		}
		while (operations[i].letter != (char)data[0]) {
			if (++i == sizeof(operations) / sizeof(operations[0])) {
				die("unknown operation");
			}
		}
		peer.answered = 0;
		operations[i].run(&peer, &message);
		cl_store_u32(prefix, (uint32_t)peer.answered);
		fwrite(prefix, 1, sizeof(prefix), stdout);
		fwrite(peer.answer, 1, peer.answered, stdout);
		fflush(stdout);
		free(data);
	}
	free(peer.service);
	free(peer.platform.streams);
	free(peer.uart_buffer);
	free(peer.bench_buffer);
	free(peer.answer);
	return 0;
}
