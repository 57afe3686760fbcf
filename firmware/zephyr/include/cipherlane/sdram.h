/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The board's SDRAM, for data that do not fit on chip. The driver initialises and tests it before
 * the kernel initialises its own objects. If the test fails, there is no heap in the SDRAM, and the
 * application must not use variables in the SDRAM.
 *
 * The CPU's data cache caches the SDRAM like SRAM. The accelerator's DMA and the vector unit's
 * loads and stores cannot access the SDRAM. The crypto devices accept data in SDRAM but process
 * them more slowly: they copy the data, or use the CPU's loads and stores.
 */
#ifndef CIPHERLANE_SDRAM_H
#define CIPHERLANE_SDRAM_H

#include <zephyr/devicetree.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/util.h>
#include <zephyr/toolchain.h>

BUILD_ASSERT(IS_ENABLED(CONFIG_CIPHERLANE_SDRAM),
	     "without its driver nothing there answers rightly");

#define CL_SDRAM_CONTROLLER DT_INST(0, cipherlane_sdram)
#define CL_SDRAM            DT_PHANDLE(CL_SDRAM_CONTROLLER, memory)
#define CL_SDRAM_BASE       DT_REG_ADDR(CL_SDRAM)
#define CL_SDRAM_BYTES      DT_REG_SIZE(CL_SDRAM)

/**
 * Places a variable in the SDRAM, aligned to 16 bytes. The variable is not initialised, not even to
 * zero. If the SDRAM does not work, an application with such a variable halts before its threads
 * run, unless CONFIG_CIPHERLANE_SDRAM_REQUIRED=n.
 *
 * Even if the SDRAM does not work, the kernel initialises static k_heaps in the SDRAM.
 */
#define CL_SDRAM_DATA Z_GENERIC_SECTION(SDRAM) __aligned(16)

/**
 * Defines a static thread stack in the SDRAM. Use it with k_thread_create() and
 * K_KERNEL_STACK_SIZEOF().
 */
#define CL_SDRAM_STACK_DEFINE(name, size)                                                          \
	Z_KERNEL_STACK_DEFINE_IN(name, size, Z_GENERIC_SECTION(SDRAM))

/**
 * Returns whether the memory can be used.
 *
 * @retval 0       it can be used
 * @retval -EAGAIN the driver has not initialised it yet
 * @retval -ENXIO  reads return wrong data with every setting
 * @retval -EIO    a tested word differs from what was written
 * @retval -EFAULT two addresses access the same word
 */
int cl_sdram_status(void);

/** Minimum number of free bytes in the SDRAM for which the driver makes a heap. */
#define CL_SDRAM_HEAP_MIN 1024

/**
 * Returns the heap in the SDRAM (CONFIG_CIPHERLANE_SDRAM_HEAP). The heap consists of all SDRAM that
 * contains no variables. Allocating or freeing a block does not set its bytes to zero.
 *
 * @return the heap; NULL if fewer than CL_SDRAM_HEAP_MIN bytes are free, or if the SDRAM does not
 *         work or is not initialised yet
 */
struct k_heap *cl_sdram_heap(void);

#endif
