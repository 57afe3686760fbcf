/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The board's SDRAM, for data that do not fit on chip. It is initialised and tested before the
 * kernel initialises its own objects. If the test fails, there is no heap in the memory, and
 * variables in it must not be used.
 *
 * The CPU's data cache caches it like SRAM. The accelerator's DMA and the vector unit's loads and
 * stores cannot access it. The crypto devices accept data in it, but more slowly: they copy the
 * data, or use the CPU's loads and stores.
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
 * Places a variable in the SDRAM: 16-byte aligned and not initialised, not even to zero. If the
 * memory does not work, an application with such a variable is halted before its threads run,
 * unless CONFIG_CIPHERLANE_SDRAM_REQUIRED is off. The kernel initialises static k_heaps before this
 * halt.
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
 * @retval 0       it can
 * @retval -EAGAIN it is not set up yet
 * @retval -ENXIO  reads return wrong data with every setting
 * @retval -EIO    a tested word differs from what was written
 * @retval -EFAULT two addresses access the same word
 */
int cl_sdram_status(void);

/** Least number of bytes that variables must leave free for a heap. */
#define CL_SDRAM_HEAP_MIN 1024

/**
 * Returns a heap of all SDRAM that variables leave free (CONFIG_CIPHERLANE_SDRAM_HEAP). Its blocks
 * are not zeroed when they are allocated, nor when they are freed.
 *
 * @return the heap; NULL if variables leave less than CL_SDRAM_HEAP_MIN, or if the memory does not
 *         work or is not set up yet
 */
struct k_heap *cl_sdram_heap(void);

#endif
