/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Driver of the SDRAM. Initialises the SDRAM before the kernel initialises its objects. Reports the
 * result to the log or the console. All SDRAM that contains no variables becomes a heap.
 */
#define DT_DRV_COMPAT cipherlane_sdram

#include <errno.h>

#include <zephyr/device.h>
#include <zephyr/init.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/sys/printk.h>

#include <cipherlane/sdram.h>

#include "sdram.h"

LOG_MODULE_REGISTER(cipherlane_sdram, CONFIG_CIPHERLANE_LOG_LEVEL);

/* Prints a message to the log, or to the console if there is no log. */
#define TELL(level, ...)                                                                           \
	do {                                                                                       \
		if (IS_ENABLED(CONFIG_LOG)) {                                                      \
			LOG_##level(__VA_ARGS__);                                                  \
		} else {                                                                           \
			printk(__VA_ARGS__);                                                       \
			printk("\n");                                                              \
		}                                                                                  \
	} while (0)

/*
 * The driver initialises the SDRAM before the kernel initialises its own objects, because one of
 * these objects, a k_heap, can be in the SDRAM.
 */
#define PRIORITY 0
BUILD_ASSERT(PRIORITY < CONFIG_KERNEL_INIT_PRIORITY_OBJECTS, "set up before the kernel's objects");

/* Symbols that the linker defines: the end address and the size of the variables in the SDRAM. */
extern char __SDRAM_end[], __SDRAM_size[];

static struct sdram_report report;
static int status = -EAGAIN; /* until init() sets it */

int cl_sdram_status(void)
{
	return status;
}

#ifdef CONFIG_CIPHERLANE_SDRAM_HEAP
static struct k_heap heap;

static size_t bytes_left(void)
{
	return CL_SDRAM_BASE + CL_SDRAM_BYTES - (uintptr_t)__SDRAM_end;
}

struct k_heap *cl_sdram_heap(void)
{
	return status == 0 && bytes_left() >= CL_SDRAM_HEAP_MIN ? &heap : NULL;
}

static void create_heap(void)
{
	if (bytes_left() >= CL_SDRAM_HEAP_MIN) {
		k_heap_init(&heap, __SDRAM_end, bytes_left());
	}
}
#else
static void create_heap(void)
{
}
#endif

static int init(const struct device *device)
{
	ARG_UNUSED(device);
	status = sdram_init(&report);
	if (status == 0) {
		create_heap();
	}
	return status;
}

DEVICE_DT_INST_DEFINE(0, init, NULL, NULL, NULL, PRE_KERNEL_1, PRIORITY, NULL);

/** Reports the result of the initialisation. Runs as soon as there is a console. */
static int tell(void)
{
	if (status == 0) {
		TELL(INF, "SDRAM: %s, %u KB at 0x%x", sdram_name(0),
		     (unsigned int)(CL_SDRAM_BYTES / 1024), (unsigned int)CL_SDRAM_BASE);
		return 0;
	}
	TELL(ERR, "%s: not used (status %d, offset 0x%x, wrong bits 0x%x)", sdram_name(status),
	     status, (unsigned int)report.offset, (unsigned int)report.wrong_bits);
	if ((uintptr_t)__SDRAM_size != 0 && IS_ENABLED(CONFIG_CIPHERLANE_SDRAM_REQUIRED)) {
		TELL(ERR, "%u bytes of the application lie there: it does not start",
		     (unsigned int)(uintptr_t)__SDRAM_size);
		k_panic();
	}
	return status;
}

SYS_INIT(tell, PRE_KERNEL_2, 0);
