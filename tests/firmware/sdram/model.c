/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Runs sdram.c on the host, with models of a PHY and a memory module: `model LANES FAULT ARGUMENT`.
 *
 * LANES is `bitslip:first:last` for each group of data lines, separated by commas. With this
 * bitslip and a delay from `first` to `last`, the group reads back the data that were written. With
 * other settings, the group reads back the inverted data. FAULT is `none`, `stuck` (bit 5 of the
 * word at offset ARGUMENT is 0), `small` (address line ARGUMENT has no effect) or `bursts` (bursts
 * of group ARGUMENT are never seen). The program prints each step of the module's initialisation
 * with its cycle, then the findings of sdram_init().
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sdram.h"

#include <generated/csr.h>

#define WORDS (CL_SDRAM_PHASES * CL_SDRAM_PHASE_WORDS)

struct window {
	unsigned int bitslip, first, last;
};

static struct window windows[CL_SDRAM_LANES];
static unsigned int bitslips[CL_SDRAM_LANES], delays[CL_SDRAM_LANES];
static const uint32_t lane_bits[CL_SDRAM_LANES] = CL_SDRAM_LANE_BITS;
static uint32_t registers[64], module_words[WORDS];
static uint32_t cycles, selected, bursts;
static int row_is_open;
static uint8_t *memory;
static const char *fault;
static unsigned long argument;

uint32_t port_cycles(void *context)
{
	(void)context;
	return cycles++;
}

void port_dcache_flush(void)
{
	if (strcmp(fault, "stuck") == 0) {
		memory[argument] &= (uint8_t)~0x20;
	}
}

uintptr_t model_memory(void)
{
	return (uintptr_t)memory;
}

static uint32_t *pad(unsigned int phase, unsigned int offset)
{
	return &registers[(phase * MODEL_PHASE_BYTES + offset) / 4];
}

/**
 * Returns the register of the PHY for data word @p n of a write or read burst. Each phase of the
 * PHY transfers CL_SDRAM_PHASE_WORDS words, and has a register for each word. @p offset is the byte
 * offset of the first of these registers within the registers of a phase.
 */
static uint32_t *word_pad(unsigned int n, unsigned int offset)
{
	return pad(n / CL_SDRAM_PHASE_WORDS, offset + n % CL_SDRAM_PHASE_WORDS * 4);
}

static void issue(unsigned int phase)
{
	const uint32_t bits = *pad(phase, MODEL_COMMAND), address = *pad(phase, MODEL_ADDRESS);
	const uint32_t kind = bits & 15;

	/* The model executes the commands that the driver uses for levelling: activate, precharge
	 * of the open row, write and read. The model prints the commands of the initialisation, and
	 * refuses all other commands. */
	if (kind != 3 && kind != 13 && kind != 15 && (kind != 11 || row_is_open)) {
		if (kind == (8 | 1)) {
			row_is_open = 1;
		} else if (kind == (8 | 2 | 1)) {
			row_is_open = 0;
		} else if (bits == (4 | 2 | 1 | 16) && phase == CL_SDRAM_WRITE_PHASE &&
			   row_is_open) {
			for (unsigned int n = 0; n < WORDS; n++) {
				module_words[n] = *word_pad(n, MODEL_WRDATA);
			}
		} else if (bits == (4 | 1 | 32) && phase == CL_SDRAM_READ_PHASE && row_is_open) {
			for (unsigned int n = 0; n < WORDS; n++) {
				uint32_t *const word = word_pad(n, MODEL_RDDATA);

				*word = module_words[n];
				for (unsigned int lane = 0; lane < CL_SDRAM_LANES; lane++) {
					if (bitslips[lane] != windows[lane].bitslip ||
					    delays[lane] < windows[lane].first ||
					    delays[lane] > windows[lane].last) {
						*word ^= lane_bits[lane];
					}
				}
			}
			bursts = strcmp(fault, "bursts") == 0 ? ~(1u << argument) : ~0u;
		} else {
			printf("refused %u %u\n", bits, phase);
		}
		return;
	}
	printf("step %u 1 %u %u %u\n", cycles, bits, address, *pad(phase, MODEL_BANK));
}

void csr_write_simple(uint32_t value, unsigned long address)
{
	cycles += 4;
	if (address < 2 * MODEL_PHASE_BYTES) {
		registers[address / 4] = value;
		if (address % MODEL_PHASE_BYTES == MODEL_ISSUE) {
			issue((unsigned int)(address / MODEL_PHASE_BYTES));
		}
	}
}

uint32_t csr_read_simple(unsigned long address)
{
	cycles += 4;
	return registers[address / 4];
}

void sdram_dfii_control_write(uint32_t value)
{
	printf("step %u 0 %u 0 0\n", cycles, value);
}

void ddrphy_dly_sel_write(uint32_t value)
{
	selected = value;
}

#define EACH_SELECTED(statement)                                                                   \
	for (unsigned int lane = 0; lane < CL_SDRAM_LANES; lane++) {                               \
		if (selected >> lane & 1) {                                                        \
			statement;                                                                 \
		}                                                                                  \
	}

void ddrphy_rdly_dq_rst_write(uint32_t value)
{
	(void)value;
	EACH_SELECTED(delays[lane] = 0)
}

void ddrphy_rdly_dq_inc_write(uint32_t value)
{
	(void)value;
	EACH_SELECTED(delays[lane] = (delays[lane] + 1) % CL_SDRAM_DELAYS)
}

void ddrphy_rdly_dq_bitslip_rst_write(uint32_t value)
{
	(void)value;
	EACH_SELECTED(bitslips[lane] = 0)
}

void ddrphy_rdly_dq_bitslip_write(uint32_t value)
{
	(void)value;
	EACH_SELECTED(bitslips[lane] = (bitslips[lane] + 1) % CL_SDRAM_BITSLIPS)
}

void ddrphy_burstdet_clr_write(uint32_t value)
{
	(void)value;
	bursts = 0;
}

uint32_t ddrphy_burstdet_seen_read(void)
{
	return bursts;
}

/**
 * Maps the memory of the module. With the fault `small`, an address line has no effect. Two
 * addresses that differ only in this line then lead to the same page of a file.
 */
static uint8_t *create_memory(void)
{
	const int file = memfd_create("sdram", 0);
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t line = strcmp(fault, "small") == 0 ? (size_t)1 << argument : 0;

	if (file < 0 || ftruncate(file, MAIN_RAM_SIZE) != 0) {
		exit(2);
	}
	uint8_t *const base =
		mmap(NULL, MAIN_RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	for (size_t at = line; line != 0 && at < MAIN_RAM_SIZE; at += page) {
		if ((at & line) != 0 &&
		    mmap(base + at, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
			 (off_t)(at & ~line)) == MAP_FAILED) {
			exit(2);
		}
	}
	return base;
}

int main(int count, char **arguments)
{
	struct sdram_report report;

	if (count != 4) {
		return 2;
	}
	fault = arguments[2];
	argument = strtoul(arguments[3], NULL, 0);
	char *text = arguments[1];

	for (unsigned int lane = 0; lane < CL_SDRAM_LANES; lane++, text++) {
		windows[lane].bitslip = (unsigned int)strtoul(text, &text, 10);
		windows[lane].first = (unsigned int)strtoul(text + 1, &text, 10);
		windows[lane].last = (unsigned int)strtoul(text + 1, &text, 10);
	}
	memory = create_memory();
	memset(memory, 0xA5, SDRAM_TESTED_BYTES);
	const int status = sdram_init(&report);
	unsigned int left = 0;

	for (unsigned int i = 0; i < SDRAM_TESTED_BYTES; i++) {
		left += memory[i] != 0;
	}
	for (unsigned int lane = 0; lane < CL_SDRAM_LANES; lane++) {
		printf("lane %u %u %u set %u %u\n", report.lanes[lane].bitslip,
		       report.lanes[lane].delay, report.lanes[lane].working, bitslips[lane],
		       delays[lane]);
	}
	printf("end %u status %d offset %u bits %u left %u name %s\n", cycles, status,
	       report.offset, report.wrong_bits, left, sdram_name(status));
	return 0;
}
