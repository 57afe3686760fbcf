#include <cipherlane/soc.h>

#include <zephyr/kernel.h>
#include <zephyr/sys/sys_io.h>

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

FUNC_NORETURN void cl_soc_reset(void)
{
	sys_write32(1, DT_REG_ADDR(DT_NODELABEL(soc_reset0)));
	for (;;) {
	}
}
