#include "port.h"

#include <generated/soc.h>
#include <system.h>

#define UART_TIMEOUT_CYCLES (CONFIG_CLOCK_FREQUENCY / 10)

uint32_t port_cycles(void *context)
{
	uint32_t cycles;

	(void)context;
	__asm__ volatile("csrr %0, mcycle" : "=r"(cycles));
	return cycles;
}

void port_dcache_flush(void)
{
	flush_cpu_dcache();
	__asm__ volatile("" : : : "memory"); /* what was read before may have changed */
}

void port_drain(void)
{
	(void)ctrl_scratch_read(); /* not cached, and behind the stores on the same bus */
}

void port_uart_put(void *context, const uint8_t *bytes, size_t size)
{
	(void)context;
	for (size_t i = 0; i < size; i++) {
		if (uart_txfull_read()) {
			uint32_t start = port_cycles(NULL);

			while (uart_txfull_read()) {
				if (port_cycles(NULL) - start > UART_TIMEOUT_CYCLES) {
					return;
				}
			}
		}
		uart_rxtx_write(bytes[i]);
	}
}

void port_trap(uint32_t cause, uint32_t address)
{
	(void)cause;
	(void)address;
	ctrl_reset_write(1);
	for (;;) {
	}
}
