/* SPDX-License-Identifier: BSD-2-Clause */
#include "port.h"

#include <generated/mem.h>
#include <generated/soc.h>
#include <system.h>

/* The core's data cache is direct-mapped. A miss loads a whole line. */
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
	 * A DMA may have changed the memory, so the compiler must not reuse values that it read
	 * earlier.
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
	/*
	 * Code that is compiled for size uses few registers, so words of a key can stay in the
	 * other registers. Only registers that a function may change are cleared here: the others
	 * already contain the caller's values again.
	 */
	__asm__ volatile("li t0, 0\n\tli t1, 0\n\tli t2, 0\n\t"
			 "li t3, 0\n\tli t4, 0\n\tli t5, 0\n\tli t6, 0\n\t"
			 "li a0, 0\n\tli a1, 0\n\tli a2, 0\n\tli a3, 0\n\t"
			 "li a4, 0\n\tli a5, 0\n\tli a6, 0\n\tli a7, 0"
			 :
			 :
			 : "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0", "a1", "a2", "a3", "a4",
			   "a5", "a6", "a7");
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
