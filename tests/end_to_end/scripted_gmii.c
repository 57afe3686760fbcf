/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * An Ethernet wire between the simulated board and a test. It is a module for LiteX's simulator,
 * and replaces the module `gmii_ethernet`.
 *
 * The test and the simulation take turns, so that times in cycles do not depend on the speed of
 * this machine. The simulation stops when the board has sent a frame, or after the number of
 * cycles that the test has set. The module then sends the cycle number and the frame to the test,
 * and waits for commands, such as frames to send next.
 *
 * The pads are the same as for `gmii_ethernet`: GMII, with a byte for each rising edge of the
 * clock.
 *
 * Message to the test: cycle (64 bits), number of bytes (32 bits), and the bytes of the frame
 * without preamble and check sequence; 0 bytes if there is no frame. Answer: commands, the last of
 * which is OP_GO. A command consists of a code and a number of bytes, 32 bits each, and the bytes:
 *
 *   OP_GO     continue, for at most as many cycles as the number says
 *   OP_FRAME  queue a frame
 *   OP_FLOOD  add a frame to the flood, which another host repeats; with 0 bytes, end the flood
 *   OP_SILENT like OP_FLOOD, but leave the wire idle for as long as the frame would take
 *
 * Without a flood, queued frames are sent at once. With a flood, frames follow each other without
 * a pause, as from a switch: half of the bytes are for queued frames, and the flood fills the rest.
 *
 * The module has one argument: `path`, the path of the test's Unix socket.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/socket.h>
#include <sys/un.h>

#include <json-c/json.h>
#include <zlib.h>

#include "error.h"
#include "modules.h"

enum {
	OP_GO,
	OP_FRAME,
	OP_FLOOD,
	OP_SILENT
};

/* Number of cycles that the simulation runs before the test's first turn. In this time, the
 * simulator prints the number of the TCP port of its UART. */
#define FIRST_TURN 1000
#define FRAME_MAX  2048
#define FRAMES     256
#define FLOODS     16
#define PREAMBLE   8
#define SEQUENCE   4
#define GAP        12
/* Upper limit of `ahead`. During a flood, each frame of the flood adds its size to `ahead`, and
 * each queued frame subtracts its size. The wire sends a queued frame as soon as `ahead` is at
 * least the size of this frame. */
#define AHEAD_MAX (2 * FRAME_MAX)

struct frame {
	uint8_t bytes[FRAME_MAX]; /* preamble, frame, check sequence */
	uint32_t size;
	bool silent;
};

struct wire {
	uint8_t *rx_data, *tx_data, *tx_en;
	bool *rx_dv;
	char *clock;
	clk_edge_state_t edge;
	int socket;
	uint64_t cycle, turn;
	struct frame queue[FRAMES], floods[FLOODS];
	uint32_t first, count, flood_count, flood_next;
	/* The frame that the wire is sending to the board. `received` is the number of bytes that
	 * the board has received so far, including bytes of the gap after the frame. */
	const struct frame *now;
	struct frame current;
	uint32_t received;
	int64_t ahead;
	uint8_t sent[FRAME_MAX];
	uint32_t sent_size;
};

static void fail(const char *what)
{
	fprintf(stderr, "[scripted_gmii] %s\n", what);
	exit(1);
}

static void read_all(struct wire *wire, void *to, size_t size)
{
	for (size_t done = 0; done < size;) {
		const ssize_t count = read(wire->socket, (char *)to + done, size - done);

		if (count <= 0) {
			exit(0); /* the test has ended */
		}
		done += (size_t)count;
	}
}

static void read_frame(struct wire *wire, struct frame *frame, uint32_t size)
{
	uint8_t *const body = frame->bytes + PREAMBLE;

	if (size + PREAMBLE + SEQUENCE > FRAME_MAX) {
		fail("a frame is too long");
	}
	memset(frame->bytes, 0x55, PREAMBLE - 1);
	frame->bytes[PREAMBLE - 1] = 0xd5;
	read_all(wire, body, size);
	const uint32_t sequence = (uint32_t)crc32(0, body, size);

	memcpy(body + size, &sequence, SEQUENCE);
	frame->size = PREAMBLE + size + SEQUENCE;
	frame->silent = false;
}

/** Sends the current cycle and a frame to the test. Then executes commands until OP_GO. */
static void take_turn(struct wire *wire, const uint8_t *frame, uint32_t size)
{
	uint8_t message[12 + FRAME_MAX];
	uint32_t command[2];

	memcpy(message, &wire->cycle, 8);
	memcpy(message + 8, &size, 4);
	memcpy(message + 12, frame, size);
	if (send(wire->socket, message, 12 + size, MSG_NOSIGNAL) != (ssize_t)(12 + size)) {
		exit(0);
	}
	for (;;) {
		read_all(wire, command, sizeof(command));
		if (command[0] == OP_GO) {
			wire->turn = wire->cycle + command[1];
			return;
		}
		if (command[0] == OP_FRAME) {
			if (wire->count == FRAMES) {
				fail("too many frames");
			}
			read_frame(wire, &wire->queue[(wire->first + wire->count++) % FRAMES],
				   command[1]);
		} else if (command[1] == 0) {
			wire->flood_count = wire->flood_next = 0;
		} else {
			struct frame *const flood = &wire->floods[wire->flood_count];

			if (wire->flood_count++ == FLOODS) {
				fail("too many kinds of frames");
			}
			read_frame(wire, flood, command[1]);
			flood->silent = command[0] == OP_SILENT;
		}
	}
}

/** Chooses the next frame for the board: a queued frame, a frame of the flood, or none. */
static void choose(struct wire *wire)
{
	const struct frame *const own = &wire->queue[wire->first];
	const struct frame *const flood = &wire->floods[wire->flood_next];

	wire->received = 0;
	wire->now = &wire->current;
	if (wire->count > 0 && (wire->flood_count == 0 || wire->ahead >= own->size)) {
		wire->current = *own;
		wire->first = (wire->first + 1) % FRAMES;
		wire->count--;
		wire->ahead -= wire->flood_count > 0 ? own->size : 0;
	} else if (wire->flood_count > 0) {
		wire->current = *flood;
		wire->flood_next = (wire->flood_next + 1) % wire->flood_count;
		wire->ahead += flood->size;
		wire->ahead = wire->ahead > AHEAD_MAX ? AHEAD_MAX : wire->ahead;
	} else {
		wire->now = NULL;
	}
}

static void receive(struct wire *wire)
{
	if (wire->now == NULL || wire->received == wire->now->size + GAP) {
		choose(wire);
	}
	*wire->rx_dv = wire->now != NULL && !wire->now->silent && wire->received < wire->now->size;
	*wire->rx_data = *wire->rx_dv ? wire->now->bytes[wire->received] : 0;
	wire->received += wire->now != NULL;
}

static void transmit(struct wire *wire)
{
	if (*wire->tx_en) {
		if (wire->sent_size == FRAME_MAX) {
			fail("the board's frame is too long");
		}
		wire->sent[wire->sent_size++] = *wire->tx_data;
		return;
	}
	if (wire->sent_size == 0) {
		return;
	}
	if (wire->sent_size < PREAMBLE + SEQUENCE) {
		fail("the board's frame is too short");
	}
	const uint32_t size = wire->sent_size - PREAMBLE - SEQUENCE;
	const uint8_t *const body = wire->sent + PREAMBLE;
	const uint32_t sequence = (uint32_t)crc32(0, body, size);

	if (memcmp(body + size, &sequence, SEQUENCE) != 0) {
		fail("the board's frame has a wrong check sequence");
	}
	wire->sent_size = 0;
	take_turn(wire, body, size);
}

static int tick(void *session, uint64_t time_ps)
{
	struct wire *const wire = session;

	(void)time_ps;
	if (!clk_pos_edge(&wire->edge, *wire->clock)) {
		return RC_OK;
	}
	wire->cycle++;
	transmit(wire);
	if (wire->cycle >= wire->turn) {
		take_turn(wire, NULL, 0);
	}
	receive(wire);
	return RC_OK;
}

static int start(void *base)
{
	(void)base;
	return RC_OK;
}

static int new_session(void **session, char *arguments)
{
	struct sockaddr_un there = {.sun_family = AF_UNIX};
	struct json_object *const parsed = json_tokener_parse(arguments);
	struct json_object *path = NULL;
	struct wire *const wire = calloc(1, sizeof(*wire));

	if (!wire || !json_object_object_get_ex(parsed, "path", &path)) {
		return RC_ERROR;
	}
	strncpy(there.sun_path, json_object_get_string(path), sizeof(there.sun_path) - 1);
	json_object_put(parsed);
	wire->socket = socket(AF_UNIX, SOCK_STREAM, 0);
	if (wire->socket < 0 ||
	    connect(wire->socket, (struct sockaddr *)&there, sizeof(there)) != 0) {
		fprintf(stderr, "[scripted_gmii] no test listens\n");
		return RC_ERROR;
	}
	wire->turn = FIRST_TURN;
	*session = wire;
	return RC_OK;
}

static void *pad(const struct pad_list_s *list, const char *name)
{
	for (const struct pad_s *entry = list->pads; entry->name; entry++) {
		if (!strcmp(entry->name, name)) {
			return entry->signal;
		}
	}
	return NULL;
}

static int add_pads(void *session, struct pad_list_s *list)
{
	struct wire *const wire = session;

	if (!strcmp(list->name, "gmii_eth")) {
		wire->rx_data = pad(list, "rx_data");
		wire->rx_dv = pad(list, "rx_dv");
		wire->tx_data = pad(list, "tx_data");
		wire->tx_en = pad(list, "tx_en");
	} else if (!strcmp(list->name, "sys_clk")) {
		wire->clock = pad(list, "sys_clk");
	}
	return RC_OK;
}

static struct ext_module_s module = {"scripted_gmii", start, new_session, add_pads, NULL, tick};

int litex_sim_ext_module_init(int (*register_module)(struct ext_module_s *))
{
	return register_module(&module);
}
