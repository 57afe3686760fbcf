/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drives firmware/core/mka on the host for its tests, with a simulated SecY that records its calls.
 * Commands and replies have the format of core_peer.c: a length, a letter, and arguments. In lists
 * of arguments, a name can be followed by a length in bytes, such as `mac 6`.
 *
 * The SecY ends the program if the core breaks a rule of macsec/secy.h: a SAK that is installed
 * twice, an SCI that changes while an SA is installed, a packet number 0. Frames and stack memory
 * are handled so that the sanitizers notice every access beyond a frame.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aes/engines.h"
#include "aes/modes_byte.h"
#include "engine/cmac.h"
#include "mka/kdf.h"
#include "mka/key_wrap.h"
#include "mka/mka.h"
#include "zeroize.h"
#include "recording_secy.h"
#include "stack_left.h"

#define ANSWER_MAX (1u << 20)

static struct {
	struct cl_mka mka;
	int random_status;
	uint64_t random_state;
	uint8_t answer[ANSWER_MAX];
	size_t answered;
} peer;

/** The rest of a command: the arguments that have not been read yet. */
struct message {
	const uint8_t *data;
	size_t size;
};

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

static uint64_t take_number(struct message *message, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, take(message, size), size);
	return value;
}

static void answer(const void *data, size_t size)
{
	if (size > ANSWER_MAX - peer.answered) {
		die("answer too long");
	}
	memcpy(peer.answer + peer.answered, data, size);
	peer.answered += size;
}

static void answer_u32(uint32_t value)
{
	answer(&value, sizeof(value));
}

static int draw(void *context, uint8_t *bytes, size_t count)
{
	(void)context;
	for (size_t i = 0; i < count; i++) {
		peer.random_state = peer.random_state * 6364136223846793005u + 1442695040888963407u;
		bytes[i] = (uint8_t)(peer.random_state >> 56);
	}
	return peer.random_status;
}

static void transmit(void *context, const uint8_t *frame, size_t size)
{
	(void)context;
	answer_u32((uint32_t)size);
	answer(frame, size);
}

/**
 * Command: start the participant. Arguments: now_ms u32, mac 6, cak_bits u16, cak 32, ckn_bytes u8,
 * ckn 32, priority u8, sak_bits u16, encrypt u8, include_sci u8, replay_protect u8, replay_window
 * u8. Reply: status i32.
 */
static void op_start(struct message *message)
{
	static const struct cl_secy device = {NULL};
	const uint32_t now_ms = (uint32_t)take_number(message, 4);
	struct cl_mka_config config = {
		.secy = &device,
		.engine = &cl_engine_byte,
		.modes = &cl_modes_byte,
		.random = draw,
		.send = transmit,
	};

	memcpy(config.mac, take(message, 6), 6);
	config.cak_bits = (uint16_t)take_number(message, 2);
	memcpy(config.cak, take(message, sizeof(config.cak)), sizeof(config.cak));
	config.ckn_bytes = (uint8_t)take_number(message, 1);
	memcpy(config.ckn, take(message, sizeof(config.ckn)), sizeof(config.ckn));
	config.priority = (uint8_t)take_number(message, 1);
	config.sak_bits = (uint16_t)take_number(message, 2);
	config.encrypt = take_number(message, 1) != 0;
	config.include_sci = take_number(message, 1) != 0;
	config.replay_protect = take_number(message, 1) != 0;
	config.replay_window = (uint8_t)take_number(message, 1);
	answer_u32((uint32_t)cl_mka_start(&peer.mka, &config, now_ms));
	cl_zeroize(&config, sizeof(config));
}

static void op_stop(struct message *message)
{
	(void)message;
	cl_mka_stop(&peer.mka);
}

/**
 * Command: receive a frame. Arguments: now_ms u32, frame. The core gets the frame in an allocation
 * of exactly the size of the frame.
 */
static void op_receive(struct message *message)
{
	const uint32_t now_ms = (uint32_t)take_number(message, 4);
	const size_t size = message->size;
	uint8_t *const frame = malloc(size + (size == 0));

	memcpy(frame, take(message, size), size);
	wipe_stack();
	cl_mka_receive(&peer.mka, frame, size, now_ms);
	keep_stack();
	free(frame);
}

/**
 * Command: call cl_mka_poll(). Argument: now_ms u32. Reply: for each frame that the core sends, the
 * length (u32) and then the frame.
 */
static void op_poll(struct message *message)
{
	const uint32_t now_ms = (uint32_t)take_number(message, 4);

	wipe_stack();
	cl_mka_poll(&peer.mka, now_ms);
	keep_stack();
}

/**
 * Command: report the participant's state. Reply: phase, server, key_bits, an and key_number (u32
 * each), the peer's SCI (8 bytes), all counters (u32 each).
 */
static void op_state(struct message *message)
{
	const struct cl_mka_state state = cl_mka_state(&peer.mka);

	(void)message;
	answer_u32(state.phase);
	answer_u32(state.server);
	answer_u32(state.key_bits);
	answer_u32(state.an);
	answer_u32(state.key_number);
	answer(state.peer_sci, sizeof(state.peer_sci));
	answer(&state.counts, sizeof(state.counts));
}

static void op_rekey(struct message *message)
{
	(void)message;
	answer_u32((uint32_t)cl_mka_rekey(&peer.mka));
}

/** Command: report all calls of the SecY's functions since the last command of this kind. Reply:
 *  text. */
static void op_log(struct message *message)
{
	(void)message;
	answer(secy.log, secy.logged);
	secy.logged = 0;
}

/**
 * Command: set the next packet number that the SecY reports for an SA. Also set whether the SecY
 * reports that packet numbers are running out. Arguments: direction u8, an u8, next packet number
 * u64, expiring u8.
 */
static void op_numbers(struct message *message)
{
	const size_t direction = take_number(message, 1);
	const size_t an = take_number(message, 1);

	secy.next_pn[direction & 1u][an % CL_SECY_ASSOCIATIONS] = take_number(message, 8);
	secy.expiring = take_number(message, 1) != 0;
}

/**
 * Command: set the statuses that simulated functions return. Arguments (i32 each): status of the
 * random source, of the installation of a receive SA, and of the installation of a transmit SA.
 */
static void op_fault(struct message *message)
{
	peer.random_status = (int)take_number(message, 4);
	secy.install_status[CL_SECY_RECEIVE] = (int)take_number(message, 4);
	secy.install_status[CL_SECY_TRANSMIT] = (int)take_number(message, 4);
}

static void op_seed(struct message *message)
{
	peer.random_state = take_number(message, 8);
}

/** Command: set the message number of the last MKPDU that was sent. Argument: number u32. */
static void op_number(struct message *message)
{
	peer.mka.id.number = (uint32_t)take_number(message, 4);
}

/** Command: report the participant's memory (struct cl_mka). Reply: all its bytes. */
static void op_memory(struct message *message)
{
	(void)message;
	answer(&peer.mka, sizeof(peer.mka));
}

static void op_stack(struct message *message)
{
	(void)message;
	answer(stack_left, sizeof(stack_left));
}

/**
 * Command: empty the simulated SecY's list of installed SAKs, so that a test can install one of
 * these SAKs again.
 */
static void op_forget(struct message *message)
{
	(void)message;
	memset(secy.count, 0, sizeof(secy.count));
}

/** Command: compute an AES-CMAC. Arguments: key_bits u16, key 32, data. Reply: status i32, MAC. */
static void op_cmac(struct message *message)
{
	const unsigned int bits = (unsigned int)take_number(message, 2);
	const uint8_t *const key = take(message, 32);
	const size_t size = message->size;
	uint8_t *const data = malloc(size + (size == 0));
	uint8_t mac[CL_BLOCK_BYTES];

	memcpy(data, take(message, size), size);
	answer_u32((uint32_t)cl_cmac(&cl_engine_byte, key, bits, data, size, mac));
	answer(mac, sizeof(mac));
	free(data);
}

/**
 * Command: derive a key. Arguments: key_bits u16, key 32, out_bits u16, label 12, context. Reply:
 * status i32, derived key.
 */
static void op_kdf(struct message *message)
{
	const unsigned int bits = (unsigned int)take_number(message, 2);
	const uint8_t *const key = take(message, 32);
	const unsigned int out_bits = (unsigned int)take_number(message, 2);
	const char *const label = (const char *)take(message, CL_MKA_LABEL_BYTES);
	const size_t size = message->size;
	const uint8_t *const context = take(message, size);
	uint8_t out[CL_KEY_BYTES_MAX];

	answer_u32((uint32_t)cl_mka_kdf(&cl_engine_byte, key, bits, label, context, size, out,
					out_bits));
	answer(out, out_bits / 8u);
}

/**
 * Command: wrap or unwrap a key. Arguments: 1 to unwrap (u8), kek_bits u16, KEK 32, key or wrapped
 * key. Reply: status i32, result.
 */
static void op_wrap(struct message *message)
{
	const bool unwrap = take_number(message, 1) != 0;
	const unsigned int bits = (unsigned int)take_number(message, 2);
	const uint8_t *const kek = take(message, 32);
	const size_t size = message->size;
	const uint8_t *const in = take(message, size);
	const size_t out_size = unwrap ? size - CL_KEY_WRAP_BYTES : size + CL_KEY_WRAP_BYTES;
	uint8_t *const out = malloc(out_size);

	wipe_stack();
	const int status = unwrap ? cl_key_unwrap(&cl_engine_byte, &cl_modes_byte, NULL, kek, bits,
						  in, out, out_size)
				  : cl_key_wrap(&cl_engine_byte, kek, bits, in, size, out);

	keep_stack();
	answer_u32((uint32_t)status);
	answer(out, out_size);
	free(out);
}

/**
 * Command: read an MKPDU from a frame, and write it again. Arguments: frame. Reply: status i32,
 * number of bytes that the ICV protects u32, the written frame without ICV.
 */
static void op_rewrite(struct message *message)
{
	const size_t size = message->size;
	uint8_t *const frame = malloc(size + (size == 0));
	uint8_t *const again = malloc(CL_MKPDU_WRITE_MAX);
	struct cl_mkpdu mkpdu;

	memcpy(frame, take(message, size), size);
	const int status = cl_mkpdu_read(&mkpdu, frame, size);

	answer_u32((uint32_t)status);
	answer_u32((uint32_t)mkpdu.protected_bytes);
	if (status == 0 && mkpdu.live.count + mkpdu.potential.count <= CL_MKPDU_WRITE_ENTRIES &&
	    (!mkpdu.sak.there || mkpdu.sak.bits != 0)) {
		answer(again, cl_mkpdu_write(&mkpdu, again));
	}
	free(again);
	free(frame);
}

static const struct {
	char letter;
	void (*run)(struct message *message);
} operations[] = {
	{'S', op_start},  {'X', op_stop},    {'R', op_receive}, {'P', op_poll},  {'T', op_state},
	{'K', op_rekey},  {'L', op_log},     {'N', op_numbers}, {'F', op_fault}, {'r', op_seed},
	{'n', op_number}, {'M', op_memory},  {'s', op_stack},   {'c', op_cmac},  {'k', op_kdf},
	{'w', op_wrap},   {'f', op_rewrite}, {'Z', op_forget},
};

static bool read_all(uint8_t *to, size_t size)
{
	return fread(to, 1, size, stdin) == size;
}

int main(void)
{
	uint32_t size;

	while (read_all((uint8_t *)&size, sizeof(size))) {
		uint8_t *const data = malloc(size);
		size_t i = 0;

		if (size == 0 || !read_all(data, size)) {
			die("no message");
		}
		while (operations[i].letter != (char)data[0]) {
			if (++i == sizeof(operations) / sizeof(operations[0])) {
				die("unknown operation");
			}
		}
		struct message message = {.data = data + 1, .size = size - 1};

		peer.answered = 0;
		operations[i].run(&message);
		size = (uint32_t)peer.answered;
		fwrite(&size, 1, sizeof(size), stdout);
		fwrite(peer.answer, 1, peer.answered, stdout);
		fflush(stdout);
		free(data);
	}
	return 0;
}
