/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Initialises the PHY and the module of an SDRAM that LiteDRAM controls, and tests the memory.
 * Call sdram_init() before the SDRAM holds any data, because the test overwrites the memory.
 *
 * Bare metal and Zephyr each have an sdram_port.h. Each sdram_port.h provides the commands for the
 * module, the adjustments that the PHY needs, and the addresses of the registers and the memory. On
 * bare metal these values come from the SoC's headers, on Zephyr from the devicetree.
 */
#ifndef SDRAM_H
#define SDRAM_H

#include <stdint.h>

#include "sdram_port.h"

/**
 * Number of bytes, from the start of the memory, in which every bit is tested. This is at least
 * twice the size of the L2 cache, and at least 2,048 bytes. After the test these bytes are zero.
 */
#define SDRAM_TESTED_BYTES (CONFIG_L2_SIZE > 1024 ? 2u * CONFIG_L2_SIZE : 2048u)

/**
 * Number of bytes, from the start of the memory, that a program can use for data. The other tested
 * bytes are reserved. sdram_write_back() reads these reserved bytes, so that the L2 cache writes
 * the program's data to the memory.
 */
#define SDRAM_DATA_BYTES (SDRAM_TESTED_BYTES - CONFIG_L2_SIZE)

/** Result of sdram_init(). */
struct sdram_report {
	/** The value that sdram_init() returned. If not 0, the memory cannot be used. */
	int status;
	/**
	 * For each group of eight data lines: the chosen bit slip and read delay, and the number of
	 * consecutive delays that work.
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
 * Initialises the module, finds a setting with which each group of eight data lines reads
 * correctly, and tests the memory. The test covers the data lines, every bit of the first
 * SDRAM_TESTED_BYTES, and the address lines that select later bytes. The function returns after
 * some milliseconds, even if the memory is broken.
 *
 * @param[out] report result and details
 * @retval 0       the memory can be used
 * @retval -ENXIO  a group of data lines reads wrong data with every setting
 * @retval -EIO    a word of the tested bytes differs from what was written
 * @retval -EFAULT two addresses access the same word: the module is smaller than configured, or an
 *                 address line is broken
 */
int sdram_init(struct sdram_report *report);

/**
 * Returns a text of at most 16 characters for a result of sdram_init(). For result 0, the text
 * names the kind of memory.
 */
const char *sdram_name(int status);

/**
 * Makes the L2 cache write modified data of the first SDRAM_DATA_BYTES to the memory. After this
 * call, data that the program has zeroized are also zero in the memory.
 */
void sdram_write_back(void);

#endif
