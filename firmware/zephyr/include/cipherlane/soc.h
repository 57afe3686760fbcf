/**
 * @file
 * What the portable core needs of the Cipherlane SoC.
 */
#ifndef CIPHERLANE_SOC_H
#define CIPHERLANE_SOC_H

#include <stdint.h>

#include <zephyr/devicetree.h>
#include <zephyr/toolchain.h>

/** The memory that DMA and vector unit reach in one access a block. */
#define CL_SOC_BUFFER       DT_NODELABEL(buffer0)
#define CL_SOC_BUFFER_BASE  DT_REG_ADDR(CL_SOC_BUFFER)
#define CL_SOC_BUFFER_BYTES DT_REG_SIZE(CL_SOC_BUFFER)

/** Places a variable in it: not initialised, 16-byte aligned. */
#define CL_SOC_IN_BUFFER Z_GENERIC_SECTION(BUFFER) __aligned(16)

/** Clock cycles since reset, modulo 2^32 (CSR mcycle). */
uint32_t cl_soc_cycles(void *context);

/** Invalidates the data cache, so that what a DMA wrote is read. */
void cl_soc_dcache_flush(void);

/** Waits until the CPU's earlier stores are in memory. */
void cl_soc_drain(void);

/**
 * Erases what the calling thread's calls have left: zeroizes its stack below the caller and the
 * interrupts' stack, and puts constants in the place of all that the data cache holds, stale lines
 * included. Not for interrupt handlers.
 */
void cl_soc_forget(void);

/** Restarts the SoC: every key is lost. */
FUNC_NORETURN void cl_soc_reset(void);

#endif
