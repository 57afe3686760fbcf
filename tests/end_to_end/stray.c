/**
 * @file
 * Firmware for test_loader.py that writes wherever it can: over its own code, over the loader's
 * code, and into the registers that lock it. At each start it first sends a byte, so that the test
 * notices the start. At the end it does what it was compiled for: with HANGS it hangs; otherwise it
 * feeds the watchdog but serves nobody.
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
				i << 1; /* any value that does not feed the watchdog */
		}
#ifndef HANGS
		loader_feed_write(1);
#endif
	}
}
