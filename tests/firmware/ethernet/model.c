/**
 * @file
 * The bare-metal driver of Ethernet over a modelled MAC, on the host: `model FIRST SECOND`.
 *
 * Both are a receive slot's bytes in hexadecimal: a frame, the sums at their place, and the frame's
 * length in the last two bytes, big-endian. For each moment at which the driver can look for a
 * frame while it erases all slots, and some after, in a run of its own: FIRST comes then, and
 * SECOND right behind it. A line a moment: how many frames were sent, and the bytes of SECOND's
 * slot from a record's data on that are not 0 once nothing happens any more.
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
#define STAGING    4096u
#define FIRST_SLOT 5u

static uint8_t memory[SLOTS * ETHMAC_SLOT_SIZE] __attribute__((aligned(16)));
static uint8_t frames[2][ETHMAC_SLOT_SIZE];
static uint32_t cycles, looks, moment, sent;
/* Frames that have come and that were taken; before them were FIRST_SLOT. */
static uint32_t come, taken;
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

uint32_t ethmac_sram_writer_ev_pending_read(void)
{
	if (looks++ == moment) {
		for (; come < 2; come++) {
			memcpy(slot_of(come), frames[come], LENGTH);
		}
	}
	return come > taken;
}

void ethmac_sram_writer_ev_pending_write(uint32_t value)
{
	taken += value;
}

uint32_t ethmac_sram_writer_slot_read(void)
{
	return (FIRST_SLOT + taken) % ETHMAC_RX_SLOTS;
}

uint32_t ethmac_sram_writer_length_read(void)
{
	return (uint32_t)frames[taken][LENGTH] << 8 | frames[taken][LENGTH + 1];
}

void ethmac_sram_reader_start_write(uint32_t value)
{
	sent += value;
}

/* No fast path: what the driver asks of it is not looked at. */
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

/** A run in which the frames come at @p at. @return how often the driver looked before they came */
static uint32_t run(uint32_t at)
{
	static uint8_t staging[STAGING] __attribute__((aligned(16)));
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
	come = taken = sent = looks = 0;
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
	if (argc != 3) {
		return 2;
	}
	read_slot(frames[0], argv[1]);
	read_slot(frames[1], argv[2]);
	const uint32_t moments = run(UINT32_MAX);

	for (uint32_t at = 0; at < moments; at++) {
		uint32_t left = 0;

		(void)run(at);
		for (size_t i = DATA; i < ETHMAC_SLOT_SIZE; i++) {
			left += slot_of(1)[i] != 0;
		}
		printf("%u %u\n", sent, left);
	}
	return 0;
}
