/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the record service with MACsec on the host. A simulated SecY records each call.
 * test_macsec.py loads this library.
 */
#include "aes/engines.h"
#include "aes/modes_byte.h"
#include "protection/protection.c"
#include "stack_left.h"

#define CALLS_MAX 64u
#define STREAMS   1u

struct call {
	uint32_t kind; /* a letter that identifies the called function */
	uint32_t values[4];
	struct cl_secy_sa sa;
	struct cl_secy_policy policy;
	uint8_t scis[2 * CL_SECY_SCI_BYTES];
};

struct call calls[CALLS_MAX];
uint32_t call_count;
int install_status, sci_status;
uint32_t forgotten;

static const struct cl_secy secy;
static struct cl_macsec macsec;
static struct cl_service service;
static struct cl_link links[2];
static struct cl_wire_network_reply network;
static struct cl_streams streams;
static uint32_t time;

static struct call *add(char kind)
{
	struct call *const call = &calls[call_count++ % CALLS_MAX];

	memset(call, 0, sizeof(*call));
	call->kind = (uint32_t)kind;
	return call;
}

void cl_secy_zeroize(const struct cl_secy *unused)
{
	(void)unused;
	add('Z');
}

int cl_secy_set_sci(const struct cl_secy *unused, const uint8_t own[CL_SECY_SCI_BYTES],
		    const uint8_t peer[CL_SECY_SCI_BYTES])
{
	struct call *const call = add('S');

	(void)unused;
	memcpy(call->scis, own, CL_SECY_SCI_BYTES);
	memcpy(call->scis + CL_SECY_SCI_BYTES, peer, CL_SECY_SCI_BYTES);
	return sci_status;
}

int cl_secy_install(const struct cl_secy *unused, const struct cl_secy_sa *sa)
{
	(void)unused;
	add('I')->sa = *sa;
	return install_status;
}

void cl_secy_remove(const struct cl_secy *unused, enum cl_secy_direction direction, uint8_t an)
{
	struct call *const call = add('R');

	(void)unused;
	call->values[0] = direction;
	call->values[1] = an;
}

void cl_secy_set_policy(const struct cl_secy *unused, const struct cl_secy_policy *policy)
{
	(void)unused;
	add('P')->policy = *policy;
}

uint64_t cl_secy_next_pn(const struct cl_secy *unused, enum cl_secy_direction direction, uint8_t an)
{
	(void)unused;
	return 0x100000000u * (an + 1u) + direction;
}

uint32_t cl_secy_count(const struct cl_secy *unused, uint32_t counter)
{
	(void)unused;
	return 1000u + counter;
}

static uint32_t cycles(void *context)
{
	(void)context;
	return time += 100;
}

static void forget(void *context)
{
	(void)context;
	forgotten++;
}

uint8_t sent[CL_MKPDU_WRITE_MAX];

static int draw(void *context, uint8_t *bytes, size_t count)
{
	(void)context;
	for (size_t i = 0; i < count; i++) {
		bytes[i] = (uint8_t)(time += 7);
	}
	return 0;
}

static void keep(void *context, const uint8_t *frame, size_t size)
{
	(void)context;
	memcpy(sent, frame, size);
}

bool required;

bool cl_secy_required(const struct cl_secy *unused)
{
	(void)unused;
	return required;
}

bool cl_secy_expiring(const struct cl_secy *unused)
{
	(void)unused;
	return false;
}

void shim_poll(uint32_t now_ms)
{
	cl_macsec_poll(&macsec, now_ms);
}

int shim_start(bool with_macsec)
{
	static const uint8_t mac[6] = {2, 'C', 'L', 'N', 'E', 1};
	static const struct cl_engine *const engines[] = {&cl_engine_table};
	static struct cl_platform platform;

	call_count = forgotten = 0;
	install_status = sci_status = 0;
	memset(links, 0, sizeof(links));
	links[1].network = &network;
	links[1].peer = CL_PEER_NETWORK | 1;
	platform = (struct cl_platform){
		.board = "shim",
		.firmware = "test",
		.max_data = 1024,
		.clock_hz = 1000000,
		.rx_window = 4096,
		.streams = &streams,
		.identity = &cl_engine_table,
		.engines = engines,
		.engine_count = 1,
		.macsec = with_macsec ? &macsec.handlers : NULL,
		.cycles = cycles,
		.forget = forget,
	};
	cl_macsec_init(&macsec, &secy, mac);
	macsec.config.engine = &cl_engine_table;
	macsec.config.modes = &cl_modes_byte;
	macsec.config.random = draw;
	macsec.config.send = keep;
	return cl_service_init(&service, &platform);
}

size_t shim_handle(uint8_t *record, size_t len, size_t room, bool over_network)
{
	wipe_stack();
	const size_t reply =
		cl_service_handle(&service, &links[over_network], record, len, record, room);

	keep_stack();
	return reply;
}

/** Returns how often the bytes occur in the stack memory that the handling of the last record used.
 *  */
uint32_t shim_stack_holds(const uint8_t *bytes, size_t size)
{
	return stack_holds(bytes, size);
}

/** Returns true if the firmware's MACsec state (struct cl_macsec) contains these bytes. */
bool shim_holds(const uint8_t *bytes, size_t size)
{
	const uint8_t *const state = (const uint8_t *)&macsec;

	for (size_t i = 0; i + size <= sizeof(macsec); i++) {
		if (memcmp(state + i, bytes, size) == 0) {
			return true;
		}
	}
	return false;
}
