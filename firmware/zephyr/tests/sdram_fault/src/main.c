/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests an application that has a variable in SDRAM, on a board with broken SDRAM. The application
 * must get the error, and must still run, because CONFIG_CIPHERLANE_SDRAM_REQUIRED is off.
 */
#include <errno.h>

#include <zephyr/device.h>
#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#include <cipherlane/sdram.h>

static uint8_t data[4096] CL_SDRAM_DATA;

ZTEST(sdram_fault, test_it_is_not_there)
{
	zassert_true((uintptr_t)data >= CL_SDRAM_BASE, "linked there");
	zassert_equal(cl_sdram_status(), -ENXIO, "status");
	zassert_false(device_is_ready(DEVICE_DT_GET(DT_NODELABEL(sdram_controller0))),
		      "the device");
	zassert_is_null(cl_sdram_heap(), "the heap");
}

ZTEST_SUITE(sdram_fault, NULL, NULL, NULL, NULL, NULL);
