/* SPDX-License-Identifier: BSD-2-Clause */
#include "sdram.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "cl_dfii.h"

/*
 * Clock cycles to wait after each command. This is long enough for every command, its data, and the
 * activation of a row in any supported memory.
 */
#define COMMAND_CYCLES 64u
/*
 * Number of random patterns with which each setting of the PHY is tested. A setting works if the
 * memory returns all these patterns correctly.
 */
#define TRIALS     8u
#define LINE_BYTES 32u /* length of a line of the CPU's data cache in bytes */
#define WORDS      (CL_SDRAM_PHASES * CL_SDRAM_PHASE_WORDS)
#define ALL_BANKS  0x400u /* A10 of a precharge */
#if CL_SDRAM_PHASES > 1
#define PHASE_BYTES (CSR_SDRAM_DFII_PI1_COMMAND_ADDR - CSR_SDRAM_DFII_PI0_COMMAND_ADDR)
#else
#define PHASE_BYTES 0u
#endif

/*
 * The initialisation is a list of steps. A step is an array of STEP_WORDS words, and the other
 * constants are the indices of these words. STEP_IS_COMMAND: 1 if the step issues a command, 0 if
 * it writes dfii_control. STEP_BITS: the bits to write. STEP_ADDRESS, STEP_BANK: address and bank
 * of the command. STEP_CYCLES: clock cycles to wait after the step.
 */
enum {
	STEP_IS_COMMAND,
	STEP_BITS,
	STEP_ADDRESS,
	STEP_BANK,
	STEP_CYCLES,
	STEP_WORDS
};

static const uint32_t steps[] = CL_SDRAM_STEPS;

static void wait(uint32_t cycles)
{
	const uint32_t start = port_cycles(NULL);

	while (port_cycles(NULL) - start < cycles) {
	}
}

/**
 * Issues one command in phase number @p phase of a system clock cycle. A PHY with several phases
 * can send one command in each phase.
 */
static void command(unsigned int phase, uint32_t bits, uint32_t address, uint32_t bank)
{
	const unsigned long offset = phase * PHASE_BYTES;

	csr_write_simple(address, CSR_SDRAM_DFII_PI0_ADDRESS_ADDR + offset);
	csr_write_simple(bank, CSR_SDRAM_DFII_PI0_BADDRESS_ADDR + offset);
	csr_write_simple(bits, CSR_SDRAM_DFII_PI0_COMMAND_ADDR + offset);
	csr_write_simple(1, CSR_SDRAM_DFII_PI0_COMMAND_ISSUE_ADDR + offset);
}

static void initialise(void)
{
	/*
	 * Write 0 to dfii_control: the CPU then controls the memory, the memory's reset is active,
	 * and its clock is disabled.
	 */
	sdram_dfii_control_write(0);
	wait(CL_SDRAM_RESET_CYCLES);
	for (unsigned int i = 0; i < sizeof(steps) / sizeof(steps[0]); i += STEP_WORDS) {
		const uint32_t *const step = &steps[i];

		if (step[STEP_IS_COMMAND] != 0) {
			command(0, step[STEP_BITS], step[STEP_ADDRESS], step[STEP_BANK]);
		} else {
			sdram_dfii_control_write(step[STEP_BITS]);
		}
		wait(step[STEP_CYCLES]);
	}
}

/*
 * From here to the matching #else, the code adjusts the timing of the PHY. This is possible only if
 * software can read the memory's data from registers of the PHY.
 */
#if CL_SDRAM_SHOWN_PHASES > 0
static const uint32_t lane_bits[CL_SDRAM_LANES] = CL_SDRAM_LANE_BITS;

/**
 * Returns the address of the register for word @p n of the data that a command reads or writes.
 * @p base is the address of the register that contains word 0.
 */
static unsigned long word_address(unsigned long base, unsigned int n)
{
	return base + n / CL_SDRAM_PHASE_WORDS * PHASE_BYTES + n % CL_SDRAM_PHASE_WORDS * 4;
}

static uint32_t xorshift(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

#ifdef CSR_DDRPHY_BASE
#define ALL_LANES ((1u << CL_SDRAM_LANES) - 1)

/** Sets the read delay and the bit slip of one group of eight data lines. */
static void set(unsigned int lane, unsigned int bitslip, unsigned int delay)
{
	ddrphy_dly_sel_write(1u << lane);
	ddrphy_rdly_dq_rst_write(1);
	ddrphy_rdly_dq_bitslip_rst_write(1);
	for (unsigned int i = 0; i < delay; i++) {
		ddrphy_rdly_dq_inc_write(1);
	}
	for (unsigned int i = 0; i < bitslip; i++) {
		ddrphy_rdly_dq_bitslip_write(1);
	}
	/*
	 * Select all groups of data lines, then deselect all of them with a single write. So the
	 * read pointers of the groups stay synchronous with each other.
	 */
	ddrphy_dly_sel_write(ALL_LANES);
	ddrphy_dly_sel_write(0);
}

static void forget_bursts(void)
{
	ddrphy_burstdet_clr_write(1);
}

static bool saw_burst(unsigned int lane)
{
	return (ddrphy_burstdet_seen_read() >> lane & 1) != 0;
}
#else
static void set(unsigned int lane, unsigned int bitslip, unsigned int delay)
{
	(void)lane;
	(void)bitslip;
	(void)delay;
}

static void forget_bursts(void)
{
}

static bool saw_burst(unsigned int lane)
{
	(void)lane;
	return true;
}
#endif

/**
 * Writes words to the memory and reads them back, with commands that software issues through the
 * PHY's registers. Returns true if group @p lane of eight data lines returned the right bits.
 */
static bool reads(unsigned int lane, uint32_t seed)
{
	uint32_t state = seed;
	bool right = true;

	for (unsigned int n = 0; n < WORDS; n++) {
		csr_write_simple(xorshift(&state), word_address(CSR_SDRAM_DFII_PI0_WRDATA_ADDR, n));
	}
	command(0, CL_DFII_COMMAND_RAS | CL_DFII_COMMAND_CS, 0, 0);
	wait(COMMAND_CYCLES);
	command(CL_SDRAM_WRITE_PHASE,
		CL_DFII_COMMAND_CAS | CL_DFII_COMMAND_WE | CL_DFII_COMMAND_CS |
			CL_DFII_COMMAND_WRDATA,
		0, 0);
	wait(COMMAND_CYCLES);
	forget_bursts();
	command(CL_SDRAM_READ_PHASE,
		CL_DFII_COMMAND_CAS | CL_DFII_COMMAND_CS | CL_DFII_COMMAND_RDDATA, 0, 0);
	wait(COMMAND_CYCLES);
	state = seed;
	for (unsigned int n = 0; n < CL_SDRAM_SHOWN_PHASES * CL_SDRAM_PHASE_WORDS; n++) {
		const uint32_t word =
			csr_read_simple(word_address(CSR_SDRAM_DFII_PI0_RDDATA_ADDR, n));

		right = right && ((word ^ xorshift(&state)) & lane_bits[lane]) == 0;
	}
	command(0, CL_DFII_COMMAND_RAS | CL_DFII_COMMAND_WE | CL_DFII_COMMAND_CS, ALL_BANKS, 0);
	wait(COMMAND_CYCLES);
	return right && saw_burst(lane);
}

static bool works(unsigned int lane, unsigned int bitslip, unsigned int delay)
{
	uint32_t state = 1;

	set(lane, bitslip, delay);
	for (unsigned int i = 0; i < TRIALS; i++) {
		if (!reads(lane, xorshift(&state))) {
			return false;
		}
	}
	return true;
}

/**
 * Finds the best read setting for one group of eight data lines. For each bit slip, tests all
 * delays in ascending order. Selects the middle of the longest sequence of delays that work.
 */
static int level(unsigned int lane, struct sdram_report *report)
{
	report->lanes[lane].working = 0;
	for (unsigned int bitslip = 0; bitslip < CL_SDRAM_BITSLIPS; bitslip++) {
		unsigned int row = 0;

		for (unsigned int delay = 0; delay < CL_SDRAM_DELAYS; delay++) {
			row = works(lane, bitslip, delay) ? row + 1 : 0;
			if (row > report->lanes[lane].working) {
				report->lanes[lane].working = (uint8_t)row;
				report->lanes[lane].bitslip = (uint8_t)bitslip;
				report->lanes[lane].delay = (uint8_t)(delay - row / 2);
			}
		}
	}
	if (report->lanes[lane].working == 0) {
		return -ENXIO;
	}
	set(lane, report->lanes[lane].bitslip, report->lanes[lane].delay);
	return 0;
}

static int level_all(struct sdram_report *report)
{
	int status = 0;

	for (unsigned int lane = 0; lane < CL_SDRAM_LANES; lane++) {
		const int levelled = level(lane, report);

		status = status != 0 ? status : levelled;
	}
	return status;
}
#else
static int level_all(struct sdram_report *report)
{
	(void)report;
	return 0;
}
#endif

static uint32_t *word_at(uint32_t offset)
{
	return (uint32_t *)(MAIN_RAM_BASE + offset);
}

static uint32_t one_line(uint32_t offset)
{
	return 1u << (offset / 4 % 32);
}

static uint32_t all_but_one(uint32_t offset)
{
	return ~one_line(offset);
}

/**
 * Returns the test pattern for the word at @p offset. The patterns of neighbouring words differ in
 * the low half and in the high half.
 */
static uint32_t own_address(uint32_t offset)
{
	return offset * 0x10001u ^ 0x5A5AA5A5u;
}

static uint32_t nothing(uint32_t offset)
{
	(void)offset;
	return 0;
}

static int check(struct sdram_report *report, uint32_t offset, uint32_t expected, int error)
{
	report->offset = offset;
	report->wrong_bits = *(volatile uint32_t *)word_at(offset) ^ expected;
	return report->wrong_bits == 0 ? 0 : error;
}

/**
 * Writes every word of the first SDRAM_TESTED_BYTES, then reads and checks them all. These bytes
 * are at least twice the size of the L2 cache, so every word is read from the memory and not from
 * the cache.
 */
static int test_words(uint32_t (*pattern)(uint32_t offset), struct sdram_report *report)
{
	int status = 0;

	for (uint32_t offset = 0; offset < SDRAM_TESTED_BYTES; offset += 4) {
		*(volatile uint32_t *)word_at(offset) = pattern(offset);
	}
	port_dcache_flush();
	for (uint32_t offset = 0; offset < SDRAM_TESTED_BYTES && status == 0; offset += 4) {
		status = check(report, offset, pattern(offset), -EIO);
	}
	return status;
}

/**
 * Tests the address lines that select the bytes after SDRAM_TESTED_BYTES. Writes a word at offset
 * 0. For each of these address lines, also writes a word at the offset in which only the bit of
 * this line is 1. Then reads and checks all words. The words share one line of the L2 cache, so
 * every read comes from the memory.
 */
static int test_addresses(struct sdram_report *report)
{
	int status = 0;

	*(volatile uint32_t *)word_at(0) = own_address(0);
	for (uint32_t offset = SDRAM_TESTED_BYTES; offset < MAIN_RAM_SIZE; offset *= 2) {
		*(volatile uint32_t *)word_at(offset) = own_address(offset / SDRAM_TESTED_BYTES);
	}
	port_dcache_flush();
	status = check(report, 0, own_address(0), -EFAULT);
	for (uint32_t offset = SDRAM_TESTED_BYTES; offset < MAIN_RAM_SIZE && status == 0;
	     offset *= 2) {
		status = check(report, offset, own_address(offset / SDRAM_TESTED_BYTES), -EFAULT);
	}
	return status;
}

int sdram_init(struct sdram_report *report)
{
	uint32_t (*const patterns[])(uint32_t) = {one_line, all_but_one, own_address};
	int status;

	memset(report, 0, sizeof(*report));
	initialise();
	status = level_all(report);
	/* From this write on, LiteDRAM's controller controls the memory. Before, the CPU did. */
	sdram_dfii_control_write(CL_DFII_CONTROL_SEL);
	for (unsigned int i = 0; i < sizeof(patterns) / sizeof(patterns[0]) && status == 0; i++) {
		status = test_words(patterns[i], report);
	}
	if (status == 0) {
		status = test_addresses(report);
	}
	if (status == 0) {
		status = test_words(nothing, report);
	}
	report->status = status;
	return status;
}

const char *sdram_name(int status)
{
	switch (status) {
	case 0:
		return CL_SDRAM_KIND;
	case -ENXIO:
		return "SDRAM: no reads";
	case -EIO:
		return "SDRAM: bad data";
	default:
		return "SDRAM: bad lines";
	}
}

void sdram_write_back(void)
{
	const volatile uint32_t *const lines = (const volatile uint32_t *)MAIN_RAM_BASE;

	port_dcache_flush();
	for (uint32_t offset = SDRAM_DATA_BYTES; offset < SDRAM_TESTED_BYTES;
	     offset += LINE_BYTES) {
		(void)lines[offset / 4];
	}
}
