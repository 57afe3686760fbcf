/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The record service on Zephyr: start and main loop.
 */
#include <zephyr/fatal.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/logging/log_ctrl.h>

#include <cipherlane/soc.h>

#include "app.h"
#include "datagrams.h"
#include "guard.h"
#include "records.h"
#include "zeroize.h"

LOG_MODULE_DECLARE(records, CONFIG_RECORDS_LOG_LEVEL);

/*
 * Maximum time for which one iteration of the main loop waits for a record. Each iteration feeds
 * the watchdog and closes idle sessions.
 */
#define TURN_MS 1000u
#define TURN    K_MSEC(MIN(TURN_MS, APP_SESSION_IDLE_CYCLES *MSEC_PER_SEC / 8 / APP_CLOCK_HZ))

/**
 * The record being handled, in memory that the accelerator can access. Its header has 24 bytes. The
 * 8 unused bytes before the header align the data after the header to 16 bytes.
 */
static struct {
	uint8_t unused[8];
	uint8_t record[CL_LINK_UART_BUFFER(APP_RECORD_MAX)];
} receive CL_SOC_IN_BUFFER;

/** Restarts the board after a fault. All sessions and their keys are lost. */
void k_sys_fatal_error_handler(unsigned int reason, const struct arch_esf *frame)
{
	ARG_UNUSED(frame);
	LOG_PANIC();
	LOG_ERR("fault %u: the board restarts", reason);
	cl_soc_reset();
}

int main(void)
{
	/* A restart does not clear the memories, so they can still contain keys. */
	cl_zeroize((void *)CL_SOC_BUFFER_BASE, CL_SOC_BUFFER_BYTES);
	int status = app_init();

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
		app_erase();
		const size_t len = records_receive(TURN);

		if (len != 0) {
			records_send(receive.record,
				     app_handle(records_link(), receive.record, len));
		}
		/*
		 * If another thread hangs while it holds the lock, app_lock() waits until the
		 * watchdog restarts the board.
		 */
		cl_service_poll(app_lock());
		app_unlock();
		guard_feed();
	}
}
