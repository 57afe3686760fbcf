/* SPDX-License-Identifier: BSD-2-Clause */
#include <cipherlane/soc.h>

#include <zephyr/kernel.h>
#include <zephyr/kernel_structs.h>
#include <zephyr/sys/sys_io.h>

#include "zeroize.h"

/* The CPU's data cache is direct-mapped. A miss loads a whole line. */
#define DCACHE_BYTES      4096u
#define DCACHE_LINE_WORDS 8u
/*
 * Size of the sentinel, a value that the kernel writes to the end of each thread's stack. No code
 * is allowed to overwrite the sentinel.
 */
#define SENTINEL_BYTES (IS_ENABLED(CONFIG_STACK_SENTINEL) ? 4u : 0u)

uint32_t cl_soc_cycles(void *context)
{
	uint32_t cycles;

	ARG_UNUSED(context);
	__asm__ volatile("csrr %0, mcycle" : "=r"(cycles));
	return cycles;
}

void cl_soc_dcache_flush(void)
{
	__asm__ volatile(".word 0x500f" : : : "memory"); /* VexRiscv's own instruction */
}

void cl_soc_drain(void)
{
	(void)sys_read32(DT_PROP(DT_NODELABEL(vector_aes0), drain_register));
}

static void erase(uintptr_t from, uintptr_t to)
{
	for (volatile uint32_t *word = (uint32_t *)from; word < (uint32_t *)to; word++) {
		*word = 0;
	}
}

__attribute__((noinline)) void cl_soc_forget(void)
{
	const volatile uint32_t *const constants =
		(const volatile uint32_t *)DT_REG_ADDR(DT_CHOSEN(zephyr_flash));
	uintptr_t stack_pointer;

	__asm__ volatile("mv %0, sp" : "=r"(stack_pointer));
	erase(k_current_get()->stack_info.start + SENTINEL_BYTES, stack_pointer);
	const unsigned int key = irq_lock();
	const uintptr_t interrupts_end = (uintptr_t)_kernel.cpus[0].irq_stack;

	erase(interrupts_end - CONFIG_ISR_STACK_SIZE, interrupts_end);
	irq_unlock(key);
	for (unsigned int i = 0; i < DCACHE_BYTES / sizeof(*constants); i += DCACHE_LINE_WORDS) {
		(void)constants[i];
	}
	cl_zeroize_registers();
}

FUNC_NORETURN void cl_soc_reset(void)
{
	sys_write32(1, DT_REG_ADDR(DT_NODELABEL(soc_reset0)));
	for (;;) {
	}
}
