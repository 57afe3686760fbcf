/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The loader, in the boot ROM. It starts the firmware in the code memory, or receives new firmware
 * over the UART. It does not start the firmware if the code memory holds no complete firmware. It
 * also does not start the firmware if the watchdog, or the firmware itself, caused the last reset.
 */
#include <stdbool.h>
#include <stdint.h>

#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>
#include <system.h>

#include "accelerator/engine_accel.h"
#include "links/link_uart.h"
#include "loader.h"
#include "port.h"
#include "service/build_id.h"
#include "vector/engine_ise.h"
#include "zeroize.h"

/*
 * Time that the loader waits for a request after power-on: a quarter of a second. In simulation,
 * the loader does not wait. The host of a simulated board can send requests for the firmware at
 * once, and a waiting loader would lose these requests.
 */
#ifndef PASSING_CYCLES /* A test can define PASSING_CYCLES by a compiler option. */
#define PASSING_CYCLES (CIPHERLANE_SIMULATED ? 0 : CONFIG_CLOCK_FREQUENCY / 4)
#endif
/*
 * Time that the loader waits for a further request after a request, or after a reset by a UART
 * break: ten seconds. Then the loader starts the firmware. In simulation, this time is 1/8 second,
 * because a simulated second takes a minute.
 */
#define ASKED_CYCLES                                                                               \
	(CIPHERLANE_SIMULATED ? CONFIG_CLOCK_FREQUENCY / 8 : 10 * CONFIG_CLOCK_FREQUENCY)

static uint8_t cause(void)
{
	const uint32_t field = (1u << CSR_LOADER_STATUS_CAUSE_SIZE) - 1;

	return (uint8_t)(loader_status_read() >> CSR_LOADER_STATUS_CAUSE_OFFSET & field);
}

static __attribute__((noreturn)) void start(void)
{
	void (*const entry)(void) = (void (*)(void))(CODE_BASE + CL_WIRE_IMAGE_SIZE);

	loader_lock_write(1);
	flush_cpu_icache();
	entry();
	__builtin_unreachable();
}

/*
 * Zeroizes the keys and data that the previous firmware left in the buffer memory, the vector unit,
 * the DMA's queues, the stack and the data cache. The start code has already zeroized SRAM. A
 * failure of cl_engine_accel_init does no harm, because the reset has cleared the accelerator's
 * keys.
 */
static void erase(void)
{
	static struct cl_accel_device accelerator = {
		.dma_origin = BUFFER_BASE,
		.dma_bytes = BUFFER_SIZE,
		.bounce = (uint8_t *)BUFFER_BASE,
		.bounce_bytes = 512,
	};

	cl_zeroize((void *)BUFFER_BASE, BUFFER_SIZE);
	cl_ise_zeroize();
	(void)cl_engine_accel_init(&accelerator, (volatile uint32_t *)CSR_ACCELERATOR_BASE,
				   port_dcache_flush);
	cl_zeroize((void *)BUFFER_BASE, BUFFER_SIZE);
	port_forget();
}

int main(void)
{
	static uint32_t record[(CL_LINK_UART_BUFFER(LOADER_RECORD_MAX) + 3) / 4];
	static struct cl_link link;
	static struct cl_link_uart uart;
	static struct loader loader = {
		.memory = (uint32_t *)CODE_BASE,
		.size = CODE_SIZE,
		.origin = CODE_BASE,
		.flush = port_dcache_flush,
		.kind = CIPHERLANE_SIMULATED ? CL_WIRE_KIND_SIM : CL_WIRE_KIND_BOARD,
		.board = CIPHERLANE_BOARD,
		.build_id = cl_build_id,
	};
	uint8_t *const bytes = (uint8_t *)record;

	erase();
	loader.cause = cause();
	const bool ended =
		loader.cause == CL_WIRE_CAUSE_WATCHDOG || loader.cause == CL_WIRE_CAUSE_FIRMWARE;
	bool stays = ended || loader_state(&loader) != CL_WIRE_IMAGE_STATE_WHOLE;

	loader.passing = !stays && loader.cause == CL_WIRE_CAUSE_POWER;
	cl_link_uart_init(&uart, &link, bytes, sizeof(record), port_uart_put, NULL);
	for (uint32_t since = port_cycles(NULL);;) {
		const uint32_t patience = loader.passing ? PASSING_CYCLES : ASKED_CYCLES;

		if (!stays && port_cycles(NULL) - since >= patience) {
			start();
		}
		size_t len = cl_link_uart_receive(&uart, port_uart_get, NULL);

		if (len == 0) {
			continue;
		}
		bool goes;

		len = loader_handle(&loader, bytes, len, bytes, &goes);
		if (len != 0) {
			/*
			 * The loader answers a request for the firmware with an error reply. Such a
			 * request does not make the loader wait longer.
			 */
			if (bytes[CL_WIRE_HEADER_TYPE] != CL_WIRE_TYPE_ERROR) {
				since = port_cycles(NULL);
			}
			cl_link_uart_send(&uart, bytes, len);
		}
		if (goes) {
			start();
		}
		stays |= loader.begun;
	}
}
