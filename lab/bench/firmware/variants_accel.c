/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The benchmark's variant for the CTR accelerator. The program initialises the accelerator as the
 * firmware does. If the accelerator's DMA cannot reach the data, the driver copies them through a
 * bounce buffer.
 */
#include <generated/csr.h>
#include <generated/mem.h>

#include "accelerator/engine_accel.h"
#include "board_bench.h"
#include "port.h"

#define BOUNCE_BYTES 512u

static uint8_t bounce[BOUNCE_BYTES] __attribute__((section(".buffer"), aligned(16)));

static struct cl_engine create(void *hw)
{
	static struct cl_accel_device device = {
		.dma_origin = BUFFER_BASE,
		.dma_bytes = BUFFER_SIZE,
		.bounce = bounce,
		.bounce_bytes = BOUNCE_BYTES,
	};

	(void)hw;
	/*
	 * Ignore the result: if the initialisation fails, every call of the engine returns an
	 * error, and the program reports this error.
	 */
	(void)cl_engine_accel_init(&device, (volatile uint32_t *)CSR_ACCELERATOR_BASE,
				   port_dcache_flush);
	return cl_engine_accel(&device);
}

const struct bench_variant bench_variants[] = {
	{.engine = create},
};

const uint32_t bench_variant_count = sizeof(bench_variants) / sizeof(bench_variants[0]);
