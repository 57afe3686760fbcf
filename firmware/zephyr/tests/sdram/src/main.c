/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests the SDRAM as memory for applications: writes and reads the whole memory, uses the heap, and
 * runs threads with stacks and data in SDRAM.
 */
#include <string.h>

#include <zephyr/device.h>
#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#include <cipherlane/sdram.h>

#define BLOCKS      64
#define BLOCK_BYTES 4000 /* at most */
#define THREADS     3
#define STACK_BYTES 16384
#define DATA_BYTES  20000
/*
 * Maximum number of bytes of the heap that a program cannot allocate, because the heap needs them
 * for its management data and for alignment.
 */
#define HEAP_REST 1024

static uint8_t data[THREADS][DATA_BYTES] CL_SDRAM_DATA;
CL_SDRAM_STACK_DEFINE(stack0, STACK_BYTES);
CL_SDRAM_STACK_DEFINE(stack1, STACK_BYTES);
CL_SDRAM_STACK_DEFINE(stack2, STACK_BYTES);
static k_thread_stack_t *const stacks[THREADS] = {stack0, stack1, stack2};
static struct k_thread threads[THREADS];
static uint32_t sums[THREADS];

extern char __SDRAM_end[];

static bool lies_there(const void *pointer, size_t bytes)
{
	return (uintptr_t)pointer - CL_SDRAM_BASE <= CL_SDRAM_BYTES - bytes;
}

/** Allocates a block of nearly the whole heap, and sets @p bytes to the block's size. */
static void *allocate_all(size_t *bytes)
{
	*bytes = CL_SDRAM_BASE + CL_SDRAM_BYTES - (uintptr_t)__SDRAM_end - HEAP_REST;
	return k_heap_alloc(cl_sdram_heap(), *bytes, K_NO_WAIT);
}

ZTEST(sdram, test_it_is_ready)
{
	zassert_equal(cl_sdram_status(), 0, "status");
	zassert_true(device_is_ready(DEVICE_DT_GET(DT_NODELABEL(sdram_controller0))), "the device");
	zassert_not_null(cl_sdram_heap(), "the heap");
	zassert_true(lies_there(data, sizeof(data)) && lies_there(stack2, STACK_BYTES),
		     "where they lie");
}

ZTEST(sdram, test_walk_through_all_of_it)
{
	size_t bytes;
	volatile uint8_t *const all = allocate_all(&bytes);

	zassert_not_null((void *)all, "%u bytes", (unsigned int)bytes);
	zassert_true(bytes > CL_SDRAM_BYTES - 1024 * 1024 && lies_there((void *)all, bytes),
		     "%u bytes", (unsigned int)bytes);
	for (unsigned int pass = 0; pass < 2; pass++) {
		const uint32_t flip = pass == 0 ? 0 : UINT32_MAX;

		for (size_t at = 0; at + 4 <= bytes; at += CONFIG_SDRAM_TEST_STEP) {
			*(volatile uint32_t *)(all + at) = (at * 0x10001u ^ 0x5a5aa5a5u) ^ flip;
		}
		for (size_t at = 0; at + 4 <= bytes; at += CONFIG_SDRAM_TEST_STEP) {
			const uint32_t word = *(volatile uint32_t *)(all + at);

			zassert_equal(word, (at * 0x10001u ^ 0x5a5aa5a5u) ^ flip, "offset 0x%x: %x",
				      (unsigned int)at, word);
		}
	}
	k_heap_free(cl_sdram_heap(), (void *)all);
}

ZTEST(sdram, test_bytes_and_halves)
{
	uint8_t *const bytes = data[0];

	for (unsigned int i = 0; i < DATA_BYTES; i++) {
		bytes[i] = (uint8_t)(i * 7 + (i >> 8));
	}
	for (unsigned int i = 1; i < DATA_BYTES; i += 4) { /* Invert one byte of each word. */
		bytes[i] = (uint8_t)~bytes[i];
	}
	*(volatile uint16_t *)(bytes + 6) = 0x1234;
	unsigned int wrong = 0;

	for (unsigned int i = 8; i < DATA_BYTES; i++) {
		const uint8_t first = (uint8_t)(i * 7 + (i >> 8));

		wrong += bytes[i] != (i % 4 == 1 ? (uint8_t)~first : first);
	}
	zassert_equal(wrong, 0, "%u bytes", wrong);
	zassert_equal(bytes[6], 0x34, "a half");
	zassert_equal(bytes[7], 0x12, "a half");
}

static size_t block_bytes(unsigned int index)
{
	return 1 + index * index * 9 % BLOCK_BYTES;
}

ZTEST(sdram, test_heap)
{
	static uint8_t *blocks[BLOCKS];
	size_t bytes;

	for (unsigned int i = 0; i < BLOCKS; i++) {
		const size_t size = block_bytes(i);

		blocks[i] = k_heap_aligned_alloc(cl_sdram_heap(), 32, size, K_NO_WAIT);
		zassert_not_null(blocks[i], "block %u", i);
		zassert_true((uintptr_t)blocks[i] % 32 == 0 && lies_there(blocks[i], size),
			     "block %u", i);
		memset(blocks[i], (int)i, size);
		if (i % 3 == 2) {
			k_heap_free(cl_sdram_heap(), blocks[i - 1]);
			blocks[i - 1] = NULL;
		}
	}
	for (unsigned int i = 0; i < BLOCKS; i++) {
		unsigned int wrong = 0;

		for (size_t at = 0; blocks[i] != NULL && at < block_bytes(i); at++) {
			wrong += blocks[i][at] != i;
		}
		zassert_equal(wrong, 0, "block %u: %u bytes", i, wrong);
		k_heap_free(cl_sdram_heap(), blocks[i]);
	}
	zassert_is_null(k_heap_alloc(cl_sdram_heap(), CL_SDRAM_BYTES, K_NO_WAIT),
			"more than there is");
	void *const all = allocate_all(&bytes);

	zassert_not_null(all, "what was freed is one block again");
	k_heap_free(cl_sdram_heap(), all);
}

/**
 * Calls itself recursively, to use some kilobytes of the stack. Each call lets other threads run.
 */
static uint32_t descend(unsigned int depth, unsigned int index)
{
	volatile uint32_t kept[64];

	for (unsigned int i = 0; i < ARRAY_SIZE(kept); i++) {
		kept[i] = depth * 1000 + i + index;
	}
	k_yield();
	if (depth == 0) {
		/*
		 * Sleep at the greatest depth, so that a timer interrupt comes while all threads
		 * use much of their stacks.
		 */
		k_msleep(1);
	}
	uint32_t sum = depth == 0 ? 0 : descend(depth - 1, index);

	for (unsigned int i = 0; i < ARRAY_SIZE(kept); i++) {
		sum += kept[i] - (depth * 1000 + i);
	}
	return sum;
}

static void work(void *index_as_pointer, void *unused1, void *unused2)
{
	const unsigned int index = (unsigned int)(uintptr_t)index_as_pointer;

	ARG_UNUSED(unused1);
	ARG_UNUSED(unused2);
	for (unsigned int i = 0; i < DATA_BYTES; i++) {
		data[index][i] = (uint8_t)(i + index);
		if (i % 4096 == 0) {
			k_yield();
		}
	}
	sums[index] = descend(20, index) + (lies_there(&index, sizeof(index)) ? 0 : 1);
}

ZTEST(sdram, test_threads_with_stacks_and_data_there)
{
	for (unsigned int i = 0; i < THREADS; i++) {
		k_thread_create(&threads[i], stacks[i], K_KERNEL_STACK_SIZEOF(stack0), work,
				(void *)(uintptr_t)i, NULL, NULL, K_PRIO_PREEMPT(1), 0, K_NO_WAIT);
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		zassert_equal(k_thread_join(&threads[i], K_SECONDS(10)), 0,
			      "thread %u does not end", i);
		zassert_equal(sums[i], 21 * 64 * i, "thread %u: %u", i, sums[i]);
		unsigned int wrong = 0;

		for (unsigned int at = 0; at < DATA_BYTES; at++) {
			wrong += data[i][at] != (uint8_t)(at + i);
		}
		zassert_equal(wrong, 0, "thread %u: %u bytes", i, wrong);
	}
}

ZTEST_SUITE(sdram, NULL, NULL, NULL, NULL, NULL);
