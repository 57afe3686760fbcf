/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The memory that holds the record being handled: the buffer memory, or SDRAM if the SoC has an
 * SDRAM that works.
 */
#ifndef RECORD_MEMORY_H
#define RECORD_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include <generated/mem.h>
#include <generated/soc.h>

#include "links/link_uart.h"
#include "service/service.h"

/** Maximum number of bytes of a record over the UART. */
#define RECORD_MAX CL_SERVICE_RECORD_MAX(CIPHERLANE_MAX_DATA)

/**
 * A buffer for a record. The 8 unused bytes and the record's header of 24 bytes align the record's
 * data to 16 bytes.
 */
struct receive {
	uint8_t unused[8];
	uint8_t record[CL_LINK_UART_BUFFER(RECORD_MAX)];
};

#ifdef MAIN_RAM_BASE
#include "sdram.h"

/*
 * Receive buffer in SDRAM. If an engine's hardware cannot access SDRAM, the engine copies the data
 * through a buffer in the buffer memory, or uses the CPU's loads and stores.
 */
static struct receive receive_sdram __attribute__((section(".sdram"), aligned(32)));

_Static_assert(sizeof(receive_sdram) <= SDRAM_DATA_BYTES, "tested, and zero after a restart");

/** The result of the SDRAM's test: 0 if the SDRAM works. */
static int record_sdram_status;
/*
 * True if the firmware must zeroize the memories again after the record that is arriving now. The
 * last zeroization wrote the L2 cache back to SDRAM. SDRAM can therefore contain a part of this
 * record.
 */
static bool record_again;

/**
 * Tests the SDRAM, if there is one.
 *
 * @param buffer the buffer memory's buffer
 * @param firmware receives the firmware's name, which tells the kind of memory
 * @return the buffer for records: in SDRAM if the SDRAM works, otherwise @p buffer
 */
static inline uint8_t *record_memory_init(struct receive *buffer, const char **firmware)
{
	struct sdram_report report;

	record_sdram_status = sdram_init(&report);
	*firmware = record_sdram_status == 0 ? "baremetal, " CL_SDRAM_KIND
					     : sdram_name(record_sdram_status);
	return record_sdram_status == 0 ? receive_sdram.record : buffer->record;
}

/** Returns whether the memories must be zeroized again: the record that was arriving is complete.
 */
static inline bool record_memory_again(const struct cl_link_uart *uart)
{
	return record_again && uart->decoder.length == 0;
}

/** Writes the L2 cache back to SDRAM, which removes old data from both. */
static inline void record_memory_forget(const struct cl_link_uart *uart)
{
	if (record_sdram_status == 0) {
		sdram_write_back();
		record_again = uart->decoder.length != 0;
	}
}
#else
static inline uint8_t *record_memory_init(struct receive *buffer, const char **firmware)
{
	*firmware = "baremetal";
	return buffer->record;
}

static inline bool record_memory_again(const struct cl_link_uart *uart)
{
	(void)uart;
	return false;
}

static inline void record_memory_forget(const struct cl_link_uart *uart)
{
	(void)uart;
}
#endif

#endif
