/* SPDX-License-Identifier: BSD-2-Clause */
#include "fastpath/fastpath.h"

#include <errno.h>
#include <stdbool.h>

#include "cl_fastpath_regs.h"
#include "links/link.h"
#include "streams/window.h"
#include "zeroize.h"

#ifndef CL_FASTPATH_READ
#define CL_FASTPATH_READ(device, offset) ((device)->regs[(offset) / sizeof(uint32_t)])
#define CL_FASTPATH_WRITE(device, offset, value)                                                   \
	((device)->regs[(offset) / sizeof(uint32_t)] = (value))
#endif

#define ROWS CL_FASTPATH_OPENED_BITS
_Static_assert(CL_FASTPATH_KEY_VALID_BITS >= ROWS, "a key slot for every row");
_Static_assert(CL_FASTPATH_ROWS_MAX >= ROWS, "a place for every row");
_Static_assert(CL_WINDOW_MAX == 1u << CL_FASTPATH_WINDOW_PLACE_BITS, "windows of one size");
/* Limits of the hardware: the largest number of blocks in a record, and of bytes in a stream. */
#define RECORD_BLOCKS_MAX ((1u << CL_FASTPATH_RECORD_BLOCKS_BITS) - 1)
#define LENGTH_MAX        (UINT64_C(1) << 32 << 4)
/*
 * Number of register reads before a wait times out. A key command takes a few thousand cycles,
 * because it first waits for the datagrams that use its slot.
 */
#define POLLS 10000u

static uint32_t get(const struct cl_fastpath *device, uint32_t offset)
{
	return CL_FASTPATH_READ(device, offset);
}

static void put(const struct cl_fastpath *device, uint32_t offset, uint32_t value)
{
	CL_FASTPATH_WRITE(device, offset, value);
}

/** Writes bytes to consecutive registers; the first four bytes go to the first register. */
static void put_bytes(const struct cl_fastpath *device, uint32_t offset, const uint8_t *bytes,
		      size_t size)
{
	for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
		put(device, offset + i, cl_load_u32(bytes + i));
	}
}

/** Waits until the current key command has ended. */
static int wait_idle(const struct cl_fastpath *device)
{
	for (uint32_t polls = POLLS; polls > 0; polls--) {
		if ((get(device, CL_FASTPATH_STATUS) & CL_FASTPATH_STATUS_BUSY_MASK) == 0) {
			return 0;
		}
	}
	return -ETIMEDOUT;
}

/** Starts a key command, and waits for its end. */
static int key_command(const struct cl_fastpath *device, uint32_t config, uint32_t command)
{
	if (wait_idle(device) != 0) {
		return -ETIMEDOUT;
	}
	put(device, CL_FASTPATH_KEY_CONFIG, config);
	put(device, CL_FASTPATH_CONTROL, command);
	return wait_idle(device);
}

static bool holds_key(const struct cl_fastpath *device, unsigned int slot)
{
	return (get(device, CL_FASTPATH_KEY_VALID) >> slot & 1u) != 0;
}

void cl_fastpath_zeroize(const struct cl_fastpath *device)
{
	put(device, CL_FASTPATH_CONTROL, CL_FASTPATH_CONTROL_ZEROIZE_MASK);
}

static int set_key(const struct cl_server *server, struct cl_engine_key *key,
		   const uint8_t *key_bytes, unsigned int key_bits)
{
	const struct cl_fastpath *const device = server->hw;
	const uint32_t taken = get(device, CL_FASTPATH_OPENED) | get(device, CL_FASTPATH_IN_USE) |
			       get(device, CL_FASTPATH_KEY_VALID);
	uint32_t length;
	unsigned int slot = 0;

	switch (key_bits) {
	case 128:
		length = CL_FASTPATH_KEY_CONFIG_KEY_LENGTH_AES_128;
		break;
	case 192:
		length = CL_FASTPATH_KEY_CONFIG_KEY_LENGTH_AES_192;
		break;
	case 256:
		length = CL_FASTPATH_KEY_CONFIG_KEY_LENGTH_AES_256;
		break;
	default:
		return -EINVAL;
	}
	while ((taken >> slot & 1u) != 0) {
		slot++;
		if (slot == ROWS) {
			return -EBUSY;
		}
	}
	/* The key registers cannot be written during a key command. */
	if (wait_idle(device) != 0) {
		return -ETIMEDOUT;
	}
	cl_zeroize(key, sizeof(*key));
	/*
	 * From here on, the slot can contain a key, which `clear` must remove. Set key_bits before
	 * the key, because `clear` does nothing in the hardware while key_bits is 0.
	 */
	key->key_bits = (uint16_t)key_bits;
	key->slot = (uint8_t)slot;
	put_bytes(device, CL_FASTPATH_KEY0, key_bytes, key_bits / 8);
	const int result = key_command(device,
				       length << CL_FASTPATH_KEY_CONFIG_KEY_LENGTH_SHIFT |
					       slot << CL_FASTPATH_KEY_CONFIG_SLOT_SHIFT,
				       CL_FASTPATH_CONTROL_LOAD_KEY_MASK);

	if (result != 0) {
		return result;
	}
	return holds_key(device, slot) ? 0 : -EIO;
}

/**
 * Runs a command that reads or writes one entry, number @p place, of a session's window. The entry
 * stores whether a record has arrived, and a checksum of the record's data. The caller has written
 * the session's row number to the register ROW.
 */
static int window_command(const struct cl_fastpath *device, uint32_t place, uint32_t command)
{
	put(device, CL_FASTPATH_WINDOW_PLACE, place);
	put(device, CL_FASTPATH_CONTROL, command);
	for (uint32_t polls = POLLS; polls > 0; polls--) {
		const uint32_t status = get(device, CL_FASTPATH_STATUS);

		if ((status & CL_FASTPATH_STATUS_WINDOW_BUSY_MASK) == 0) {
			return (status & CL_FASTPATH_STATUS_REFUSED_MASK) == 0 ? 0 : -EIO;
		}
	}
	return -ETIMEDOUT;
}

/**
 * Writes @p window to the hardware's row @p row. Each row describes one session. The window tells
 * which records of the session have arrived, and contains their checksums. The row must be closed,
 * and the hardware must not be processing a record of this session.
 */
static int write_window(const struct cl_fastpath *device, unsigned int row,
			const struct cl_window *window)
{
	int status = 0;

	put(device, CL_FASTPATH_ROW, row);
	put(device, CL_FASTPATH_WINDOW_BASE, (uint32_t)window->first * device->record_blocks[row]);
	for (uint32_t place = 0; status == 0 && place < CL_WINDOW_MAX; place++) {
		const uint32_t n = (uint32_t)(window->first + place) % CL_WINDOW_MAX;
		const bool came = (window->seen >> n & 1) != 0;
		const uint64_t sum = came ? window->sum[n] : 0;

		put(device, CL_FASTPATH_WINDOW_CAME, came);
		put(device, CL_FASTPATH_WINDOW_SUM_LO, (uint32_t)sum);
		put(device, CL_FASTPATH_WINDOW_SUM_HI, (uint32_t)(sum >> 32));
		status = window_command(device, place, CL_FASTPATH_CONTROL_WRITE_WINDOW_MASK);
	}
	return status;
}

/**
 * Reads the window in the hardware's row @p row. Each row describes one session. The window tells
 * which records of the session have arrived, and contains their checksums. The row must be closed,
 * and the hardware must not be processing a record of this session.
 */
static int read_window(const struct cl_fastpath *device, unsigned int row, struct cl_window *window)
{
	int status = 0;

	put(device, CL_FASTPATH_ROW, row);
	cl_window_init(window, CL_WINDOW_MAX);
	for (uint32_t place = 0; status == 0 && place < CL_WINDOW_MAX; place++) {
		status = window_command(device, place, CL_FASTPATH_CONTROL_READ_WINDOW_MASK);
		window->first = get(device, CL_FASTPATH_WINDOW_BASE) / device->record_blocks[row];
		if (get(device, CL_FASTPATH_WINDOW_CAME) != 0) {
			const uint32_t n = (uint32_t)(window->first + place) % CL_WINDOW_MAX;

			window->seen |= UINT64_C(1) << n;
			window->sum[n] = get(device, CL_FASTPATH_WINDOW_SUM_LO) |
					 (uint64_t)get(device, CL_FASTPATH_WINDOW_SUM_HI) << 32;
		}
	}
	return status;
}

/**
 * Replaces the window in the hardware's row @p row by an empty window, because the checksums in a
 * window reveal information about the records. The row must be closed, and the hardware must not be
 * processing a record of the row's session.
 */
static int erase_window(const struct cl_fastpath *device, unsigned int row)
{
	struct cl_window empty;

	cl_window_init(&empty, CL_WINDOW_MAX);
	return write_window(device, row, &empty);
}

static int serve(const struct cl_server *server, const struct cl_engine_key *key,
		 const struct cl_server_client *client)
{
	struct cl_fastpath *const device = server->hw;
	const uint32_t record_blocks = client->record_bytes / CL_BLOCK_BYTES;

	if ((client->peer & CL_PEER_NETWORK) == 0 || record_blocks == 0 ||
	    record_blocks > RECORD_BLOCKS_MAX || client->length > LENGTH_MAX ||
	    client->window->records != CL_WINDOW_MAX) {
		return -EINVAL;
	}
	device->record_blocks[key->slot] = (uint8_t)record_blocks;
	const int status = write_window(device, key->slot, client->window);

	if (status != 0) {
		(void)erase_window(device, key->slot);
		return status;
	}
	put(device, CL_FASTPATH_SESSION, client->session);
	put(device, CL_FASTPATH_PEER_IP, (uint32_t)(client->peer >> 16));
	put(device, CL_FASTPATH_PEER_PORT, client->peer & 0xffff);
	put(device, CL_FASTPATH_TOKEN_LO, (uint32_t)client->token);
	put(device, CL_FASTPATH_TOKEN_HI, (uint32_t)(client->token >> 32));
	put(device, CL_FASTPATH_LIMIT_LO, (uint32_t)client->length);
	put(device, CL_FASTPATH_LIMIT_HI, (uint32_t)(client->length >> 32));
	put(device, CL_FASTPATH_SLOT, key->slot);
	put_bytes(device, CL_FASTPATH_IV0, client->iv, CL_BLOCK_BYTES);
	put(device, CL_FASTPATH_RECORD_BLOCKS, record_blocks);
	put(device, CL_FASTPATH_CONTROL, CL_FASTPATH_CONTROL_OPEN_MASK);
	if ((get(device, CL_FASTPATH_OPENED) >> key->slot & 1u) == 0) {
		(void)erase_window(device, key->slot);
		return -EIO;
	}
	return 0;
}

static void report(const struct cl_server *server, const struct cl_engine_key *key,
		   struct cl_server_work *work)
{
	const struct cl_fastpath *const device = server->hw;

	put(device, CL_FASTPATH_ROW, key->slot);
	put(device, CL_FASTPATH_CONTROL, CL_FASTPATH_CONTROL_READ_STATISTICS_MASK);
	*work = (struct cl_server_work){
		.bytes = get(device, CL_FASTPATH_BYTES_LO) |
			 (uint64_t)get(device, CL_FASTPATH_BYTES_HI) << 32,
		.blocks = get(device, CL_FASTPATH_BLOCKS_LO) |
			  (uint64_t)get(device, CL_FASTPATH_BLOCKS_HI) << 32,
		.records = get(device, CL_FASTPATH_RECORDS),
	};
}

static int finish(const struct cl_server *server, const struct cl_engine_key *key,
		  struct cl_window *window)
{
	const struct cl_fastpath *const device = server->hw;

	put(device, CL_FASTPATH_ROW, key->slot);
	put(device, CL_FASTPATH_CONTROL, CL_FASTPATH_CONTROL_CLOSE_MASK);
	for (uint32_t polls = POLLS; (get(device, CL_FASTPATH_IN_USE) >> key->slot & 1u) != 0;) {
		if (--polls == 0) {
			/*
			 * Time-out: do not read the window, because a record in progress can still
			 * change the window.
			 */
			return -ETIMEDOUT;
		}
	}
	const int status = read_window(device, key->slot, window);

	if (status == -ETIMEDOUT) {
		/* Do not call erase_window, because the hardware does not answer. */
		return status;
	}
	const int erased = erase_window(device, key->slot);

	return status != 0 ? status : erased;
}

static void clear(const struct cl_server *server, struct cl_engine_key *key)
{
	const struct cl_fastpath *const device = server->hw;

	if (key->key_bits != 0) {
		put(device, CL_FASTPATH_ROW, key->slot);
		put(device, CL_FASTPATH_CONTROL, CL_FASTPATH_CONTROL_CLOSE_MASK);
		const int result = key_command(
			device, (uint32_t)key->slot << CL_FASTPATH_KEY_CONFIG_SLOT_SHIFT,
			CL_FASTPATH_CONTROL_CLEAR_KEY_MASK);

		if (result != 0 || holds_key(device, key->slot)) {
			cl_fastpath_zeroize(device);
		}
	}
	cl_zeroize(key, sizeof(*key));
}

struct cl_server cl_fastpath_server(struct cl_fastpath *device)
{
	return (struct cl_server){
		.code = CL_WIRE_ENGINE_FASTPATH,
		.name = "fastpath",
		.set_key = set_key,
		.serve = serve,
		.report = report,
		.finish = finish,
		.clear = clear,
		.window = CL_WINDOW_MAX,
		.hw = device,
	};
}

static uint32_t count_of(const struct cl_fastpath *device, uint32_t event)
{
	put(device, CL_FASTPATH_EVENT, event << CL_FASTPATH_EVENT_CODE_SHIFT);
	return get(device, CL_FASTPATH_EVENT_COUNT);
}

void cl_fastpath_describe(const struct cl_fastpath *device, struct cl_wire_fastpath_reply *reply)
{
	reply->address = get(device, CL_FASTPATH_IP_ADDRESS);
	reply->port = CL_WIRE_UDP_PORT;
	reply->records = count_of(device, CL_FASTPATH_EVENT_CODE_RECORD);
	reply->fcs = count_of(device, CL_FASTPATH_EVENT_CODE_FCS);
	reply->frame_length = count_of(device, CL_FASTPATH_EVENT_CODE_FRAME_LENGTH);
	reply->ipv4 = count_of(device, CL_FASTPATH_EVENT_CODE_IPV4);
	reply->checksum = count_of(device, CL_FASTPATH_EVENT_CODE_CHECKSUM);
	reply->source = count_of(device, CL_FASTPATH_EVENT_CODE_SOURCE);
	reply->unserved = count_of(device, CL_FASTPATH_EVENT_CODE_UNSERVED);
	reply->receive_overflow = count_of(device, CL_FASTPATH_EVENT_CODE_RECEIVE_OVERFLOW);
	reply->header = count_of(device, CL_FASTPATH_EVENT_CODE_HEADER);
	reply->version = count_of(device, CL_FASTPATH_EVENT_CODE_VERSION);
	reply->type = count_of(device, CL_FASTPATH_EVENT_CODE_TYPE);
	reply->length = count_of(device, CL_FASTPATH_EVENT_CODE_LENGTH);
	reply->offset = count_of(device, CL_FASTPATH_EVENT_CODE_OFFSET);
	reply->session = count_of(device, CL_FASTPATH_EVENT_CODE_SESSION);
	reply->peer = count_of(device, CL_FASTPATH_EVENT_CODE_PEER);
	reply->token = count_of(device, CL_FASTPATH_EVENT_CODE_TOKEN);
	reply->limit = count_of(device, CL_FASTPATH_EVENT_CODE_LIMIT);
	reply->window = count_of(device, CL_FASTPATH_EVENT_CODE_WINDOW);
	reply->key = count_of(device, CL_FASTPATH_EVENT_CODE_KEY);
	reply->transmit_overflow = count_of(device, CL_FASTPATH_EVENT_CODE_TRANSMIT_OVERFLOW);
	reply->other_data = count_of(device, CL_FASTPATH_EVENT_CODE_OTHER_DATA);
	reply->echo = count_of(device, CL_FASTPATH_EVENT_CODE_ECHO);
}
