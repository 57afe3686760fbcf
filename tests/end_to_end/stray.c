/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Faulty firmware for test_loader.py. It first sends a byte, so that the test detects each start.
 * Then it writes to all addresses that it can reach: its own code, the loader's code, and the
 * registers that protect both. It never answers a record. If compiled with HANGS, it does not feed
 * the watchdog either.
 */
#include <generated/mem.h>

#include "port.h"

static void overwrite(uint32_t base, uint32_t size)
{
	volatile uint32_t *const words = (volatile uint32_t *)base;

	for (uint32_t i = 0; i < size / sizeof(*words); i++) {
		words[i] = 0x5a5a5a5a;
	}
}

int main(void)
{
	port_uart_put(NULL, (const uint8_t *)"!", 1);
	loader_lock_write(0);
	overwrite(CODE_BASE, CODE_SIZE);
	overwrite(0, ROM_SIZE);
	for (;;) {
		for (unsigned int i = 0; i < 0x800 / 4; i++) {
			((volatile uint32_t *)CSR_LOADER_BASE)[i % 2] =
				i << 1; /* a value that does not feed the watchdog */
		}
#ifndef HANGS
		loader_feed_write(1);
#endif
	}
}
