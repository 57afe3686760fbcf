/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests that several threads can encrypt at the same time, even if the kernel preempts them in the
 * middle of operations: every result must be right. Also aborts threads in the middle of
 * operations. Then other threads must be able to use the contexts of the aborted threads.
 *
 * The expected results come from the engine in plain C. This engine uses no hardware contexts, and
 * other tests compare it with published vectors.
 */
#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#include <cipherlane/contexts.h>
#include <cipherlane/engines.h>
#include <cipherlane/soc.h>

#include "aes/engines.h"

#define THREADS_MAX 12
#define BYTES       1024
#define ROUNDS      2
/*
 * Number of operations that a worker runs before it compares its data with the expected ciphertext.
 * In CTR mode, every second operation on the same data restores the plaintext. So the number must
 * be odd.
 */
#define OPERATIONS  9
#define STACK_BYTES 2048
#define TIMEOUT     K_SECONDS(10)

static const struct cl_engine *const engines[] = {
	&cl_zephyr_ise,
	&cl_zephyr_ise_fused,
	&cl_zephyr_ise_vmem,
};

static K_THREAD_STACK_ARRAY_DEFINE(stacks, THREADS_MAX, STACK_BYTES);
static uint8_t plain[BYTES] CL_SOC_IN_BUFFER;

static struct worker {
	struct k_thread thread;
	const struct cl_engine *engine;
	uint8_t key[32];
	uint8_t counter[16];
	unsigned int key_bits;
	size_t len;
	unsigned int wrong;
	int status;
} workers[THREADS_MAX];

static uint8_t expected[THREADS_MAX][BYTES] CL_SOC_IN_BUFFER;
static uint8_t result[THREADS_MAX][BYTES] CL_SOC_IN_BUFFER;

/** Fills the buffer @p to with pseudo-random bytes that depend on @p seed. */
static void fill(uint8_t *to, size_t size, uint32_t seed)
{
	for (size_t i = 0; i < size; i++) {
		seed = seed * 1664525u + 1013904223u;
		to[i] = (uint8_t)(seed >> 24);
	}
}

/** Gives worker @p n its own engine, key and data. */
static void describe(unsigned int n)
{
	struct worker *const worker = &workers[n];

	worker->engine = engines[n % ARRAY_SIZE(engines)];
	worker->key_bits = 128 + 64 * (n / 3 % 3);
	/* For most workers, the length is not a whole number of blocks. */
	worker->len = BYTES - 20 * n;
	worker->wrong = 0;
	worker->status = 0;
	fill(worker->key, sizeof(worker->key), 2 * n + 1);
	fill(worker->counter, sizeof(worker->counter), 2 * n + 2);
}

static void prepare(unsigned int n)
{
	struct worker *const worker = &workers[n];
	struct cl_engine_key key = {0};

	describe(n);
	const int set =
		cl_engine_table.set_key(&cl_engine_table, &key, worker->key, worker->key_bits);
	const int done = cl_engine_table.ctr(&cl_engine_table, &key, worker->counter, plain,
					     expected[n], worker->len);

	zassert_equal(set, 0, "set_key: %d", set);
	zassert_equal(done, 0, "ctr: %d", done);
}

/**
 * Returns the number of 32-bit words in which two buffers differ. Comparing whole words is fast, so
 * that threads spend most of their time in operations.
 */
static unsigned int differences(const uint8_t *a, const uint8_t *b, size_t size)
{
	unsigned int found = 0;

	for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
		found += *(const uint32_t *)(a + i) != *(const uint32_t *)(b + i);
	}
	return found;
}

/**
 * The main function of a worker thread. The thread sets its key again in each round, so that the
 * kernel also preempts threads while they load keys.
 */
static void work(void *argument, void *number, void *unused)
{
	struct worker *const worker = argument;
	uint8_t *const data = result[(uintptr_t)number];
	const struct cl_engine *const engine = worker->engine;
	struct cl_engine_key key = {0};

	ARG_UNUSED(unused);
	for (unsigned int round = 0; round < ROUNDS && worker->status == 0; round++) {
		const uint8_t *in = plain;

		worker->status = engine->set_key(engine, &key, worker->key, worker->key_bits);
		for (unsigned int i = 0; i < OPERATIONS && worker->status == 0; i++) {
			worker->status =
				engine->ctr(engine, &key, worker->counter, in, data, worker->len);
			in = data;
		}
		worker->wrong += differences(data, expected[(uintptr_t)number], worker->len);
		engine->clear(engine, &key);
	}
}

static void run(unsigned int count)
{
	struct cl_contexts_counters before;
	struct cl_contexts_counters after;

	fill(plain, sizeof(plain), 99);
	for (unsigned int n = 0; n < count; n++) {
		prepare(n);
	}
	cl_contexts_count(&before);
	for (unsigned int n = 0; n < count; n++) {
		k_thread_create(&workers[n].thread, stacks[n], STACK_BYTES, work, &workers[n],
				(void *)(uintptr_t)n, NULL, K_PRIO_PREEMPT(2), 0, K_NO_WAIT);
		k_thread_time_slice_set(&workers[n].thread, 1, NULL, NULL);
	}
	for (unsigned int n = 0; n < count; n++) {
		zassert_equal(k_thread_join(&workers[n].thread, TIMEOUT), 0, "thread %u is stuck",
			      n);
	}
	cl_contexts_count(&after);
	for (unsigned int n = 0; n < count; n++) {
		zassert_equal(workers[n].status, 0, "thread %u: status %d", n, workers[n].status);
		zassert_equal(workers[n].wrong, 0, "thread %u: %u wrong words", n,
			      workers[n].wrong);
	}
	TC_PRINT("%u threads: %u operations, preempted %u times, all contexts in use %u times\n",
		 count, after.operations - before.operations, after.preempted - before.preempted,
		 after.full - before.full);
	zassert_true(count == 1 || after.preempted - before.preempted > count,
		     "hardly any preemption");
	if (count > CL_CONTEXTS) {
		zassert_true(after.full > before.full, "contexts were never scarce");
	} else {
		zassert_equal(after.full, before.full, "contexts were scarce");
	}
}

/**
 * Main function of a thread that encrypts without end. Its operations are so long that the thread
 * is nearly always in the middle of an operation.
 */
static void work_on(void *argument, void *unused1, void *unused2)
{
	struct worker *const worker = argument;
	uint8_t *const data = result[0];
	struct cl_engine_key key = {0};

	ARG_UNUSED(unused1);
	ARG_UNUSED(unused2);
	worker->status =
		worker->engine->set_key(worker->engine, &key, worker->key, worker->key_bits);
	for (;;) {
		(void)worker->engine->ctr(worker->engine, &key, worker->counter, data, data,
					  sizeof(result));
	}
}

/** Starts a thread on stack @p n and aborts it in the middle of an operation. */
static void abort_in_operation(unsigned int n)
{
	describe(n);
	k_thread_create(&workers[n].thread, stacks[n], STACK_BYTES, work_on, &workers[n], NULL,
			NULL, K_PRIO_PREEMPT(2), 0, K_NO_WAIT);
	k_sleep(K_TICKS(5));
	k_thread_abort(&workers[n].thread);
}

/**
 * Aborts threads in the middle of operations. Then another thread must be able to use the contexts,
 * and the driver must not write to the aborted threads' stacks.
 */
ZTEST(contexts, test_aborted_threads)
{
	unsigned int written = 0;
	struct cl_contexts_counters before;
	struct cl_contexts_counters after;

	fill(plain, sizeof(plain), 99);
	cl_contexts_count(&before);
	for (unsigned int n = 0; n < CL_CONTEXTS; n++) {
		abort_in_operation(n);
	}
	for (unsigned int n = 0; n < CL_CONTEXTS; n++) {
		/* Overwrite the aborted thread's stack, as another use of this memory would do. */
		memset(stacks[n], 0x5a, STACK_BYTES);
	}
	prepare(CL_CONTEXTS);
	k_thread_create(&workers[CL_CONTEXTS].thread, stacks[CL_CONTEXTS], STACK_BYTES, work,
			&workers[CL_CONTEXTS], (void *)(uintptr_t)CL_CONTEXTS, NULL,
			K_PRIO_PREEMPT(2), 0, K_NO_WAIT);
	zassert_equal(k_thread_join(&workers[CL_CONTEXTS].thread, K_MSEC(100)), 0, "it hangs");
	zassert_equal(workers[CL_CONTEXTS].wrong, 0, "wrong words");
	cl_contexts_count(&after);
	/*
	 * The counter `lost` does not count a thread that is aborted between two operations. So the
	 * test only requires that `lost` counts more than half of the threads.
	 */
	zassert_true(after.lost - before.lost > CL_CONTEXTS / 2, "%u operations were lost",
		     after.lost - before.lost);
	for (unsigned int i = 0; i < CL_CONTEXTS * STACK_BYTES; i++) {
		written += ((uint8_t *)stacks[i / STACK_BYTES])[i % STACK_BYTES] != 0x5a;
	}
	zassert_equal(written, 0, "%u bytes of dead stacks were written", written);
}

/**
 * Repeatedly aborts a thread in an operation and starts a new thread with the same thread object
 * and stack, as a thread pool does. The contexts must remain usable.
 */
ZTEST(contexts, test_aborted_thread_that_begins_anew)
{
	struct cl_contexts_counters before;
	struct cl_contexts_counters after;

	fill(plain, sizeof(plain), 99);
	cl_contexts_count(&before);
	for (unsigned int n = 0; n < 3 * CL_CONTEXTS; n++) {
		abort_in_operation(0);
	}
	run(1);
	cl_contexts_count(&after);
	zassert_true(after.lost - before.lost > CL_CONTEXTS, "%u operations were lost",
		     after.lost - before.lost);
}

ZTEST(contexts, test_8_threads)
{
	run(8);
}

ZTEST(contexts, test_12_threads)
{
	run(12);
}

ZTEST_SUITE(contexts, NULL, NULL, NULL, NULL, NULL);
