#include "engine_fastpath.h"

#include <errno.h>
#include <stdbool.h>

#include "cl_fastpath_regs.h"
#include "link.h"
#include "zeroize.h"

#define ROWS CL_FASTPATH_OPENED_BITS
_Static_assert(CL_FASTPATH_KEY_VALID_BITS >= ROWS, "a key slot for every row");
/* A command on a key waits for the datagrams of its slot, some thousand cycles. */
#define POLLS 10000u

static uint32_t get(const struct cl_fastpath *device, uint32_t offset)
{
	return device->regs[offset / sizeof(uint32_t)];
}

static void put(const struct cl_fastpath *device, uint32_t offset, uint32_t value)
{
	device->regs[offset / sizeof(uint32_t)] = value;
}

/** Writes consecutive registers, the first word from the first four bytes. */
static void put_bytes(const struct cl_fastpath *device, uint32_t offset, const uint8_t *bytes,
		      size_t size)
{
	for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
		put(device, offset + i, cl_load_u32(bytes + i));
	}
}

/** Waits for the end of a command on keys. */
static int wait_idle(const struct cl_fastpath *device)
{
	for (uint32_t polls = POLLS; polls > 0; polls--) {
		if ((get(device, CL_FASTPATH_STATUS) & CL_FASTPATH_STATUS_BUSY_MASK) == 0) {
			return 0;
		}
	}
	return -ETIMEDOUT;
}

/** Gives a command about keys, and waits for its end. */
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

static int set_key(const struct cl_engine *engine, struct cl_engine_key *key,
		   const uint8_t *key_bytes, unsigned int key_bits)
{
	const struct cl_fastpath *const device = engine->hw;
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
	if (wait_idle(device) != 0) { /* the key's registers would not take it */
		return -ETIMEDOUT;
	}
	cl_zeroize(key, sizeof(*key));
	key->key_bits = (uint16_t)key_bits; /* from here on clear has something to do */
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

static int serve(const struct cl_engine *engine, const struct cl_engine_key *key,
		 const struct cl_engine_client *client)
{
	const struct cl_fastpath *const device = engine->hw;

	if ((client->peer & CL_PEER_NETWORK) == 0) {
		return -EINVAL;
	}
	put(device, CL_FASTPATH_ROW, key->slot);
	put(device, CL_FASTPATH_SESSION, client->session);
	put(device, CL_FASTPATH_PEER_IP, (uint32_t)(client->peer >> 16));
	put(device, CL_FASTPATH_PEER_PORT, client->peer & 0xffff);
	put(device, CL_FASTPATH_TOKEN_LO, (uint32_t)client->token);
	put(device, CL_FASTPATH_TOKEN_HI, (uint32_t)(client->token >> 32));
	put(device, CL_FASTPATH_LIMIT_LO, (uint32_t)client->length);
	put(device, CL_FASTPATH_LIMIT_HI, (uint32_t)(client->length >> 32));
	put(device, CL_FASTPATH_SLOT, key->slot);
	put_bytes(device, CL_FASTPATH_IV0, client->iv, CL_BLOCK_BYTES);
	put(device, CL_FASTPATH_CONTROL, CL_FASTPATH_CONTROL_OPEN_MASK);
	return (get(device, CL_FASTPATH_OPENED) >> key->slot & 1u) != 0 ? 0 : -EIO;
}

static void report(const struct cl_engine *engine, const struct cl_engine_key *key,
		   struct cl_engine_work *work)
{
	const struct cl_fastpath *const device = engine->hw;

	put(device, CL_FASTPATH_ROW, key->slot);
	put(device, CL_FASTPATH_CONTROL, CL_FASTPATH_CONTROL_READ_STATISTICS_MASK);
	*work = (struct cl_engine_work){
		.bytes = get(device, CL_FASTPATH_BYTES_LO) |
			 (uint64_t)get(device, CL_FASTPATH_BYTES_HI) << 32,
		.blocks = get(device, CL_FASTPATH_BLOCKS_LO) |
			  (uint64_t)get(device, CL_FASTPATH_BLOCKS_HI) << 32,
		.records = get(device, CL_FASTPATH_RECORDS),
	};
}

static int finish(const struct cl_engine *engine, const struct cl_engine_key *key,
		  struct cl_window *window)
{
	const struct cl_fastpath *const device = engine->hw;

	(void)window;
	put(device, CL_FASTPATH_ROW, key->slot);
	put(device, CL_FASTPATH_CONTROL, CL_FASTPATH_CONTROL_CLOSE_MASK);
	return -ENOTSUP; /* the hardware keeps no window */
}

static void clear(const struct cl_engine *engine, struct cl_engine_key *key)
{
	const struct cl_fastpath *const device = engine->hw;

	if (key->key_bits != 0) {
		put(device, CL_FASTPATH_ROW, key->slot);
		put(device, CL_FASTPATH_CONTROL, CL_FASTPATH_CONTROL_CLOSE_MASK);
		const int result = key_command(
			device, (uint32_t)key->slot << CL_FASTPATH_KEY_CONFIG_SLOT_SHIFT,
			CL_FASTPATH_CONTROL_CLEAR_KEY_MASK);

		if (result != 0 || holds_key(device, key->slot)) {
			put(device, CL_FASTPATH_CONTROL, CL_FASTPATH_CONTROL_ZEROIZE_MASK);
		}
	}
	cl_zeroize(key, sizeof(*key));
}

struct cl_engine cl_engine_fastpath(struct cl_fastpath *device)
{
	return (struct cl_engine){
		.code = CL_WIRE_ENGINE_FASTPATH,
		.name = "fastpath",
		.set_key = set_key,
		.clear = clear,
		.serve = serve,
		.report = report,
		.finish = finish,
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
	reply->key = count_of(device, CL_FASTPATH_EVENT_CODE_KEY);
	reply->transmit_overflow = count_of(device, CL_FASTPATH_EVENT_CODE_TRANSMIT_OVERFLOW);
}
