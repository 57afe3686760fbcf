/**
 * @file
 * The board's SDRAM, for what does not fit on chip. It is set up and tested before the kernel sets
 * its own objects up; where that fails it is not used, and what is asked for here is not there.
 *
 * The CPU's data cache holds it as it does SRAM. The accelerator's DMA and the vector unit's loads
 * and stores do not reach it: the crypto devices take data there by way of copies and of the CPU.
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
 * Places a variable there: not initialised, not even zero; 16-byte aligned. An application that has
 * such a variable is halted before its threads run where the memory does not work, unless
 * CONFIG_CIPHERLANE_SDRAM_REQUIRED is off. Static k_heaps are set up before that.
 */
#define CL_SDRAM_DATA Z_GENERIC_SECTION(SDRAM) __aligned(16)

/** Defines a static thread stack there, for k_thread_create() and K_KERNEL_STACK_SIZEOF(). */
#define CL_SDRAM_STACK_DEFINE(name, size)                                                          \
	Z_KERNEL_STACK_DEFINE_IN(name, size, Z_GENERIC_SECTION(SDRAM))

/**
 * Whether the memory can be used.
 *
 * @retval 0       it can
 * @retval -EAGAIN it is not set up yet
 * @retval -ENXIO  no setting reads what was written
 * @retval -EIO    a word of those that are tested is not what was written
 * @retval -EFAULT two addresses are one
 */
int cl_sdram_status(void);

/** Bytes that variables have to leave for a heap. */
#define CL_SDRAM_HEAP_MIN 1024

/**
 * The heap of all that variables leave of it (CONFIG_CIPHERLANE_SDRAM_HEAP). What it gives is not
 * zero, and what is freed there stays until something else lies in its place.
 *
 * @return the heap, or NULL where they leave less than CL_SDRAM_HEAP_MIN, and where the memory
 *         cannot be used, or not yet
 */
struct k_heap *cl_sdram_heap(void);

#endif
