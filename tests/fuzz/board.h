/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The board that the fuzzers test: the record service and its platform, in static memory.
 */
#ifndef CL_FUZZ_BOARD_H
#define CL_FUZZ_BOARD_H

#include <stdio.h>
#include <stdlib.h>

#include "aes/engines.h"
#include "links/link_udp.h"
#include "links/link_uart.h"
#include "service/service.h"
#include "streams/window.h"

#define MAX_DATA    1440u
#define BENCH_BYTES 64u
#define RECORD_MAX  CL_SERVICE_RECORD_MAX(MAX_DATA)

/** Aborts the run if the condition is false; libFuzzer then saves the current input. */
#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

static uint32_t board_clock;
static struct cl_streams board_streams;
static struct cl_service board_service;
static uint8_t board_bench[BENCH_BYTES] __attribute__((aligned(16)));

static uint32_t board_cycles(void *context)
{
	(void)context;
	return board_clock += 100;
}

static int board_random(void *context, uint32_t *words, size_t count)
{
	static uint32_t word;

	(void)context;
	for (size_t i = 0; i < count; i++) {
		words[i] = word++;
	}
	return 0;
}

static const struct cl_engine *const board_engines[] = {&cl_engine_byte, &cl_engine_table};

static const struct cl_platform board_platform = {
	.board = "fuzz",
	.firmware = "fuzz",
	.max_data = MAX_DATA,
	.clock_hz = 75000000,
	.rx_window = 4096,
	.session_idle_cycles = 1000000,
	.streams = &board_streams,
	.identity = &cl_engine_byte,
	.bench_buffer = board_bench,
	.bench_bytes = BENCH_BYTES,
	.engines = board_engines,
	.engine_count = 2,
	.cycles = board_cycles,
	.random = board_random,
};

static inline void board_start(void)
{
	board_clock = 0;
	EXPECT(cl_service_init(&board_service, &board_platform) == 0);
}

#endif
