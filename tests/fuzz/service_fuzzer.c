/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the service with records from three peers, in any order. Most records are well formed. The
 * program runs with sanitizers. It also checks that no counter block is used for two different
 * pieces of data under one key, and that a counter block always gives the same keystream. Each
 * reply must fit its buffer. When all sessions are closed, no key may remain in memory.
 */
#include <string.h>

#include "board.h"

#define KEYS       3u
#define PEERS      3u
#define BLOCKS     (1u << 14)
#define REMEMBERED 64u

/** One encryption: the key, the counter block, the input and the output. */
struct block {
	uint32_t run;
	uint8_t key;
	uint8_t number[CL_BLOCK_BYTES];
	uint8_t in[CL_BLOCK_BYTES];
	uint8_t out[CL_BLOCK_BYTES];
	uint8_t len;
};

static struct block blocks[BLOCKS];
static uint32_t run;
static struct cl_link links[PEERS];
/** The data that a host stores about a session that the host opened. */
static struct known {
	uint32_t id;
	uint8_t peer;
	uint8_t key;
	uint8_t iv[CL_BLOCK_BYTES];
	uint64_t token;
	uint64_t ticket;
	uint32_t record_bytes;
	bool gcm;
	bool decrypt;
} known[REMEMBERED];
static uint32_t opened;

/**
 * Returns an opened session, selected by @p choice. So most records belong to an existing session.
 */
static const struct known *session_of(uint8_t choice)
{
	const uint32_t count = opened < REMEMBERED ? opened : REMEMBERED;

	return &known[count == 0 ? 0 : choice % count];
}

/** The unread part of the fuzzer's input. Reads beyond the input's end return zeros. */
struct input {
	const uint8_t *data;
	size_t size;
};

static uint8_t byte(struct input *input)
{
	if (input->size == 0) {
		return 0;
	}
	input->size--;
	return *input->data++;
}

static void put_key(uint8_t key[CL_KEY_BYTES_MAX], uint8_t which, uint16_t bits)
{
	memset(key, 0, CL_KEY_BYTES_MAX);
	for (unsigned int i = 0; i < bits / 8u; i++) {
		key[i] = (uint8_t)(0x91 + 37 * which + 11 * i);
	}
}

static const uint16_t key_bits[KEYS] = {128, 192, 256};

static size_t send(uint8_t peer, uint8_t *record, size_t len, uint8_t *reply)
{
	links[peer].peer = peer == 0 ? 0 : CL_PEER_NETWORK | peer;
	const size_t replied =
		cl_service_handle(&board_service, &links[peer], record, len, reply, RECORD_MAX);

	EXPECT(replied <= RECORD_MAX);
	return replied;
}

static size_t put(uint8_t *record, uint8_t type, uint32_t session, uint64_t offset, uint64_t token,
		  uint16_t len)
{
	const struct cl_wire_header header = {.version = CL_WIRE_VERSION,
					      .type = type,
					      .length = len,
					      .session = session,
					      .offset = offset,
					      .token = token};

	cl_wire_put_header(record, &header);
	return CL_WIRE_HEADER_SIZE + (size_t)len;
}

/** Returns the record type of a reply; 0 if there is no reply. */
static uint8_t type_of(const uint8_t *reply, size_t len)
{
	struct cl_wire_header header = {0};

	if (len > 0) {
		cl_wire_get_header(&header, reply);
		EXPECT(header.length == len - CL_WIRE_HEADER_SIZE);
	}
	return header.type;
}

static void open_session(struct input *input)
{
	uint8_t record[RECORD_MAX];
	uint8_t reply[RECORD_MAX];
	struct cl_wire_open_request request = {0};
	struct cl_wire_open_reply answer;
	const uint8_t choice = byte(input);
	const uint8_t peer = choice % PEERS;
	const uint8_t key = (uint8_t)(byte(input) >> 6) % KEYS;
	const uint8_t base = byte(input);
	const struct known *const before = session_of(byte(input));
	const uint64_t token = 1 + (choice >> 7);

	request.key_bits = key_bits[key];
	request.engine = (choice >> 2 & 7) == 7 ? 2 : choice >> 2 & 1;
	request.direction = choice >> 5 & 1;
	request.flags = byte(input);
	request.flags = request.flags < 128 ? 0 : request.flags % 7;
	request.length = (uint64_t)byte(input) << (byte(input) % 40);
	request.record_bytes = 16u * (1 + byte(input) % 9);
	/*
	 * Choose initial counter blocks that are near each other. Some of them soon overflow in the
	 * low 64 bits or in all 128 bits.
	 */
	memset(request.iv, (base & 0x80) != 0 ? 0xff : 0, sizeof(request.iv));
	if ((base & 0x40) != 0) {
		request.iv[7] = 0x12;
	}
	request.iv[15] = (uint8_t)(request.iv[15] ^ (base & 0x3f));
	if ((request.flags & CL_WIRE_FLAG_RESUME) != 0) {
		request.ticket = before->ticket;
		memcpy(request.iv, before->iv, sizeof(request.iv));
		if ((base & 1) != 0) {
			request.record_bytes = before->record_bytes;
		}
	}
	if ((request.flags & CL_WIRE_FLAG_GCM) != 0 && (base & 0x20) == 0) {
		request.iv[7] ^= request.iv[15]; /* a GCM session's IV ends with 8 zero bytes */
		memset(request.iv + 8, 0, 8);
	}
	put_key(request.key, key, request.key_bits);
	cl_wire_put_open_request(record + CL_WIRE_HEADER_SIZE, &request);
	const size_t len =
		send(peer, record,
		     put(record, CL_WIRE_TYPE_OPEN, 0, 0, token, CL_WIRE_OPEN_REQUEST_SIZE), reply);

	if (type_of(reply, len) != (CL_WIRE_TYPE_OPEN | CL_WIRE_REPLY)) {
		return;
	}
	struct known *const session = &known[opened++ % REMEMBERED];
	struct cl_wire_header header;

	cl_wire_get_header(&header, reply);
	cl_wire_get_open_reply(&answer, reply + CL_WIRE_HEADER_SIZE);
	session->id = header.session;
	session->peer = peer;
	session->key = key;
	session->token = token;
	session->ticket = answer.ticket;
	session->record_bytes = request.record_bytes;
	session->gcm = (request.flags & CL_WIRE_FLAG_GCM) != 0;
	session->decrypt = request.direction != 0;
	memcpy(session->iv, answer.iv, sizeof(session->iv));
}

/**
 * Computes counter block @p index of a stream byte by byte, independently of the firmware's method.
 */
static void number_of(uint8_t number[CL_BLOCK_BYTES], const uint8_t iv[CL_BLOCK_BYTES],
		      uint64_t index)
{
	unsigned int carry = 0;

	for (int i = CL_BLOCK_BYTES - 1; i >= 0; i--) {
		carry += iv[i] + (unsigned int)(index & 0xff);
		number[i] = (uint8_t)carry;
		carry >>= 8;
		index >>= 8;
	}
}

static void check_block(const struct known *session, uint64_t index, const uint8_t *in,
			const uint8_t *out, uint8_t len)
{
	uint8_t number[CL_BLOCK_BYTES];
	uint32_t hash = session->key;

	number_of(number, session->iv, index);
	for (unsigned int i = 0; i < CL_BLOCK_BYTES; i++) {
		hash = hash * 31 + number[i];
	}
	for (uint32_t n = 0; n < BLOCKS; n++) {
		struct block *const block = &blocks[(hash + n) % BLOCKS];

		if (block->run != run) {
			*block = (struct block){.run = run, .key = session->key, .len = len};
			memcpy(block->number, number, sizeof(number));
			memcpy(block->in, in, len);
			memcpy(block->out, out, len);
			return;
		}
		if (block->key == session->key && memcmp(block->number, number, 16) == 0) {
			EXPECT(block->len == len && memcmp(block->in, in, len) == 0);
			EXPECT(memcmp(block->out, out, len) == 0);
			return;
		}
	}
}

static void data(struct input *input)
{
	uint8_t record[RECORD_MAX];
	uint8_t reply[RECORD_MAX];
	uint8_t sent[MAX_DATA];
	const struct known *const session = session_of(byte(input));
	const uint8_t detail = byte(input);
	uint64_t offset = (uint64_t)(byte(input) % 48) * session->record_bytes;
	uint16_t len = (uint16_t)session->record_bytes;
	const uint8_t choice = byte(input);
	const uint8_t fill = choice % 2;
	const bool last = choice >= 0xf0;
	const uint8_t type = last ? CL_WIRE_TYPE_DATA_LAST : CL_WIRE_TYPE_DATA;

	if ((detail & 7) == 1) {
		len = byte(input);
	}
	if ((detail & 15) == 2) {
		offset += (uint64_t)byte(input) << (byte(input) % 64);
	}
	for (unsigned int i = 0; i < len; i++) {
		sent[i] = (uint8_t)(fill * 77 + i);
	}
	memcpy(record + CL_WIRE_HEADER_SIZE, sent, len);
	const size_t replied = send(
		(detail & 7) == 4 ? detail % PEERS : session->peer, record,
		put(record, type, session->id, offset, session->token ^ ((detail & 15) == 8), len),
		reply);

	if (type_of(reply, replied) != (type | CL_WIRE_REPLY)) {
		return;
	}
	uint64_t first = offset / CL_BLOCK_BYTES;

	if (session->gcm) {
		/* The fuzzer sends no valid tags, so the service returns no decrypted GCM data. */
		EXPECT(!session->decrypt);
		first = (offset / session->record_bytes * 2 + last) << 32 | 2;
	}
	EXPECT(replied == CL_WIRE_HEADER_SIZE + (size_t)len + session->gcm * CL_BLOCK_BYTES);
	for (unsigned int i = 0; i < len; i += CL_BLOCK_BYTES) {
		check_block(session, first + i / CL_BLOCK_BYTES, sent + i,
			    reply + CL_WIRE_HEADER_SIZE + i,
			    (uint8_t)(len - i < CL_BLOCK_BYTES ? len - i : CL_BLOCK_BYTES));
	}
}

/** Sends a record without stream data, such as close, stat, reset, bench or self-test. */
static void control(struct input *input)
{
	uint8_t record[RECORD_MAX] = {0};
	uint8_t reply[RECORD_MAX];
	const struct known *const session = session_of(byte(input));
	const uint8_t type = byte(input) % 16;
	uint16_t len = byte(input) % 40;

	if (type == CL_WIRE_TYPE_BENCH) {
		const struct cl_wire_bench_request request = {
			.engine = byte(input) % 2,
			.key_bits = 128,
			.record_bytes = byte(input),
			.total_bytes = byte(input),
			.mode = byte(input) % 3,
		};

		cl_wire_put_bench_request(record + CL_WIRE_HEADER_SIZE, &request);
		len = CL_WIRE_BENCH_REQUEST_SIZE;
	} else if (type == CL_WIRE_TYPE_SELFTEST) {
		len = CL_WIRE_SELFTEST_REQUEST_SIZE;
	} else if ((len & 1) != 0) {
		len = 0;
	}
	const size_t replied = send(session->peer, record,
				    put(record, type, session->id, 0, session->token, len), reply);

	(void)type_of(reply, replied);
}

static void raw(struct input *input)
{
	uint8_t record[RECORD_MAX];
	uint8_t reply[RECORD_MAX];
	const size_t len = byte(input);

	for (size_t i = 0; i < len; i++) {
		record[i] = byte(input);
	}
	(void)type_of(reply, send(byte(input) % PEERS, record, len, reply));
}

/** Checks, after all sessions have ended, that the service's memory contains no part of a key. */
static void check_erased(void)
{
	for (uint8_t key = 0; key < KEYS; key++) {
		uint8_t bytes[CL_KEY_BYTES_MAX];

		put_key(bytes, key, key_bits[key]);
		for (unsigned int part = 0; part < key_bits[key] / 8u; part += 8) {
			EXPECT(memmem(&board_service, sizeof(board_service), bytes + part, 8) ==
			       NULL);
			EXPECT(memmem(&board_streams, sizeof(board_streams), bytes + part, 8) ==
			       NULL);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = {bytes, size};

	run++;
	opened = 0;
	memset(known, 0, sizeof(known));
	for (unsigned int i = 0; i < REMEMBERED; i++) {
		known[i].record_bytes = 16;
	}
	memset(links, 0, sizeof(links));
	board_start();
	while (input.size > 0) {
		const uint8_t operation = byte(&input);

		switch (operation % 8) {
		case 0:
		case 1:
			open_session(&input);
			break;
		case 2:
		case 3:
		case 4:
			data(&input);
			break;
		case 5:
			control(&input);
			break;
		case 6:
			board_clock += (uint32_t)byte(&input) << 13;
			cl_service_poll(&board_service);
			break;
		default:
			raw(&input);
			break;
		}
	}
	/* Advance the clock until the service has closed every session as idle. */
	for (unsigned int i = 0; i < 4; i++) {
		board_clock += board_platform.session_idle_cycles / 2;
		cl_service_poll(&board_service);
	}
	check_erased();
	return 0;
}
