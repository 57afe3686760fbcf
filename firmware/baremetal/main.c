/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The bare-metal firmware: the record service over the UART and, where present, Ethernet.
 */
#include <stdbool.h>
#include <stdint.h>

#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>

#include "aes/engines.h"
#include "engines.h"
#include "extension.h" /* the make variable EXTENSION chooses its folder */
#include "links/link_uart.h"
#include "macsec.h"
#include "network.h"
#include "port.h"
#include "random/random.h"
#include "record_memory.h"
#include "service/service.h"
#include "zeroize.h"

#define BENCH_BYTES CIPHERLANE_BENCH_BYTES
/*
 * A session that is idle for this time is closed: 30 seconds on a board. In simulation, this time
 * is 1/8 second, because a simulated second takes minutes.
 */
#define SESSION_IDLE_CYCLES                                                                        \
	(CIPHERLANE_SIMULATED ? CONFIG_CLOCK_FREQUENCY / 8 : 30 * (uint64_t)CONFIG_CLOCK_FREQUENCY)

/** Buffer for the record being handled, in the buffer memory, which the accelerator can access. */
static struct receive receive __attribute__((section(".buffer"), aligned(16)));

static uint8_t bench_buffer[BENCH_BYTES] __attribute__((section(".buffer"), aligned(16)));

/* Buffer for copies of data that are not aligned, or that the accelerator cannot reach. */
static uint8_t bounce[512] __attribute__((section(".buffer"), aligned(16)));

static struct cl_accel_device accel_device = ENGINES_ACCEL_DEVICE(bounce);

/*
 * The table of streams and of used counter blocks, 13 KB. It is in the buffer memory because it
 * does not fit in SRAM.
 */
static struct cl_streams streams __attribute__((section(".buffer"), aligned(16)));

static int draw(void *context, uint32_t *words, size_t count)
{
	static const struct cl_random source = {.regs = (volatile uint32_t *)CSR_RANDOM_BASE};

	(void)context;
	return cl_random_read(&source, words, count);
}

/*
 * True if the record buffer, the stack and the cache must be zeroized, because they can still
 * contain keys or data. True after a restart, after a key was refused, and after a session with a
 * key was closed.
 */
static bool forgets = true;

static void forget(void *context)
{
	(void)context;
	forgets = true;
}

/*
 * State of the record service. It is static because it must be zero at power-on, and because it is
 * too large for the stack.
 */
static struct cl_service service;

int main(void)
{
	static struct cl_link link;
	struct cl_link_uart uart;
	struct engines hardware = ENGINES_INIT(&accel_device);
	const struct cl_server server = NETWORK_SERVER;
	const char *firmware;
	uint8_t *const record = record_memory_init(&receive, &firmware);

	engines_init(&hardware);
	const struct cl_engine *const engines[] = {&cl_engine_byte, &cl_engine_table,
						   ENGINES_LIST(hardware), EXTENSION_ENGINES};
	const struct cl_platform platform = {
		.board = CIPHERLANE_BOARD,
		.firmware = firmware,
		.kind = CIPHERLANE_SIMULATED ? CL_WIRE_KIND_SIM : CL_WIRE_KIND_BOARD,
		.max_data = CIPHERLANE_MAX_DATA,
		.clock_hz = CONFIG_CLOCK_FREQUENCY,
		.rx_window = CIPHERLANE_RX_WINDOW,
		.session_idle_cycles = SESSION_IDLE_CYCLES,
		.streams = &streams,
		.identity = ENGINES_IDENTITY(hardware),
		.bench_buffer = bench_buffer,
		.bench_bytes = BENCH_BYTES,
		.engines = engines,
		.engine_count = sizeof(engines) / sizeof(engines[0]),
		.server = NETWORK_SERVER_AT(server),
		.macsec = macsec_handlers(),
		.cycles = port_cycles,
		.random = draw,
		.forget = forget,
	};

	/* A restart does not clear the memories, so they may still hold keys and data. */
	cl_zeroize((void *)BUFFER_BASE, BUFFER_SIZE);
	engines_zeroize_unit();
	macsec_init();
	if (cl_engine_accel_init(&accel_device, (volatile uint32_t *)CSR_ACCELERATOR_BASE,
				 port_dcache_flush) != 0 ||
	    extension_init(bounce, sizeof(bounce)) != 0 ||
	    cl_service_init(&service, &platform) != 0) {
		port_trap(0, 0);
	}
	cl_link_uart_init(&uart, &link, record, sizeof(receive.record), port_uart_put, NULL);
	network_init(&service);
	macsec_start(platform.identity, ise_device);
	for (;;) {
		port_feed();
		cl_service_poll(&service);
		macsec_poll();
		if (forgets || record_memory_again(&uart)) {
			const uint32_t begin = port_cycles(NULL);

			forgets = false;
			cl_link_uart_forget(&uart);
			record_memory_forget(&uart);
			port_forget();
			network_forget();
			cl_service_owe(&service, port_cycles(NULL) - begin);
		}
		network_poll();
		size_t len = cl_link_uart_receive(&uart, port_uart_get, NULL);

		if (len == 0) {
			continue;
		}
		len = cl_service_handle(&service, &link, record, len, record, RECORD_MAX);
		if (len != 0) {
			cl_link_uart_send(&uart, record, len);
		}
	}
}
