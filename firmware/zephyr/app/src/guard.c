/* SPDX-License-Identifier: BSD-2-Clause */
#include "guard.h"

#include <errno.h>

#include <zephyr/device.h>
#include <zephyr/drivers/watchdog.h>

static const struct device *const watchdog = DEVICE_DT_GET(DT_ALIAS(watchdog0));

int guard_init(void)
{
	const struct wdt_timeout_cfg request = {
		.window.max = CONFIG_RECORDS_WATCHDOG_MS,
		.flags = WDT_FLAG_RESET_SOC,
	};

	if (!device_is_ready(watchdog)) {
		return -ENODEV;
	}
	const int channel = wdt_install_timeout(watchdog, &request);

	return channel < 0 ? channel : wdt_setup(watchdog, 0);
}

void guard_feed(void)
{
	(void)wdt_feed(watchdog, 0);
}
