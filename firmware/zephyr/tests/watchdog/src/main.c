/* SPDX-License-Identifier: BSD-2-Clause */
/* The watchdog must expire only if software stops feeding it, and must then restart the board. */
#include <errno.h>

#include <zephyr/device.h>
#include <zephyr/drivers/watchdog.h>
#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#define TIMEOUT_MS 2u
/* Value of `state` while the test waits for a restart. Unlikely to be in memory at power-on. */
#define RESTARTING 0x57415443u

static const struct device *const watchdog = DEVICE_DT_GET(DT_ALIAS(watchdog0));

static volatile unsigned int bites;
/** RESTARTING if the test has requested a restart. A restart does not change this variable. */
static __noinit uint32_t state;

static void on_bite(const struct device *device, int channel)
{
	ARG_UNUSED(device);
	ARG_UNUSED(channel);
	bites++;
}

static int install(uint32_t milliseconds, uint8_t flags)
{
	const struct wdt_timeout_cfg request = {
		.window.max = milliseconds,
		.callback = on_bite,
		.flags = flags,
	};

	return wdt_install_timeout(watchdog, &request);
}

ZTEST(watchdog, test_bites_unless_it_is_fed)
{
	bites = 0;
	zassert_equal(install(TIMEOUT_MS, WDT_FLAG_RESET_NONE), 0, "install");
	zassert_equal(wdt_setup(watchdog, 0), 0, "setup");
	for (unsigned int i = 0; i < 8; i++) {
		k_busy_wait(TIMEOUT_MS * USEC_PER_MSEC / 2);
		zassert_equal(wdt_feed(watchdog, 0), 0, "feed");
	}
	zassert_equal(bites, 0, "it bit although it was fed");
	k_busy_wait(2 * TIMEOUT_MS * USEC_PER_MSEC);
	zassert_equal(bites, 1, "it bit %u times", bites);
	zassert_equal(wdt_disable(watchdog), 0, "disable");
}

ZTEST(watchdog, test_rests_while_it_is_disabled)
{
	bites = 0;
	zassert_equal(install(TIMEOUT_MS, WDT_FLAG_RESET_NONE), 0, "install");
	zassert_equal(wdt_setup(watchdog, 0), 0, "setup");
	zassert_equal(wdt_disable(watchdog), 0, "disable");
	k_busy_wait(2 * TIMEOUT_MS * USEC_PER_MSEC);
	zassert_equal(bites, 0, "it bit");
}

ZTEST(watchdog, test_refusals)
{
	const struct wdt_timeout_cfg window = {.window = {.min = 1, .max = 2}};

	zassert_equal(wdt_install_timeout(watchdog, &window), -EINVAL, "a lower bound");
	zassert_equal(install(0, WDT_FLAG_RESET_SOC), -EINVAL, "no time");
	zassert_equal(install(UINT32_MAX, WDT_FLAG_RESET_SOC), -EINVAL, "more than it can count");
	zassert_equal(install(TIMEOUT_MS, WDT_FLAG_RESET_CPU_CORE), -ENOTSUP, "the core alone");
	zassert_equal(wdt_setup(watchdog, 0), -EINVAL, "no timeout installed");
	zassert_equal(wdt_feed(watchdog, 0), -EINVAL, "fed before it runs");
	zassert_equal(wdt_disable(watchdog), -EFAULT, "disabled before it runs");
	zassert_equal(install(TIMEOUT_MS, WDT_FLAG_RESET_NONE), 0, "install");
	zassert_equal(install(TIMEOUT_MS, WDT_FLAG_RESET_NONE), -ENOMEM, "a second channel");
	zassert_equal(wdt_setup(watchdog, WDT_OPT_PAUSE_IN_SLEEP), -ENOTSUP, "no pause in sleep");
	zassert_equal(wdt_setup(watchdog, 0), 0, "setup");
	zassert_equal(wdt_setup(watchdog, 0), -EBUSY, "a second time");
	zassert_equal(wdt_feed(watchdog, 1), -EINVAL, "another channel");
	zassert_equal(wdt_disable(watchdog), 0, "disable");
}

/**
 * The watchdog must restart the board. This test must be the last one, because all tests run again
 * after the restart. The second time, this test passes at once.
 */
ZTEST(watchdog, test_zz_restarts_the_board)
{
	if (state == RESTARTING) {
		state = 0;
		return;
	}
	state = RESTARTING;
	bites = 0;
	zassert_equal(install(TIMEOUT_MS, WDT_FLAG_RESET_SOC), 0, "install");
	zassert_equal(wdt_setup(watchdog, 0), 0, "setup");
	k_busy_wait(4 * TIMEOUT_MS * USEC_PER_MSEC);
	state = 0;
	zassert_unreachable("no restart, %u bites", bites);
}

ZTEST_SUITE(watchdog, NULL, NULL, NULL, NULL, NULL);
