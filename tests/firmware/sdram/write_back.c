/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Runs sdram_write_back() with models of two direct-mapped caches: the CPU's data cache and the L2
 * cache. The function is compiled with -fsanitize=thread, so it calls __tsan_read4() for each word
 * that it reads. __tsan_read4() updates the models. At the start, the L2 cache is full of modified
 * lines. The CPU's data cache already contains lines that the function must read. The program
 * prints the number of modified lines that were not written back.
 */
#include <stdbool.h>
#include <stdio.h>

#include "sdram.h"

#define CPU_LINE  32u
#define CPU_LINES 128u
#define L2_LINE   16u
#define L2_LINES  (CONFIG_L2_SIZE / L2_LINE)

static uint8_t memory[SDRAM_TESTED_BYTES] __attribute__((aligned(4096)));
static uint32_t held[CPU_LINES], tags[L2_LINES];
static bool valid[CPU_LINES], dirty[L2_LINES];

uintptr_t model_memory(void)
{
	return (uintptr_t)memory;
}

uint32_t port_cycles(void *context)
{
	static uint32_t cycles;

	(void)context;
	return cycles++;
}

void port_dcache_flush(void)
{
	for (unsigned int i = 0; i < CPU_LINES; i++) {
		valid[i] = false;
	}
}

void csr_write_simple(uint32_t value, unsigned long address)
{
	(void)value;
	(void)address;
}

uint32_t csr_read_simple(unsigned long address)
{
	(void)address;
	return 0;
}

void sdram_dfii_control_write(uint32_t value)
{
	(void)value;
}

static void fetch(uint32_t line)
{
	const uint32_t set = line % L2_LINES;

	if (tags[set] != line) { /* the cache writes the old line of this set back to memory */
		tags[set] = line;
		dirty[set] = false;
	}
}

static void load(uint32_t line)
{
	if (!valid[line % CPU_LINES] || held[line % CPU_LINES] != line) {
		valid[line % CPU_LINES] = true;
		held[line % CPU_LINES] = line;
		for (uint32_t n = 0; n < CPU_LINE / L2_LINE; n++) {
			fetch(line * (CPU_LINE / L2_LINE) + n);
		}
	}
}

void __tsan_init(void)
{
}

void __tsan_func_entry(void *from)
{
	(void)from;
}

void __tsan_func_exit(void)
{
}

void __tsan_write4(void *address)
{
	(void)address;
}

void __tsan_write1(void *address)
{
	(void)address;
}

void __tsan_read1(void *address)
{
	(void)address;
}

void __tsan_read4(void *address)
{
	const uintptr_t offset = (uintptr_t)address - (uintptr_t)memory;

	if (offset < sizeof(memory)) {
		load((uint32_t)offset / CPU_LINE);
	}
}

int main(void)
{
	unsigned int left = 0;

	for (uint32_t line = SDRAM_DATA_BYTES / CPU_LINE; line < SDRAM_TESTED_BYTES / CPU_LINE;
	     line++) {
		valid[line % CPU_LINES] = true;
		held[line % CPU_LINES] = line;
	}
	for (uint32_t line = 0; line < SDRAM_DATA_BYTES / L2_LINE; line++) {
		tags[line % L2_LINES] = line;
		dirty[line % L2_LINES] = true;
	}
	sdram_write_back();
	for (unsigned int i = 0; i < L2_LINES; i++) {
		left += dirty[i];
	}
	printf("%u\n", left);
	return 0;
}
