/**
 * @file
 * SDRAM behind LiteDRAM: sets PHY and module up, and tests them, before anything lies there.
 *
 * What is to be sent to the module, what the PHY has to adjust and where both are comes from the
 * port's sdram_port.h: on bare metal from the SoC's headers, on Zephyr from the devicetree.
 */
#ifndef SDRAM_H
#define SDRAM_H

#include <stdint.h>

#include "sdram_port.h"

/** Bytes from the region's start in which every bit is tested: twice the L2 cache, and enough for
 * records. Zero afterwards. */
#define SDRAM_TESTED_BYTES (CONFIG_L2_SIZE > 1024 ? 2u * CONFIG_L2_SIZE : 2048u)

/** Of these, bytes for data: what is behind them is read to have the L2 cache write those back. */
#define SDRAM_DATA_BYTES (SDRAM_TESTED_BYTES - CONFIG_L2_SIZE)

/** What was found. */
struct sdram_report {
	/** 0, or why the memory is not to be used: see sdram_init(). */
	int status;
	/** Of each group of eight lines: the setting chosen, and how many delays in a row would do.
	 */
	struct {
		uint8_t bitslip;
		uint8_t delay;
		uint8_t working;
	} lanes[CL_SDRAM_LANES];
	/** With -EIO and -EFAULT: the byte's offset at which a word was wrong, and its wrong bits.
	 */
	uint32_t offset;
	uint32_t wrong_bits;
};

/**
 * Initialises the module, finds the setting with which each group of lines reads rightly, and tests
 * the data lines, every bit of the first SDRAM_TESTED_BYTES, and the address lines of the rest.
 * Takes a bounded time, some milliseconds, whatever the memory answers.
 *
 * @param[out] report what was found
 * @retval 0       the memory can be used
 * @retval -ENXIO  no setting of a group of lines reads what was written
 * @retval -EIO    a word of the tested bytes is not what was written
 * @retval -EFAULT two addresses are one: the module is smaller than was said, or a line is broken
 */
int sdram_init(struct sdram_report *report);

/** What sdram_init() returned, in at most 16 characters; of memory that can be used, its kind. */
const char *sdram_name(int status);

/** Writes back what the L2 cache holds of the first SDRAM_DATA_BYTES, so that what was zeroized is
 * so in the module, too. */
void sdram_write_back(void);

#endif
