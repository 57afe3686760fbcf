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

#include "accelerator/accel.h"
#include "accelerator/engine_accel.h"
#include "accelerator/engine_accel_gcm.h"
#include "vector/engine_ise.h"
#include "aes/engines.h"
#include "ethernet.h"
#ifdef CIPHERLANE_EXTENSION
#include "extension.h" /* this file is in the folder that the make variable EXTENSION names */
#endif
#include "links/link_uart.h"
#ifdef CSR_MACSEC_BASE
#include "protection/protection.h"
#include "vector/block_ise.h"
#endif
#include "port.h"
#include "random/random.h"
#ifdef MAIN_RAM_BASE
#include "sdram.h"
#endif
#include "service/service.h"
#include "zeroize.h"

#define RECORD_MAX   CL_SERVICE_RECORD_MAX(CIPHERLANE_MAX_DATA)
#define BENCH_BYTES  CIPHERLANE_BENCH_BYTES
#define BOUNCE_BYTES 512u
/*
 * A session that is idle for this time is closed: 30 seconds on a board. In simulation, this time
 * is 1/8 second, because a simulated second takes minutes.
 */
#define SESSION_IDLE_CYCLES                                                                        \
	(CIPHERLANE_SIMULATED ? CONFIG_CLOCK_FREQUENCY / 8 : 30 * (uint64_t)CONFIG_CLOCK_FREQUENCY)

/* Adds GCM to an engine of the vector unit, if the unit has a multiplier. */
#ifdef CIPHERLANE_VECTOR_PRODUCTS
#define WITH_GCM(engine) cl_engine_ise_with_gcm(engine)
#else
#define WITH_GCM(engine) (engine)
#endif

/**
 * Buffer for the record being handled. It is in the buffer memory, which the accelerator can
 * access. The 8 unused bytes and the record's header of 24 bytes align the record's data to 16
 * bytes.
 */
static struct receive {
	uint8_t unused[8];
	uint8_t record[CL_LINK_UART_BUFFER(RECORD_MAX)];
} receive __attribute__((section(".buffer"), aligned(16)));

#ifdef MAIN_RAM_BASE
/*
 * Receive buffer in SDRAM. If the SDRAM works, the firmware uses this buffer instead of the buffer
 * `receive`. If an engine's hardware cannot access SDRAM, the engine copies the data through the
 * buffer `bounce`, or uses the CPU's loads and stores.
 */
static struct receive receive_sdram __attribute__((section(".sdram"), aligned(32)));

_Static_assert(sizeof(receive_sdram) <= SDRAM_DATA_BYTES, "tested, and zero after a restart");
#endif

#ifdef CSR_ETHMAC_BASE
/*
 * Buffer for the data of one record. Some engines are slower in the Ethernet MAC's slots than in
 * the buffer memory. For these engines, the firmware copies the data here.
 */
static uint8_t staging[CL_LINK_UDP_MAX_DATA] __attribute__((section(".buffer"), aligned(16)));

static struct ethernet ethernet;
#endif

static uint8_t bench_buffer[BENCH_BYTES] __attribute__((section(".buffer"), aligned(16)));

/* Buffer for copies of data that are not aligned, or that the accelerator cannot reach. */
static uint8_t bounce[BOUNCE_BYTES] __attribute__((section(".buffer"), aligned(16)));

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
#ifdef MAIN_RAM_BASE
/*
 * True if the firmware must zeroize the memories again after the record that is arriving now. The
 * last zeroization wrote the L2 cache back to SDRAM. SDRAM can therefore contain a part of this
 * record.
 */
static bool again;
#endif

#ifdef CSR_MACSEC_BASE
/*
 * Number of clock cycles that MKA (MACsec Key Agreement) counts as one millisecond. A simulated
 * board is 30 to 200 times slower than a real board. But its peer is a real machine, which expects
 * an MKPDU (a message of MKA) within six seconds. So in simulation, this number is 25 times
 * smaller.
 */
#define MKA_MS_CYCLES (CONFIG_CLOCK_FREQUENCY / 1000 / (CIPHERLANE_SIMULATED ? 25 : 1))

/**
 * Writes random bytes for MKA. On a real board, the AES engine @p context computes the bytes from
 * words of the noise source. A simulated board has no noise source, so its bytes are predictable.
 */
static int mka_random(void *context, uint8_t *bytes, size_t count)
{
	static const struct cl_random source = {.regs = (volatile uint32_t *)CSR_RANDOM_BASE};
	static uint32_t state = 1;

	if (!CIPHERLANE_SIMULATED) {
		return cl_random_condition(&source, context, bytes, count);
	}
	for (size_t i = 0; i < count; i++) {
		state = (state ^ port_cycles(NULL)) * 1664525u + 1013904223u;
		bytes[i] = (uint8_t)(state >> 24);
	}
	return 0;
}

/**
 * Returns the time since reset, modulo 2^32, in units of MKA_MS_CYCLES clock cycles: MKA counts
 * each unit as one millisecond. Call this function at least once in 2^31 cycles.
 */
static uint32_t milliseconds(void)
{
	static uint32_t ms, last, left;
	const uint32_t now = port_cycles(NULL);

	left += now - last;
	last = now;
	ms += left / MKA_MS_CYCLES;
	left %= MKA_MS_CYCLES;
	return ms;
}

static void mka_send(void *context, const uint8_t *frame, size_t size)
{
	(void)context;
	ethernet_send(&ethernet, frame, size);
}

static void mka_receive(void *context, const uint8_t *frame, size_t size)
{
	cl_macsec_receive(context, frame, size);
}
#endif

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
#ifndef CIPHERLANE_OTHER_UNIT
	static struct cl_ise_device ise_device = {
		.memory =
			{
				.origin = BUFFER_BASE,
				.bytes = BUFFER_SIZE,
				.drain = port_drain,
				.dcache_flush = port_dcache_flush,
			},
	};
#endif
	static struct cl_accel_device accel_device = {
		.dma_origin = BUFFER_BASE,
		.dma_bytes = BUFFER_SIZE,
#ifdef CSR_ETHMAC_BASE
		.uncached_origin = ETHMAC_BASE,
		.uncached_bytes = ETHMAC_SIZE,
#endif
		.bounce = bounce,
		.bounce_bytes = BOUNCE_BYTES,
	};
#ifdef CSR_MACSEC_BASE
	static const struct cl_secy secy = {.regs = (volatile uint32_t *)CSR_MACSEC_BASE};
	static const uint8_t mac[6] = {MACADDR1, MACADDR2, MACADDR3, MACADDR4, MACADDR5, MACADDR6};
	static struct cl_macsec macsec;
#endif
	static struct cl_link link;
	struct cl_link_uart uart;
#ifdef MAIN_RAM_BASE
	struct sdram_report sdram;
	uint8_t *const record = sdram_init(&sdram) == 0 ? receive_sdram.record : receive.record;
	const char *const firmware =
		sdram.status == 0 ? "baremetal, " CL_SDRAM_KIND : sdram_name(sdram.status);
#else
	uint8_t *const record = receive.record;
	const char *const firmware = "baremetal";
#endif

#ifndef CIPHERLANE_OTHER_UNIT
	const struct cl_engine ise = WITH_GCM(cl_engine_ise(&ise_device));
	const struct cl_engine ise_fused = WITH_GCM(cl_engine_ise_fused(&ise_device));
	const struct cl_engine ise_vmem = WITH_GCM(cl_engine_ise_vmem(&ise_device));
#endif
#ifdef CIPHERLANE_GCM
	const struct cl_engine accelerator = cl_engine_accel_gcm(&accel_device);
#elif defined(CIPHERLANE_VECTOR_PRODUCTS)
	const struct cl_hasher hasher = cl_ise_hasher(&ise_device);
	struct cl_engine accelerator = cl_engine_accel(&accel_device);

	accelerator.hasher = &hasher;
#else
	const struct cl_engine accelerator = cl_engine_accel(&accel_device);
#endif
#ifdef CSR_FASTPATH_BASE
	const struct cl_server fast_path = cl_fastpath_server(&ethernet.fast_path);
#endif
	const struct cl_engine *const engines[] = {
		&cl_engine_byte,
		&cl_engine_table,
#ifndef CIPHERLANE_OTHER_UNIT
		&ise,
		&ise_fused,
		&ise_vmem,
#endif
		&accelerator,
#ifdef EXTENSION_ENGINES
		EXTENSION_ENGINES,
#endif
	};
	const struct cl_platform platform = {
		.board = CIPHERLANE_BOARD,
		.firmware = firmware,
		.kind = CIPHERLANE_SIMULATED ? CL_WIRE_KIND_SIM : CL_WIRE_KIND_BOARD,
		.max_data = CIPHERLANE_MAX_DATA,
		.clock_hz = CONFIG_CLOCK_FREQUENCY,
		.rx_window = CIPHERLANE_RX_WINDOW,
		.session_idle_cycles = SESSION_IDLE_CYCLES,
		.streams = &streams,
#ifdef EXTENSION_IDENTITY
		.identity = EXTENSION_IDENTITY,
#else
		.identity = &ise_fused,
#endif
		.bench_buffer = bench_buffer,
		.bench_bytes = BENCH_BYTES,
		.engines = engines,
		.engine_count = sizeof(engines) / sizeof(engines[0]),
#ifdef CSR_FASTPATH_BASE
		.server = &fast_path,
#endif
#ifdef CSR_MACSEC_BASE
		.macsec = &macsec.handlers,
#endif
		.cycles = port_cycles,
		.random = draw,
		.forget = forget,
	};

	/* A restart does not clear the memories, so they may still hold keys and data. */
	cl_zeroize((void *)BUFFER_BASE, BUFFER_SIZE);
#ifndef CIPHERLANE_OTHER_UNIT
	cl_ise_zeroize();
#endif
#ifdef CSR_MACSEC_BASE
	cl_macsec_init(&macsec, &secy, mac);
#endif
	if (cl_engine_accel_init(&accel_device, (volatile uint32_t *)CSR_ACCELERATOR_BASE,
				 port_dcache_flush) != 0 ||
#ifdef CIPHERLANE_EXTENSION
	    extension_init(bounce, BOUNCE_BYTES) != 0 ||
#endif
	    cl_service_init(&service, &platform) != 0) {
		port_trap(0, 0);
	}
	cl_link_uart_init(&uart, &link, record, sizeof(receive.record), port_uart_put, NULL);
#ifdef CSR_ETHMAC_BASE
	ethernet_init(&ethernet, &service, staging);
#endif
#ifdef CSR_MACSEC_BASE
	macsec.config.engine = &ise_fused;
	macsec.config.modes = &cl_modes_ise_by_block;
	macsec.config.modes_hw = &ise_device;
	macsec.config.random = mka_random;
	/*
	 * In simulation, send MKPDUs more often. Otherwise the peer could time out while the
	 * computer that runs the simulation is busy.
	 */
	macsec.config.hello_ms = CIPHERLANE_SIMULATED ? 100 : 0;
	macsec.config.send = mka_send;
	macsec.config.context = (void *)&ise_fused;
	ethernet.eapol = mka_receive;
	ethernet.context = &macsec;
#endif
	for (;;) {
#ifdef CSR_LOADER_BASE
		loader_feed_write(1); /* reset the watchdog */
#endif
		cl_service_poll(&service);
#ifdef CSR_MACSEC_BASE
		cl_macsec_poll(&macsec, milliseconds());
#endif
#ifdef MAIN_RAM_BASE
		forgets = forgets || (again && uart.decoder.length == 0);
#endif
		if (forgets) {
			const uint32_t begin = port_cycles(NULL);

			forgets = false;
			cl_link_uart_forget(&uart);
#ifdef MAIN_RAM_BASE
			if (sdram.status == 0) {
				sdram_write_back();
				again = uart.decoder.length != 0;
			}
#endif
			port_forget();
#ifdef CSR_ETHMAC_BASE
			ethernet_forget(&ethernet);
#endif
			cl_service_owe(&service, port_cycles(NULL) - begin);
		}
#ifdef CSR_ETHMAC_BASE
		ethernet_poll(&ethernet);
#endif
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
