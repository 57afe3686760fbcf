/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Functions of the Cipherlane SoC that the portable code in firmware/core needs.
 */
#ifndef CIPHERLANE_SOC_H
#define CIPHERLANE_SOC_H

#include <stdint.h>

#include <zephyr/devicetree.h>
#include <zephyr/toolchain.h>

/**
 * The buffer memory. The DMA and the vector unit read or write a block of 16 bytes there in one
 * access.
 */
#define CL_SOC_BUFFER       DT_NODELABEL(buffer0)
#define CL_SOC_BUFFER_BASE  DT_REG_ADDR(CL_SOC_BUFFER)
#define CL_SOC_BUFFER_BYTES DT_REG_SIZE(CL_SOC_BUFFER)

/** Places a variable in the buffer memory: 16-byte aligned and not initialised. */
#define CL_SOC_IN_BUFFER Z_GENERIC_SECTION(BUFFER) __aligned(16)

/** Returns the clock cycles since reset, modulo 2^32 (CSR mcycle). */
uint32_t cl_soc_cycles(void *context);

/** Invalidates the data cache, so that the CPU reads what a DMA wrote. */
void cl_soc_dcache_flush(void);

/** Waits until the CPU's earlier stores are in memory. */
void cl_soc_drain(void);

/**
 * Zeroizes data that earlier function calls left in memory: the calling thread's stack below the
 * caller's frame, and the interrupt stack. Then fills every line of the data cache with constants
 * from the program's memory, because even invalid lines can contain old data. Do not call this
 * function in interrupt handlers.
 */
void cl_soc_forget(void);

/** Restarts the SoC. All keys are lost. */
FUNC_NORETURN void cl_soc_reset(void);

#endif
