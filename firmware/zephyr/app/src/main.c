/**
 * @file
 * The record service on Zephyr.
 */
#include <zephyr/fatal.h>
#include <zephyr/kernel.h>

#include <cipherlane/compat.h>
#include <cipherlane/engines.h>
#include <cipherlane/soc.h>

#include "engines.h"
#include "records.h"
#include "service.h"

#define BOARD       DT_NODELABEL(cipherlane0)
#define MAX_DATA    DT_PROP(BOARD, max_data)
#define RECORD_MAX  CL_SERVICE_RECORD_MAX(MAX_DATA)
#define BENCH_BYTES 65536u
#define CLOCK_HZ    DT_PROP(BOARD, clock_frequency)
/* Ten seconds; a simulated second takes minutes: a twentieth of one there. */
#define SESSION_IDLE_CYCLES (DT_PROP(BOARD, simulated) ? CLOCK_HZ / 20 : 10 * CLOCK_HZ)

/**
 * The record being handled, where the accelerator reaches it. The header is 24 bytes: the data
 * behind it are then aligned to 16 bytes.
 */
static struct {
	uint8_t unused[8];
	uint8_t record[CL_LINK_UART_BUFFER(RECORD_MAX)];
} receive CL_SOC_IN_BUFFER;

static uint8_t bench_buffer[BENCH_BYTES] CL_SOC_IN_BUFFER;

static struct cl_service service;

/** A fault restarts the board: sessions are lost, and with them their keys. */
void k_sys_fatal_error_handler(unsigned int reason, const cl_arch_esf *frame)
{
	ARG_UNUSED(reason);
	ARG_UNUSED(frame);
	cl_soc_reset();
}

int main(void)
{
	static const struct cl_engine *const engines[] = {
		&cl_engine_byte,      &cl_engine_table,    &cl_zephyr_ise,
		&cl_zephyr_ise_fused, &cl_zephyr_ise_vmem, &cl_zephyr_accelerator,
	};
	static const struct cl_platform platform = {
		.board = DT_PROP(BOARD, board_name),
		.firmware = "zephyr",
		.kind = DT_PROP(BOARD, simulated) ? CL_KIND_SIM : CL_KIND_BOARD,
		.max_data = MAX_DATA,
		.clock_hz = CLOCK_HZ,
		.rx_window = DT_PROP(BOARD, rx_window),
		.session_idle_cycles = SESSION_IDLE_CYCLES,
		.bench_buffer = bench_buffer,
		.bench_bytes = BENCH_BYTES,
		.engines = engines,
		.engine_count = ARRAY_SIZE(engines),
		.cycles = cl_soc_cycles,
	};

	if (cl_service_init(&service, &platform) != 0 ||
	    records_init(receive.record, sizeof(receive.record)) != 0) {
		cl_soc_reset();
	}
	for (;;) {
		size_t len = records_receive();

		len = cl_service_handle(&service, records_link(), receive.record, len,
					receive.record, RECORD_MAX);
		records_send(receive.record, len);
	}
}
