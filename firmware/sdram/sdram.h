/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Initialises and tests an SDRAM that LiteDRAM controls: its PHY, module and memory. Call it before
 * the SDRAM holds any data.
 *
 * The port's sdram_port.h provides the commands for the module, the adjustments that the PHY needs,
 * and the addresses of the registers and the memory. On bare metal they come from the SoC's
 * headers, on Zephyr from the devicetree.
 */
#ifndef SDRAM_H
#define SDRAM_H

#include <stdint.h>

#include "sdram_port.h"

/**
 * Number of bytes, from the start of the memory, in which every bit is tested. They are twice the
 * size of the L2 cache, and enough for records. After the test they are zero.
 */
#define SDRAM_TESTED_BYTES (CONFIG_L2_SIZE > 1024 ? 2u * CONFIG_L2_SIZE : 2048u)

/**
 * Number of tested bytes that a program may use for data. The tested bytes after them stay unused:
 * reading them makes the L2 cache write the data back to the memory.
 */
#define SDRAM_DATA_BYTES (SDRAM_TESTED_BYTES - CONFIG_L2_SIZE)

/** Result of sdram_init(). */
struct sdram_report {
	/** 0, or the reason why the memory cannot be used: a result of sdram_init(). */
	int status;
	/**
	 * For each group of eight lines: the setting that was chosen, and the number of consecutive
	 * delays that work.
	 */
	struct {
		uint8_t bitslip;
		uint8_t delay;
		uint8_t working;
	} lanes[CL_SDRAM_LANES];
	/** After -EIO or -EFAULT: byte offset of the wrong word, and a mask of its wrong bits. */
	uint32_t offset;
	uint32_t wrong_bits;
};

/**
 * Initialises the module, finds the setting with which each group of lines reads correctly, and
 * tests the memory. It tests the data lines, every bit of the first SDRAM_TESTED_BYTES, and the
 * remaining address lines. It ends after some milliseconds, even if the memory is broken.
 *
 * @param[out] report result and details
 * @retval 0       the memory can be used
 * @retval -ENXIO  a group of lines reads correctly with no setting
 * @retval -EIO    a word of the tested bytes differs from what was written
 * @retval -EFAULT two addresses reach the same word: the module is smaller than configured, or a
 *                 line is broken
 */
int sdram_init(struct sdram_report *report);

/**
 * Returns a text for a result of sdram_init(), at most 16 characters. For 0, it is the kind of the
 * memory.
 */
const char *sdram_name(int status);

/**
 * Writes modified data of the first SDRAM_DATA_BYTES from the L2 cache to the memory. So data that
 * were zeroized in the cache are also zero in the memory.
 */
void sdram_write_back(void);

#endif
