/* SPDX-License-Identifier: BSD-2-Clause */
#include <cipherlane/contexts.h>

#include <zephyr/device.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/__assert.h>

#include <cipherlane/soc.h>

#include "cl_isa.h"
#include "crypto_devices.h"
#include "vector/ise.h"
#include "zeroize.h"

/**
 * The driver's description of each hardware context. Code must lock interrupts before it accesses
 * this variable, or the static variables that follow it.
 */
static struct cl_ise_device devices[CL_CONTEXTS];
/** For each context, the lease of the operation that uses the context's registers, or NULL. */
static struct cl_lease *holders[CL_CONTEXTS];
/** Bit i is set if `holders[i]` is not NULL. */
static uint32_t busy;
/**
 * For each context, the thread that used the context last. The context probably still contains the
 * key of this thread.
 */
static const struct k_thread *users[CL_CONTEXTS];
/** The lease of the running thread's operation; NULL if the thread is not in an operation. */
static struct cl_lease *active;
static struct cl_contexts_counters counts;
static uint32_t generations;

/**
 * Returns true if the operation that uses context @p i will never continue, because its thread was
 * aborted. One of three signs is enough: the thread is dead, the thread is running outside this
 * operation, or the lease is below the thread's stack pointer and thus no longer on the stack.
 */
static bool is_lost(unsigned int i)
{
	const struct k_thread *const thread = users[i];

	if (holders[i] == NULL || holders[i] == active) {
		return false;
	}
	return thread == k_current_get() || (thread->base.thread_state & _THREAD_DEAD) != 0 ||
	       (uintptr_t)thread->callee_saved.sp > (uintptr_t)holders[i];
}

/** Takes back the contexts of operations that will never continue, and zeroizes their registers. */
static void reclaim(void)
{
	for (unsigned int i = 0; i < CL_CONTEXTS; i++) {
		if (is_lost(i)) {
			(void)CL_ISA_CONTEXT(i);
			cl_ise_clear_key();
			cl_ise_clear_state();
			cl_ise_clear_queue();
			devices[i].loaded = 0;
			holders[i] = NULL;
			busy &= ~BIT(i);
			counts.lost++;
		}
	}
}

#ifdef CONFIG_CIPHERLANE_CONTEXTS_WAIT

/*
 * A thread that waits for a context checks every millisecond whether a context belongs to an
 * aborted thread.
 */
#define LOOK K_MSEC(1)

static K_SEM_DEFINE(idle, 0, CL_CONTEXTS);
/**
 * Number of threads that wait for a context. A thread that is aborted while it waits remains
 * counted. So give_back() can yield although no thread waits, which does no harm.
 */
static uint32_t waiting;

/**
 * Called when all contexts are in use. With CONFIG_CIPHERLANE_CONTEXTS_WAIT, a thread takes no
 * context from another thread. The function returns CL_CONTEXTS, which is not the number of a
 * context, to make the caller wait.
 */
static unsigned int take_over(void)
{
	return CL_CONTEXTS;
}

/**
 * Waits until a thread ends an operation, but at most 1 ms (LOOK). Then the caller must check for
 * an idle context, because another thread can already have taken the context.
 */
static void await_idle(void)
{
	unsigned int key = irq_lock();

	waiting++;
	irq_unlock(key);
	(void)k_sem_take(&idle, LOOK);
	key = irq_lock();
	waiting--;
	irq_unlock(key);
}

static void give_back(void)
{
	if (waiting != 0) {
		k_sem_give(&idle);
		/*
		 * Let a waiting thread run, so that it takes the context. Otherwise, the current
		 * thread could lease the context again and again.
		 */
		k_yield();
	}
}

static void make_present(struct cl_lease *lease)
{
	ARG_UNUSED(lease);
}

#else /* CONFIG_CIPHERLANE_CONTEXTS_SAVE */

/**
 * Saves the registers of the selected context. Does not clear the registers, because the caller
 * overwrites them next.
 */
static void save(struct cl_lease *lease)
{
#pragma GCC unroll 8
	for (unsigned int s = 0; s < 8; s++) {
#pragma GCC unroll 4
		for (unsigned int c = 0; c < 4; c++) {
			lease->state[4 * s + c] = CL_ISA_MOVE_OUT_XOR(c, s, 0);
		}
	}
	for (uint32_t i = 0; i < ARRAY_SIZE(lease->keys); i++) {
		lease->keys[i] = CL_ISA_KEY_READ(i);
	}
	lease->loaded = lease->device->loaded;
	counts.full++;
}

static void restore(struct cl_lease *lease)
{
	CL_ISE_EACH (s, 8) {
		CL_ISA_MOVE_IN(0, s, lease->state[4 * s], lease->state[4 * s + 1]);
		CL_ISA_MOVE_IN(1, s, lease->state[4 * s + 2], lease->state[4 * s + 3]);
	}
#pragma GCC unroll 16
	for (unsigned int k = 0; k < 16; k++) {
		CL_ISA_KEY_WRITE(0, k, lease->keys[4 * k], lease->keys[4 * k + 1]);
		CL_ISA_KEY_WRITE(1, k, lease->keys[4 * k + 2], lease->keys[4 * k + 3]);
	}
	lease->device->loaded = lease->loaded;
	cl_zeroize(lease->state, sizeof(lease->state));
	cl_zeroize(lease->keys, sizeof(lease->keys));
}

static void await_idle(void)
{
}

static void give_back(void)
{
}

/**
 * Called when all contexts are in use. Saves the registers of one context and returns the context's
 * number. Successive calls choose the contexts in turn.
 */
static unsigned int take_over(void)
{
	static unsigned int turn;
	const unsigned int context = turn;

	turn = (turn + 1) % CL_CONTEXTS;
	(void)CL_ISA_CONTEXT(context);
	save(holders[context]);
	devices[context].loaded = 0;
	return context;
}

/**
 * Makes sure that the selected context holds the registers of the operation with @p lease. If
 * another operation uses the context now, first saves the registers of the other operation. Then
 * restores the registers from @p lease.
 */
static void make_present(struct cl_lease *lease)
{
	const unsigned int context = lease->device->context;

	if (holders[context] == lease) {
		return;
	}
	if (holders[context] != NULL) {
		save(holders[context]);
	}
	holders[context] = lease;
	users[context] = k_current_get();
	busy |= BIT(context);
	restore(lease);
}

#endif

/**
 * Returns an idle context for @p thread: the context that the thread used last, else a context that
 * was never used, else any idle context. If no context is idle, returns the result of take_over().
 */
static unsigned int choose(const struct k_thread *thread)
{
	unsigned int found = CL_CONTEXTS;

	for (unsigned int i = 0; i < CL_CONTEXTS; i++) {
		if (holders[i] != NULL) {
			continue;
		}
		if (users[i] == thread) {
			return i;
		}
		if (found == CL_CONTEXTS || (users[found] != NULL && users[i] == NULL)) {
			found = i;
		}
	}
	return found < CL_CONTEXTS ? found : take_over();
}

void cl_lease_begin(struct cl_lease *lease)
{
	const struct k_thread *const thread = k_current_get();
	bool waited = false;
	unsigned int key = irq_lock();
	unsigned int context;

	__ASSERT(active == NULL, "the thread is in an operation already");
	for (;;) {
		if (busy != 0) {
			reclaim();
		}
		context = choose(thread);
		if (context < CL_CONTEXTS) {
			break;
		}
		counts.full += !waited;
		waited = true;
		irq_unlock(key);
		await_idle();
		key = irq_lock();
	}
	lease->device = &devices[context];
	holders[context] = lease;
	users[context] = thread;
	busy |= BIT(context);
	active = lease;
	counts.operations++;
	(void)CL_ISA_CONTEXT(context);
	irq_unlock(key);
}

void cl_lease_end(struct cl_lease *lease)
{
	const unsigned int key = irq_lock();

	holders[lease->device->context] = NULL;
	busy &= ~BIT(lease->device->context);
	active = NULL;
	irq_unlock(key);
	give_back();
}

uint32_t cl_contexts_generation(void)
{
	const unsigned int key = irq_lock();

	generations++;
	if (generations == 0) {
		generations = 1;
	}
	const uint32_t generation = generations;

	irq_unlock(key);
	return generation;
}

void cl_contexts_forget(uint32_t generation)
{
	unsigned int key = irq_lock();

	reclaim();
	irq_unlock(key);
	for (unsigned int i = 0; i < CL_CONTEXTS; i++) {
		key = irq_lock();
		if (devices[i].loaded == generation && holders[i] == NULL) {
			(void)CL_ISA_CONTEXT(i);
			cl_ise_clear_key();
			cl_ise_clear_queue();
			devices[i].loaded = 0;
		}
		irq_unlock(key);
	}
}

void cl_contexts_count(struct cl_contexts_counters *counters)
{
	const unsigned int key = irq_lock();

	*counters = counts;
	for (unsigned int i = 0; i < CL_CONTEXTS; i++) {
		counters->falls += devices[i].falls;
	}
	irq_unlock(key);
}

/**
 * Zephyr calls this function at the start of every interrupt and exception, with interrupts locked.
 */
void __soc_save_context(struct soc_esf *state)
{
	state->lease = active;
	active = NULL;
}

/**
 * Zephyr calls this function at the end of an interrupt. If Zephyr switches to another thread, it
 * calls the function after the switch.
 */
void __soc_restore_context(struct soc_esf *state)
{
	active = state->lease;
	if (busy != 0 && !k_is_in_isr()) {
		/*
		 * The running thread can have been aborted and started again. Then a context can
		 * still be marked as in use by an operation from before the abort.
		 */
		reclaim();
	}
	if (active != NULL) {
		counts.preempted++;
		(void)CL_ISA_CONTEXT(active->device->context);
		make_present(active);
	}
}

static int init(const struct device *device)
{
	ARG_UNUSED(device);
	cl_ise_zeroize();
	for (unsigned int i = 0; i < CL_CONTEXTS; i++) {
		devices[i] = (struct cl_ise_device){
			.context = i,
			.memory =
				{
					.origin = CL_SOC_BUFFER_BASE,
					.bytes = CL_SOC_BUFFER_BYTES,
					.drain = cl_soc_drain,
					.dcache_flush = cl_soc_dcache_flush,
				},
		};
	}
	return 0;
}

#ifdef CONFIG_CIPHERLANE_CRYPTO
#define API &cl_vector_crypto
#else
#define API NULL
#endif

DEVICE_DT_DEFINE(DT_NODELABEL(vector_aes0), init, NULL, NULL, NULL, POST_KERNEL, 0, API);
