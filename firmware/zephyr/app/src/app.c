/* SPDX-License-Identifier: BSD-2-Clause */
/* The record service with its engines, and the lock that protects it. */
#include "app.h"

#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>

#include <cipherlane/engines.h>
#include <cipherlane/ethernet.h>
#include <cipherlane/fast_path.h>
#include <cipherlane/random.h>
#include <cipherlane/soc.h>

#include "aes/engines.h"
#include "records.h"

LOG_MODULE_REGISTER(records, CONFIG_RECORDS_LOG_LEVEL);

#define BENCH_BYTES 32768u

static uint8_t bench_buffer[BENCH_BYTES] CL_SOC_IN_BUFFER;

/** The service's table of streams: 13 KB. It stores which counter blocks each stream has used. */
static struct cl_streams streams CL_SOC_IN_BUFFER;

/*
 * The service identifies each key by a number, and computes this number with KEY_ENGINE. The time
 * of this computation must not depend on the key, so KEY_ENGINE must use the vector AES unit. If
 * Kconfig selects no such engine for sessions, the image contains cl_zephyr_ise_fused only as
 * KEY_ENGINE.
 */
#if defined(CONFIG_RECORDS_ENGINE_ISE) && !defined(CONFIG_RECORDS_ENGINE_ISE_FUSED)
#define KEY_ENGINE cl_zephyr_ise
#elif defined(CONFIG_RECORDS_ENGINE_ISE_VMEM) && !defined(CONFIG_RECORDS_ENGINE_ISE_FUSED)
#define KEY_ENGINE cl_zephyr_ise_vmem
#else
#define KEY_ENGINE cl_zephyr_ise_fused
#endif

static const struct cl_engine *const engines[] = {
#ifdef CONFIG_RECORDS_ENGINE_BYTE
	&cl_engine_byte,
#endif
#ifdef CONFIG_RECORDS_ENGINE_TABLE
	&cl_engine_table,
#endif
#ifdef CONFIG_RECORDS_ENGINE_ISE
	&cl_zephyr_ise,
#endif
#ifdef CONFIG_RECORDS_ENGINE_ISE_FUSED
	&cl_zephyr_ise_fused,
#endif
#ifdef CONFIG_RECORDS_ENGINE_ISE_VMEM
	&cl_zephyr_ise_vmem,
#endif
#ifdef CONFIG_RECORDS_ENGINE_ACCELERATOR
	&cl_zephyr_accelerator,
#endif
};
BUILD_ASSERT(APP_MAX_DATA % CL_BLOCK_BYTES == 0, "RECORDS_MAX_DATA: choose a multiple of 16");
BUILD_ASSERT(ARRAY_SIZE(engines) > 0, "RECORDS_ENGINE_*: choose one at least");

static int draw(void *context, uint32_t *words, size_t count)
{
	ARG_UNUSED(context);
	return cl_zephyr_random_read(words, count);
}

/**
 * True if memory must be zeroized because it can contain parts of keys. This is the case after a
 * session with a key was closed, after a key was refused, and after the board restarted.
 */
static atomic_t forgets = ATOMIC_INIT(true);

/**
 * Asks the threads that handle records to zeroize the memory that they have used. Each thread does
 * this before it takes its next record.
 */
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
	.board = DT_PROP(APP_BOARD, board_name),
	.firmware = "zephyr",
	.kind = DT_PROP(APP_BOARD, simulated) ? CL_WIRE_KIND_SIM : CL_WIRE_KIND_BOARD,
	.max_data = APP_MAX_DATA,
	.clock_hz = APP_CLOCK_HZ,
	.rx_window = CONFIG_RECORDS_RX_WINDOW,
	.session_idle_cycles = APP_SESSION_IDLE_CYCLES,
	.streams = &streams,
	.identity = &KEY_ENGINE,
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
	static uint32_t logged;
	const uint32_t opened = service.sessions.opened;
	const bool new = opened != logged;

	logged = opened;
	(void)k_mutex_unlock(&lock);
	if (new) {
		LOG_INF("session %u opened", opened);
	}
}

int app_init(void)
{
	return cl_service_init(&service, &app_platform);
}

void app_erase(void)
{
	if (atomic_set(&forgets, false)) {
		const uint32_t begin = cl_soc_cycles(NULL);

		records_forget();
		cl_soc_forget();
		cl_service_spend(app_lock(), cl_soc_cycles(NULL) - begin);
		app_unlock();
	}
}

size_t app_handle(struct cl_link *link, uint8_t *record, size_t len)
{
	len = cl_service_handle(app_lock(), link, record, len, record, APP_RECORD_MAX);
	app_unlock();
	return len;
}
