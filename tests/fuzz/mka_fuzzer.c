/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the MKA participant. Delivers arbitrary frames and authentic MKPDUs to the participant,
 * and lets simulated time pass. The program runs with sanitizers. In addition, a model of the SecY
 * checks the participant's calls, and the MKPDUs that the participant sends must be well-formed.
 *
 * The input is a sequence of commands. Bits 0 and 1 of a command's first byte are its type:
 * - 0 delivers a frame of the input unchanged;
 * - 1 gives a frame of the input the right addresses, CKN and ICV, and delivers it;
 * - 2 delivers an MKPDU of another member, written by compose();
 * - 3 lets time pass.
 *
 * For types 0 and 1, the second byte is a quarter of the frame's length. For type 3, it is the
 * number of time steps.
 */
#include <stdio.h>
#include <stdlib.h>

#include "aes/engines.h"
#include "aes/modes_byte.h"
#include "engine/cmac.h"
#include "mka/key_wrap.h"
#include "mka/mka.h"
#include "recording_secy.h"

#define STEP_MS   50u
#define ARGUMENTS 6u

static struct cl_mka mka;
static uint8_t next_random;

static int draw(void *context, uint8_t *bytes, size_t count)
{
	(void)context;
	for (size_t i = 0; i < count; i++) {
		bytes[i] = next_random++ * 37u;
	}
	return 0;
}

static void transmit(void *context, const uint8_t *frame, size_t size)
{
	struct cl_mkpdu mkpdu;

	(void)context;
	if (size > CL_MKPDU_WRITE_MAX || cl_mkpdu_read(&mkpdu, frame, size) != 0 ||
	    mkpdu.protected_bytes + CL_MKPDU_ICV_BYTES != size) {
		die("a sent MKPDU is not well-formed");
	}
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
	uint8_t all = 0;

	for (size_t i = 0; i < size; i++) {
		all |= bytes[i];
	}
	return all == 0;
}

static void put_icv(uint8_t *frame, size_t protected_bytes)
{
	(void)cl_cmac(&cl_engine_byte, mka.keys.ick, 128, frame, protected_bytes,
		      frame + protected_bytes);
}

/** Makes a frame an authentic MKPDU (right header, CKN and ICV), if it has at least 70 bytes. */
static void seal(uint8_t *frame, size_t size)
{
	static const uint8_t head[] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x03};
	static const uint8_t algorithm[] = {0x00, 0x80, 0xc2, 0x01};

	if (size < 70) {
		return;
	}
	memcpy(frame, head, sizeof(head));
	frame[12] = 0x88;
	frame[13] = 0x8e;
	frame[14] = 3;
	frame[15] = 5;
	frame[16] = (uint8_t)((size - 18) >> 8);
	frame[17] = (uint8_t)(size - 18);
	frame[20] &= 0xf0;
	frame[21] = 28 + 4;
	memcpy(frame + 46, algorithm, sizeof(algorithm));
	memcpy(frame + 50, mka.config.ckn, 4);
	put_icv(frame, size - CL_MKPDU_ICV_BYTES);
}

static void fill_use(struct cl_mkpdu_key_use *use, unsigned int bits, uint8_t an)
{
	use->transmits = (bits & 1u) != 0;
	use->receives = (bits & 2u) != 0;
	use->ki = (bits & 4u) != 0 ? mka.latest.ki : mka.id;
	use->lowest_pn = (bits & 8u) != 0 ? UINT32_MAX : 1;
	use->an = an & 3u;
}

/**
 * Writes an MKPDU of one of four members. The bytes of @p arguments choose:
 * - byte 0: flags and parameter sets of the MKPDU (bits 5:0), and the member (bits 7:6);
 * - byte 1: how much larger the message number is than in the previous MKPDU;
 * - byte 2: the key server priority;
 * - byte 3: the use of the latest key (bits 3:0) and of the old key (bits 7:4);
 * - byte 4: the SAK's AN (bits 1:0), confidentiality (bit 2), size (bit 3), number (bits 7:4);
 * - byte 5: two bits of the SCI (bits 1:0), and the old key's AN (bits 3:2).
 */
static size_t compose(uint8_t *frame, const uint8_t arguments[ARGUMENTS])
{
	static uint32_t number;
	const unsigned int sets = arguments[0];
	uint8_t entries[2][CL_MKPDU_ENTRY_BYTES];
	uint8_t key[CL_KEY_BYTES_MAX];
	struct cl_mkpdu mkpdu = {
		.basic =
			{
				.version = 1,
				.priority = arguments[2],
				.server = (sets & 1u) != 0,
				.desired = true,
				.capability = CL_MKPDU_CONFIDENTIALITY,
				.sci = {2, 0, 0, 0, 0, arguments[5] & 3u, 0, 1},
				.actor = {.mi = {1 + sets / 64u}},
				.ckn = mka.config.ckn,
				.ckn_bytes = mka.config.ckn_bytes,
			},
		.live = {entries[0], sets >> 1 & 1u},
		.potential = {entries[1], sets >> 2 & 1u},
		.use = {.there = (sets & 8u) != 0, .keys = (sets & 8u) != 0},
		.sak =
			{
				.there = (sets & 16u) != 0,
				.an = arguments[4] & 3u,
				.confidentiality = arguments[4] >> 2 & 1u,
				.bits = (arguments[4] & 8u) != 0 ? 256 : 128,
				.key_number = arguments[4] >> 4,
			},
	};

	number += arguments[1];
	mkpdu.basic.actor.number = number;
	cl_mkpdu_put_entry(entries[0], &mka.id);
	cl_mkpdu_put_entry(entries[1], &mka.id);
	mkpdu.use.delay_protect = (sets & 32u) != 0;
	fill_use(&mkpdu.use.latest, arguments[3], mka.latest.an);
	fill_use(&mkpdu.use.old, arguments[3] >> 4, arguments[5] >> 2);
	draw(NULL, key, sizeof(key));
	key[0] = (uint8_t)number;
	(void)cl_key_wrap(&cl_engine_byte, mka.keys.kek, 128, key, mkpdu.sak.bits / 8u,
			  mkpdu.sak.wrapped);
	const size_t size = cl_mkpdu_write(&mkpdu, frame);

	put_icv(frame, size);
	return size + CL_MKPDU_ICV_BYTES;
}

static void receive(const uint8_t *frame, size_t size, uint32_t now_ms)
{
	uint8_t *const slot = malloc(size + (size == 0));

	memcpy(slot, frame, size);
	cl_mka_receive(&mka, slot, size, now_ms);
	free(slot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct cl_secy device = {NULL};
	uint32_t now_ms = 0xffffe000u;
	struct cl_mka_config config = {
		.secy = &device,
		.engine = &cl_engine_byte,
		.modes = &cl_modes_byte,
		.random = draw,
		.send = transmit,
		.mac = {2, 0, 0, 0, 0, 1},
		.cak_bits = 128,
		.ckn_bytes = 4,
		.ckn = {'f', 'u', 'z', 'z'},
		.sak_bits = 128,
		.encrypt = true,
	};

	if (size < 2) {
		return 0;
	}
	memset(secy.there, 0, sizeof(secy.there));
	secy.count[0] = 0;
	secy.count[1] = 0;
	secy.logged = 0;
	next_random = data[0];
	config.priority = data[1];
	data += 2;
	size -= 2;
	if (cl_mka_start(&mka, &config, now_ms) != 0) {
		die("it does not start");
	}
	cl_mka_poll(&mka, now_ms);
	while (size >= 2) {
		const unsigned int command = data[0] & 3u;
		size_t some = data[1];

		data += 2;
		size -= 2;
		secy.logged = 0;
		if (command == 3) {
			while (some-- > 0) {
				now_ms += STEP_MS;
				cl_mka_poll(&mka, now_ms);
			}
			continue;
		}
		if (command == 2) {
			uint8_t frame[CL_MKPDU_WRITE_MAX];

			some = ARGUMENTS;
			if (size < some) {
				break;
			}
			receive(frame, compose(frame, data), now_ms);
		} else {
			uint8_t frame[4 * UINT8_MAX];

			some = 4 * some < size ? 4 * some : size;
			memcpy(frame, data, some);
			if (command == 1) {
				seal(frame, some);
			}
			receive(frame, some, now_ms);
		}
		data += some;
		size -= some;
		now_ms += STEP_MS;
		cl_mka_poll(&mka, now_ms);
	}
	cl_mka_stop(&mka);
	secy.logged = 0;
	if (!is_zero((const uint8_t *)&mka, sizeof(mka))) {
		die("not zeroized");
	}
	return 0;
}
