/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Driver of VexRiscv's interrupt array. CSR 0xBC0 is the interrupt mask, and CSR 0xFC0 shows the
 * pending interrupts. Both have a bit for each of the SoC's interrupts. Bit 31 of the mask enables
 * the vector AES unit. This bit is set once at the start and must not change afterwards. So this
 * driver changes the mask only by the instructions csrs and csrc, which set or clear single bits
 * and are atomic.
 */
#define DT_DRV_COMPAT cipherlane_intc

#include <zephyr/device.h>
#include <zephyr/init.h>
#include <zephyr/irq.h>
#include <zephyr/sw_isr_table.h>

#define MASK           DT_INST_REG_ADDR_BY_NAME(0, irq_mask)
#define PENDING        DT_INST_REG_ADDR_BY_NAME(0, irq_pending)
#define VECTOR_AES     BIT(31)
#define SOC_INTERRUPTS BIT_MASK(31)

void arch_irq_enable(unsigned int irq)
{
	__asm__ volatile("csrs %0, %1" : : "i"(MASK), "r"(BIT(irq)));
}

void arch_irq_disable(unsigned int irq)
{
	__asm__ volatile("csrc %0, %1" : : "i"(MASK), "r"(BIT(irq)));
}

int arch_irq_is_enabled(unsigned int irq)
{
	uint32_t mask;

	__asm__ volatile("csrr %0, %1" : "=r"(mask) : "i"(MASK));
	return (mask & BIT(irq)) != 0;
}

static void dispatch(const void *unused)
{
	uint32_t pending;
	uint32_t mask;

	ARG_UNUSED(unused);
	__asm__ volatile("csrr %0, %1" : "=r"(pending) : "i"(PENDING));
	__asm__ volatile("csrr %0, %1" : "=r"(mask) : "i"(MASK));
	for (uint32_t due = pending & mask & SOC_INTERRUPTS; due != 0; due &= due - 1) {
		const struct _isr_table_entry *const entry = &_sw_isr_table[__builtin_ctz(due)];

		entry->isr(entry->arg);
	}
}

static int init(const struct device *device)
{
	ARG_UNUSED(device);
	__asm__ volatile("csrw %0, %1" : : "i"(MASK), "r"(VECTOR_AES));
	IRQ_CONNECT(RISCV_IRQ_MEXT, 0, dispatch, NULL, 0);
	__asm__ volatile("csrs mie, %0" : : "r"(BIT(RISCV_IRQ_MEXT)));
	return 0;
}

DEVICE_DT_INST_DEFINE(0, init, NULL, NULL, NULL, PRE_KERNEL_1, CONFIG_INTC_INIT_PRIORITY, NULL);
