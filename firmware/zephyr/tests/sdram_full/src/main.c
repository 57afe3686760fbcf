/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests an application in which variables fill the SDRAM completely or almost completely. The heap
 * must consist of exactly the free bytes. If there are too few free bytes, there must be no heap.
 * The driver must not report that the SDRAM is ready before the SDRAM is initialised.
 */
#include <errno.h>

#include <zephyr/init.h>
#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#include <cipherlane/sdram.h>

#define LEFT   CONFIG_SDRAM_FULL_LEFT
#define BLOCKS (LEFT / 8 + 1)

static uint8_t data[CL_SDRAM_BYTES - LEFT] CL_SDRAM_DATA;
static int first_status;
static struct k_heap *first_heap;

static int look(void)
{
	first_status = cl_sdram_status();
	first_heap = cl_sdram_heap();
	return 0;
}

/* Runs before PRE_KERNEL_1, the level at which the SDRAM driver initialises the memory. */
SYS_INIT(look, EARLY, 0);

ZTEST(sdram_full, test_not_ready_before_it_is_set_up)
{
	zassert_equal(first_status, -EAGAIN, "status %d", first_status);
	zassert_is_null(first_heap, "the heap");
	zassert_equal(cl_sdram_status(), 0, "status");
}

ZTEST(sdram_full, test_the_last_byte_that_is_taken)
{
	volatile uint8_t *const last = &data[sizeof(data) - 1];

	zassert_equal((uintptr_t)last + 1, CL_SDRAM_BASE + CL_SDRAM_BYTES - LEFT, "its place");
	*last = 0x5a;
	zassert_equal(*last, 0x5a, "what it holds");
}

ZTEST(sdram_full, test_heap)
{
	static void *blocks[BLOCKS];
	const uintptr_t rest = (uintptr_t)data + sizeof(data);
	unsigned int count = 0;

	if (LEFT < CL_SDRAM_HEAP_MIN) {
		zassert_is_null(cl_sdram_heap(), "a heap of less than one needs");
		return;
	}
	zassert_not_null(cl_sdram_heap(), "the heap");
	zassert_is_null(k_heap_alloc(cl_sdram_heap(), LEFT + 1, K_NO_WAIT), "more than is left");
	while (count < BLOCKS &&
	       (blocks[count] = k_heap_alloc(cl_sdram_heap(), 1, K_NO_WAIT)) != NULL) {
		zassert_true((uintptr_t)blocks[count] - rest < LEFT, "block %u at %p", count,
			     blocks[count]);
		count++;
	}
	zassert_true(count > LEFT / 16 && count < BLOCKS, "%u blocks", count);
	while (count > 0) {
		k_heap_free(cl_sdram_heap(), blocks[--count]);
	}
	void *const again = k_heap_alloc(cl_sdram_heap(), LEFT / 2, K_NO_WAIT);

	zassert_not_null(again, "what was freed");
	k_heap_free(cl_sdram_heap(), again);
}

ZTEST_SUITE(sdram_full, NULL, NULL, NULL, NULL, NULL);
