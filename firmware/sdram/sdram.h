/**
 * @file
 * Sets up and tests an SDRAM that LiteDRAM controls: PHY, module and memory, before any data lie
 * there.
 *
 * The port's sdram_port.h provides the commands for the module, the adjustments that the PHY needs,
 * and the addresses of both. On bare metal they come from the SoC's headers, on Zephyr from the
 * devicetree.
 */
#ifndef SDRAM_H
#define SDRAM_H

#include <stdint.h>

#include "sdram_port.h"

/**
 * Bytes from the region's start in which every bit is tested: twice the L2 cache, and enough for
 * records. They are zero after the test.
 */
#define SDRAM_TESTED_BYTES (CONFIG_L2_SIZE > 1024 ? 2u * CONFIG_L2_SIZE : 2048u)

/**
 * The part of the tested bytes that holds data. Reading the bytes after it makes the L2 cache write
 * the data back.
 */
#define SDRAM_DATA_BYTES (SDRAM_TESTED_BYTES - CONFIG_L2_SIZE)

/** Result of sdram_init(). */
struct sdram_report {
	/** 0, or the reason why the memory cannot be used: see sdram_init(). */
	int status;
	/**
	 * For each group of eight lines: the chosen setting, and the number of consecutive delays
	 * that work.
	 */
	struct {
		uint8_t bitslip;
		uint8_t delay;
		uint8_t working;
	} lanes[CL_SDRAM_LANES];
	/** After -EIO or -EFAULT: byte offset of the wrong word, and its wrong bits. */
	uint32_t offset;
	uint32_t wrong_bits;
};

/**
 * Initialises the module, finds the setting with which each group of lines reads correctly, and
 * tests the memory. It tests the data lines, every bit of the first SDRAM_TESTED_BYTES, and the
 * remaining address lines. Takes a bounded time, some milliseconds, whatever the memory answers.
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
 * Returns a name for sdram_init()'s result, at most 16 characters; for working memory, its kind.
 */
const char *sdram_name(int status);

/**
 * Writes the L2 cache's copy of the first SDRAM_DATA_BYTES back, so that zeroized data are zero in
 * the module, too.
 */
void sdram_write_back(void);

#endif
