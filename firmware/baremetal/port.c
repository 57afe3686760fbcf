/* SPDX-License-Identifier: BSD-2-Clause */
#include "port.h"

#include <generated/mem.h>
#include <generated/soc.h>
#include <system.h>

#include "zeroize.h"

/*
 * Size of the CPU's data cache in bytes, and of a cache line in words. port_forget overwrites the
 * whole cache: it reads as many bytes of ROM as the cache holds, one word per line. The cache is
 * direct-mapped, and each miss loads a whole line.
 */
#define DCACHE_BYTES        4096u
#define DCACHE_LINE_WORDS   8u
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
	/*
	 * A DMA can have changed the memory. So the compiler must not reuse values that were read
	 * from memory earlier.
	 */
	__asm__ volatile("" : : : "memory");
}

void port_drain(void)
{
	/*
	 * This read bypasses the cache. It ends only after all earlier stores have reached memory.
	 */
	(void)ctrl_scratch_read();
}

__attribute__((noinline)) void port_forget(void)
{
	extern uint32_t _bss_end[];
	volatile uint32_t *stack_pointer;
	const volatile uint32_t *const constants = (const volatile uint32_t *)ROM_BASE;

	__asm__ volatile("mv %0, sp" : "=r"(stack_pointer));
	for (volatile uint32_t *word = _bss_end; word < stack_pointer; word++) {
		*word = 0;
	}
	for (unsigned int i = 0; i < DCACHE_BYTES / sizeof(*constants); i += DCACHE_LINE_WORDS) {
		(void)constants[i];
	}
	cl_zeroize_registers();
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
