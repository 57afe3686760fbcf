/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Faulty firmware for test_loader.py. It first sends a byte, so that the test notices each start.
 * Then it writes to its own code, to the loader's code in the ROM, and to the registers that lock
 * these two memories. It never answers a record. If HANGS is defined, it also does not feed the
 * watchdog.
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
