/**
 * @file
 * The record service on Zephyr.
 */
#include <zephyr/fatal.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/logging/log_ctrl.h>

#include <cipherlane/compat.h>
#include <cipherlane/engines.h>
#include <cipherlane/ethernet.h>
#include <cipherlane/fast_path.h>
#include <cipherlane/soc.h>

#include "app.h"
#include "datagrams.h"
#include "aes/engines.h"
#include "guard.h"
#include "random/random.h"
#include "records.h"
#include "zeroize.h"

LOG_MODULE_REGISTER(records, CONFIG_RECORDS_LOG_LEVEL);

#define BOARD       DT_NODELABEL(cipherlane0)
#define MAX_DATA    DT_PROP(BOARD, max_data)
#define RECORD_MAX  CL_SERVICE_RECORD_MAX(MAX_DATA)
#define BENCH_BYTES 65536u
#define CLOCK_HZ    DT_PROP(BOARD, clock_frequency)
/* Thirty seconds; a simulated second takes minutes: an eighth of one there. */
#define SESSION_IDLE_CYCLES (DT_PROP(BOARD, simulated) ? CLOCK_HZ / 8 : 30 * (uint64_t)CLOCK_HZ)
/* The main loop's longest turn: it feeds the watchdog, and looks for idle sessions. */
#define TURN_MS 1000u
#define TURN    K_MSEC(MIN(TURN_MS, SESSION_IDLE_CYCLES *MSEC_PER_SEC / 8 / CLOCK_HZ))

/**
 * The record being handled, where the accelerator reaches it. The header is 24 bytes: the data
 * behind it are then aligned to 16 bytes.
 */
static struct {
	uint8_t unused[8];
	uint8_t record[CL_LINK_UART_BUFFER(RECORD_MAX)];
} receive CL_SOC_IN_BUFFER;

static uint8_t bench_buffer[BENCH_BYTES] CL_SOC_IN_BUFFER;

/** What is remembered of counter blocks, 13 KB. */
static struct cl_streams streams CL_SOC_IN_BUFFER;

static const struct cl_engine *const engines[] = {
	&cl_engine_byte,      &cl_engine_table,    &cl_zephyr_ise,
	&cl_zephyr_ise_fused, &cl_zephyr_ise_vmem, &cl_zephyr_accelerator,
};

static int draw(void *context, uint32_t *words, size_t count)
{
	static const struct cl_random source = {
		.regs = (volatile uint32_t *)DT_REG_ADDR(DT_NODELABEL(random0)),
	};

	ARG_UNUSED(context);
	return cl_random_read(&source, words, count);
}

/** A key was closed, or the board restarted: what is left of it is to be erased. */
static atomic_t forgets = ATOMIC_INIT(true);

/** Each thread that carries out records erases what it has left, before it takes the next one. */
static void forget(void *context)
{
	ARG_UNUSED(context);
	atomic_set(&forgets, true);
	records_wake();
#ifdef CONFIG_NETWORKING
	cl_ethernet_forget();
#endif
}

const struct cl_platform app_platform = {
	.board = DT_PROP(BOARD, board_name),
	.firmware = "zephyr",
	.kind = DT_PROP(BOARD, simulated) ? CL_WIRE_KIND_SIM : CL_WIRE_KIND_BOARD,
	.max_data = MAX_DATA,
	.clock_hz = CLOCK_HZ,
	.rx_window = DT_PROP(BOARD, rx_window),
	.session_idle_cycles = SESSION_IDLE_CYCLES,
	.streams = &streams,
	.identity = &cl_zephyr_ise_fused,
	.bench_buffer = bench_buffer,
	.bench_bytes = BENCH_BYTES,
	.engines = engines,
	.engine_count = ARRAY_SIZE(engines),
#ifdef CONFIG_CIPHERLANE_FAST_PATH
	.server = &cl_zephyr_fast_path,
#endif
	.cycles = cl_soc_cycles,
	.random = draw,
	.forget = forget,
};

static struct cl_service service;
static K_MUTEX_DEFINE(lock);

struct cl_service *app_lock(void)
{
	(void)k_mutex_lock(&lock, K_FOREVER);
	return &service;
}

void app_unlock(void)
{
	(void)k_mutex_unlock(&lock);
}

/** A fault restarts the board: sessions are lost, and with them their keys. */
void k_sys_fatal_error_handler(unsigned int reason, const cl_arch_esf *frame)
{
	ARG_UNUSED(frame);
	LOG_PANIC();
	LOG_ERR("fault %u: the board restarts", reason);
	cl_soc_reset();
}

size_t app_handle(struct cl_link *link, uint8_t *record, size_t len)
{
	(void)k_mutex_lock(&lock, K_FOREVER);
	const uint32_t opened = service.sessions.opened;

	len = cl_service_handle(&service, link, record, len, record, RECORD_MAX);
	const uint32_t now_opened = service.sessions.opened;

	(void)k_mutex_unlock(&lock);
	if (now_opened != opened) {
		LOG_INF("session %u opened", now_opened);
	}
	return len;
}

int main(void)
{
	/* A restart does not clear memories. */
	cl_zeroize((void *)CL_SOC_BUFFER_BASE, CL_SOC_BUFFER_BYTES);
	int status = cl_service_init(&service, &app_platform);

	if (status == 0) {
		status = records_init(receive.record, sizeof(receive.record));
	}
#ifdef CONFIG_NETWORKING
	if (status == 0) {
		status = datagrams_init();
	}
#endif
	if (status == 0) {
		status = guard_init();
	}
	if (status != 0) {
		LOG_PANIC();
		LOG_ERR("no start: status %d", status);
		cl_soc_reset();
	}
	LOG_INF("%s: records on the UART", app_platform.board);
	for (;;) {
		if (atomic_set(&forgets, false)) {
			cl_soc_forget();
		}
		const size_t len = records_receive(TURN);

		if (len != 0) {
			records_send(receive.record,
				     app_handle(records_link(), receive.record, len));
		}
		cl_service_poll(app_lock()); /* nobody hangs with it */
		app_unlock();
		guard_feed();
	}
}
