/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Runs the bare-metal Ethernet driver on the host, with a model of the Ethernet MAC: `model
 * SLOT...`.
 *
 * Each argument is the content of a receive slot in hexadecimal: a frame, zeros, and at the end the
 * sums that the Ethernet MAC stores there. The last two bytes are the frame's length, big-endian.
 *
 * The driver zeroizes all slots in small steps, and checks for a new frame between two steps. The
 * program makes one run for each of these checks, and for some checks after the last step. In each
 * run, all frames arrive just before one check. Frames for which no slot is free then arrive later,
 * as soon as a slot is free. To model a frame that is still arriving, the first 256 bytes of the
 * second frame are in its slot one check earlier.
 *
 * For each run, the program prints a line that begins with three numbers. The first is the number
 * of frames that the driver sent. The second is the number of received frames that were damaged in
 * their slot before the driver read them. The third is the number of bytes after the record's
 * header, in the last frame's slot, that are not 0 at the end of the run. Then follow the stations
 * that the Ethernet MAC knows: a row's number, a colon, and the row's words.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>

#include "aes/engines.h"
#include "ethernet.h"
#include "port.h"

#define SLOTS      (ETHMAC_RX_SLOTS + ETHMAC_TX_SLOTS)
#define LENGTH     (ETHMAC_SLOT_SIZE - 2)
#define DATA       66u
#define QUIET      8u
#define POLLS_MAX  100000u
#define FIRST_SLOT 5u
#define FRAMES_MAX 16u
/*
 * The second frame arrives in two parts. The first part has this number of bytes. The rest arrives
 * just before the driver's next check for a new frame.
 */
#define EARLY 256u

static uint8_t memory[SLOTS * ETHMAC_SLOT_SIZE] __attribute__((aligned(16)));
static uint8_t frames[FRAMES_MAX][ETHMAC_SLOT_SIZE];
static uint32_t frame_count;
static uint32_t cycles, looks, moment, sent;
/*
 * `come`: number of frames that have arrived. `taken`: number of frames that the driver has read.
 * The model writes the first frame to slot FIRST_SLOT.
 */
static uint32_t come, taken;
/*
 * `early`: number of bytes of the second frame that are already in its slot. `damaged`: number of
 * frames that were no longer intact in their slots when the driver read them.
 */
static uint32_t early, damaged;
static bool forgets;

uintptr_t model_memory(void)
{
	return (uintptr_t)memory;
}

uint32_t port_cycles(void *context)
{
	(void)context;
	return cycles++;
}

static uint8_t *slot_of(uint32_t frame)
{
	return &memory[(FIRST_SLOT + frame) % ETHMAC_RX_SLOTS * ETHMAC_SLOT_SIZE];
}

/** Lets the remaining frames arrive, as long as there are free slots. */
static void arrive(void)
{
	for (; come < frame_count && come - taken < ETHMAC_RX_SLOTS; come++) {
		const uint32_t begin = come == 1 ? early : 0;

		memcpy(slot_of(come) + begin, frames[come] + begin, LENGTH - begin);
	}
}

uint32_t ethmac_sram_writer_ev_pending_read(void)
{
	if (looks + 1 == moment && frame_count > 1) {
		early = EARLY;
		memcpy(slot_of(1), frames[1], early);
	}
	if (looks++ == moment) {
		arrive();
	}
	return come > taken;
}

void ethmac_sram_writer_ev_pending_write(uint32_t value)
{
	taken += value;
	arrive();
}

uint32_t ethmac_sram_writer_slot_read(void)
{
	damaged += memcmp(slot_of(taken), frames[taken], LENGTH) != 0;
	return (FIRST_SLOT + taken) % ETHMAC_RX_SLOTS;
}

uint32_t ethmac_sram_writer_length_read(void)
{
	return (uint32_t)frames[taken][LENGTH] << 8 | frames[taken][LENGTH + 1];
}

/*
 * The MAC's table of known stations: the selected row, a mask of the rows in use, and the words of
 * each row.
 */
static uint32_t row, known, station[8][3];

void ethmac_stations_row_write(uint32_t value)
{
	row = value;
}

void ethmac_stations_mac0_write(uint32_t value)
{
	station[row][0] = value;
	known &= ~(1u << row);
}

void ethmac_stations_mac1_write(uint32_t value)
{
	station[row][1] = value;
	known &= ~(1u << row);
}

void ethmac_stations_address_write(uint32_t value)
{
	station[row][2] = value;
	known &= ~(1u << row);
}

void ethmac_stations_known_write(uint32_t value)
{
	known = value;
}

uint32_t ethmac_stations_known_read(void)
{
	return known;
}

void ethmac_sram_reader_start_write(uint32_t value)
{
	sent += value;
}

/* The driver also calls the following functions of the fast path. They do nothing, because the
 * model has no fast path. */
void cl_fastpath_zeroize(const struct cl_fastpath *device)
{
	(void)device;
}

void cl_fastpath_describe(const struct cl_fastpath *device, struct cl_wire_fastpath_reply *reply)
{
	(void)device;
	memset(reply, 0, sizeof(*reply));
}

static void forget(void *context)
{
	(void)context;
	forgets = true;
}

static void read_slot(uint8_t *slot, const char *digits)
{
	if (strlen(digits) != 2 * ETHMAC_SLOT_SIZE) {
		fprintf(stderr, "model: a slot has %u bytes\n", ETHMAC_SLOT_SIZE);
		exit(2);
	}
	for (size_t i = 0; i < ETHMAC_SLOT_SIZE; i++) {
		const char byte[3] = {digits[2 * i], digits[2 * i + 1], 0};

		slot[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
}

/**
 * Runs the driver once. The driver checks many times whether a new frame has arrived. The frames
 * arrive just before check number @p at, counted from 0. Returns the number of checks.
 */
static uint32_t run(uint32_t at)
{
	static uint8_t staging[CL_LINK_UDP_MAX_DATA] __attribute__((aligned(16)));
	static struct cl_streams streams;
	static struct cl_service service;
	static struct ethernet ethernet;
	const struct cl_engine *const engines[] = {&cl_engine_table};
	const struct cl_platform platform = {
		.board = "model",
		.firmware = "model",
		.max_data = 256,
		.clock_hz = CONFIG_CLOCK_FREQUENCY,
		.engines = engines,
		.engine_count = 1,
		.cycles = port_cycles,
		.streams = &streams,
		.identity = &cl_engine_byte,
		.forget = forget,
	};
	uint32_t quiet = 0;

	moment = UINT32_MAX;
	come = taken = sent = looks = early = damaged = 0;
	if (cl_service_init(&service, &platform) != 0) {
		fprintf(stderr, "model: the service did not start\n");
		exit(2);
	}
	ethernet_init(&ethernet, &service, staging);
	ethernet.rx_slot = FIRST_SLOT - 1;
	ethernet_forget(&ethernet);
	moment = at;
	for (uint32_t polls = 0; quiet < QUIET; polls++) {
		const uint32_t before = looks;

		if (polls == POLLS_MAX) {
			fprintf(stderr, "model: it does not come to an end\n");
			exit(2);
		}
		cl_service_poll(&service);
		if (forgets) {
			forgets = false;
			ethernet_forget(&ethernet);
		}
		ethernet_poll(&ethernet);
		quiet = looks - before == 1 && come == taken ? quiet + 1 : 0;
	}
	return looks;
}

int main(int argc, char **argv)
{
	frame_count = (uint32_t)argc - 1;
	if (argc < 2 || frame_count > FRAMES_MAX) {
		fprintf(stderr, "model: takes 1 to %u frames\n", FRAMES_MAX);
		return 2;
	}
	for (uint32_t i = 0; i < frame_count; i++) {
		read_slot(frames[i], argv[1 + i]);
	}
	const uint32_t moments = run(UINT32_MAX);

	for (uint32_t at = 0; at < moments; at++) {
		uint32_t left = 0;

		(void)run(at);
		for (size_t i = DATA; i < ETHMAC_SLOT_SIZE; i++) {
			left += slot_of(frame_count - 1)[i] != 0;
		}
		printf("%u %u %u", sent, damaged, left);
		for (uint32_t i = 0; i < 8; i++) {
			if ((known >> i & 1) != 0) {
				printf(" %u:%04x%08x%08x", i, station[i][0], station[i][1],
				       station[i][2]);
			}
		}
		printf("\n");
	}
	return 0;
}
