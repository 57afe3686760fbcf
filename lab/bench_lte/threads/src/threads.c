/* SPDX-License-Identifier: BSD-2-Clause */
#include "threads.h"

#include <errno.h>

#include <zephyr/kernel.h>

#include <cipherlane/soc.h>

#define TTI              K_MSEC(1)
#define TTIS_MAX         1000u
#define STACK_BYTES      2048
#define HIGHEST_PRIORITY 1

BUILD_ASSERT(CONFIG_MAIN_THREAD_PRIORITY > HIGHEST_PRIORITY + 2, "the layers come first");
BUILD_ASSERT(CONFIG_SYS_CLOCK_TICKS_PER_SEC % 1000 == 0 && CONFIG_SYS_CLOCK_TICKS_PER_SEC > 1000,
	     "a TTI is a number of ticks, two at least");

struct transport_block {
	const uint8_t *data;
	size_t len;
};

/** State of a layer's thread. While the thread has work, no other thread changes this state. */
struct layer {
	struct lte_stack stack;
	/** The first error of this layer; 0 if there was none. */
	int status;
	/** Number of items that the layer has taken from its queue and finished. */
	uint32_t done;
	/**
	 * `passed`: number of PDUs that the layer has put into the next layer's queue. `full`:
	 * number of PDUs that were lost because this queue was full.
	 */
	uint32_t passed;
	uint32_t full;
	/**
	 * Number of times that the CPU switched to this layer's thread from the thread of another
	 * layer.
	 */
	uint32_t switches;
};

K_MSGQ_DEFINE(mac_queue, sizeof(struct transport_block), 1, 4);
K_MSGQ_DEFINE(rlc_queue, sizeof(struct lte_pdu), THREADS_QUEUE, 4);
K_MSGQ_DEFINE(pdcp_queue, sizeof(struct lte_pdu), THREADS_QUEUE, 4);

static struct layer mac;
static struct layer rlc;
static struct layer pdcp;

/** Data of the current run. The timer's handler and the layers share them. */
static struct {
	struct threads_plan plan;
	struct threads_outcome *outcome;
	struct lte_bearer bearer;
	/**
	 * `handed`: number of blocks that the timer has passed to the MAC layer in this run.
	 * `late`: number of TTIs that have started while the latest block was not yet finished.
	 */
	uint32_t handed;
	uint32_t late;
	/**
	 * Values of the cycle counter. `start`: when the latest block was passed to the MAC layer.
	 * `end`: when the latest packet was delivered.
	 */
	uint32_t start;
	uint32_t end;
	uint32_t last_tti;
	/** The layer whose thread ran last. */
	const struct layer *running;
	bool checks;
} run;

static K_SEM_DEFINE(ended, 0, 1);

/** Number of blocks passed to the MAC layer since power-on. */
static uint32_t handed;

/**
 * Returns true if every layer has finished all items in its queue. The function needs no lock: each
 * counter that it reads has only one writer.
 */
static bool is_idle(void)
{
	return mac.done == handed && rlc.done == mac.passed && pdcp.done == rlc.passed;
}

/**
 * Counts a switch between threads if the thread of another layer was the last to call this
 * function. Each layer calls this function after each kernel call that can switch threads.
 */
static void note(struct layer *layer)
{
	if (run.running != layer) {
		run.running = layer;
		layer->switches++;
	}
}

static void take(struct layer *layer, struct k_msgq *queue, void *item)
{
	(void)k_msgq_get(queue, item, K_FOREVER);
	note(layer);
}

static void pass(struct layer *layer, struct k_msgq *queue, const struct lte_pdu *pdu)
{
	if (k_msgq_put(queue, pdu, K_NO_WAIT) == 0) {
		layer->passed++;
	} else {
		layer->full++;
	}
	note(layer);
}

static void finish(struct layer *layer, int result)
{
	if (layer->status == 0) {
		layer->status = result;
	}
	layer->done++;
}

static void receive_mac(void *a, void *b, void *c)
{
	struct transport_block block;
	struct lte_mac at;
	struct lte_pdu pdu;
	int result;

	ARG_UNUSED(a);
	ARG_UNUSED(b);
	ARG_UNUSED(c);
	for (;;) {
		take(&mac, &mac_queue, &block);
		if (run.plan.order == THREADS_ONE) {
			result = lte_receive(&mac.stack, block.data, block.len);
		} else {
			result = lte_mac_begin(&at, block.data, block.len);
			while (result == 0 && lte_mac_next(&mac.stack, &at, &pdu)) {
				pass(&mac, &rlc_queue, &pdu);
			}
		}
		finish(&mac, result);
	}
}

static void receive_rlc(void *a, void *b, void *c)
{
	struct lte_pdu pdu;

	ARG_UNUSED(a);
	ARG_UNUSED(b);
	ARG_UNUSED(c);
	for (;;) {
		take(&rlc, &rlc_queue, &pdu);
		if (lte_rlc(&rlc.stack, &pdu)) {
			pass(&rlc, &pdcp_queue, &pdu);
		}
		finish(&rlc, 0);
	}
}

static void receive_pdcp(void *a, void *b, void *c)
{
	struct lte_pdu pdu;

	ARG_UNUSED(a);
	ARG_UNUSED(b);
	ARG_UNUSED(c);
	for (;;) {
		take(&pdcp, &pdcp_queue, &pdu);
		finish(&pdcp, lte_pdcp(&pdcp.stack, &pdu));
	}
}

K_THREAD_DEFINE(mac_thread, STACK_BYTES, receive_mac, NULL, NULL, NULL, HIGHEST_PRIORITY, 0, 0);
K_THREAD_DEFINE(rlc_thread, STACK_BYTES, receive_rlc, NULL, NULL, NULL, HIGHEST_PRIORITY + 1, 0, 0);
K_THREAD_DEFINE(pdcp_thread, STACK_BYTES, receive_pdcp, NULL, NULL, NULL, HIGHEST_PRIORITY + 2, 0,
		0);

static uint8_t *room(void *context)
{
	ARG_UNUSED(context);
	return run.plan.room(run.plan.context);
}

static void deliver(void *context, const uint8_t *packet, size_t len)
{
	ARG_UNUSED(context);
	run.end = cl_soc_cycles(NULL);
	run.plan.deliver(run.plan.context, packet, len, run.checks);
}

/**
 * Empties the data cache, as if a modem had just written the block to memory. Then passes the block
 * to the MAC layer.
 */
static void hand_over(void)
{
	const struct transport_block block = {run.plan.block, run.plan.len};

	run.bearer = run.plan.bearer;
	run.checks = run.handed == run.plan.blocks;
	run.running = NULL;
	run.handed++;
	run.late = 0;
	handed++;
	cl_soc_dcache_flush();
	run.start = cl_soc_cycles(NULL);
	run.end = run.start;
	/* The queue has room, because all layers have finished their work. */
	(void)k_msgq_put(&mac_queue, &block, K_NO_WAIT);
}

static void end(struct k_timer *timer)
{
	k_timer_stop(timer);
	k_sem_give(&ended);
}

static void on_tti(struct k_timer *timer)
{
	struct threads_outcome *const outcome = run.outcome;
	const uint32_t now = cl_soc_cycles(NULL);
	const uint32_t cycles = now - run.last_tti;

	if (run.last_tti != 0) {
		outcome->tti_shortest = MIN(outcome->tti_shortest, cycles);
		outcome->tti_longest = MAX(outcome->tti_longest, cycles);
	}
	run.last_tti = now;
	if (!is_idle()) {
		outcome->missed += run.checks ? 0 : 1;
		if (++run.late == TTIS_MAX) {
			end(timer);
		}
		return;
	}
	if (run.handed > 0 && !run.checks) {
		outcome->cycles[run.handed - 1] = run.end - run.start;
	}
	if (run.checks) {
		end(timer);
	} else {
		hand_over();
	}
}

static K_TIMER_DEFINE(tti, on_tti, NULL);

/** Resets a layer's state for a new run. The layer's thread must be waiting for work. */
static void prepare(struct layer *layer, k_tid_t thread, int place)
{
	layer->stack = (struct lte_stack){
		.bearers = &run.bearer,
		.bearer_count = 1,
		.room = room,
		.deliver = deliver,
	};
	layer->status = 0;
	layer->full = 0;
	layer->switches = 0;
	k_thread_priority_set(thread, HIGHEST_PRIORITY + place);
}

static void add(struct threads_outcome *outcome, const struct layer *layer)
{
	outcome->counts.packets += layer->stack.counts.packets;
	outcome->counts.bytes += layer->stack.counts.bytes;
	outcome->counts.control += layer->stack.counts.control;
	outcome->counts.unknown += layer->stack.counts.unknown;
	outcome->counts.dropped += layer->stack.counts.dropped;
	outcome->full += layer->full;
	outcome->switches += layer->switches;
}

int threads_run(const struct threads_plan *plan, struct threads_outcome *outcome)
{
	const bool mac_first = plan->order != THREADS_PDCP_FIRST;

	if (plan->blocks < 1 || plan->blocks > THREADS_BLOCKS) {
		return -EINVAL;
	}
	if (!is_idle()) {
		return -ETIMEDOUT;
	}
	*outcome = (struct threads_outcome){.tti_shortest = UINT32_MAX};
	run.plan = *plan;
	run.outcome = outcome;
	run.handed = 0;
	run.last_tti = 0;
	run.checks = false;
	prepare(&mac, mac_thread, mac_first ? 0 : 2);
	prepare(&rlc, rlc_thread, 1);
	prepare(&pdcp, pdcp_thread, mac_first ? 2 : 0);
	k_timer_start(&tti, TTI, TTI);
	(void)k_sem_take(&ended, K_FOREVER); /* on_tti() ends the run after a time limit */
	add(outcome, &mac);
	add(outcome, &rlc);
	add(outcome, &pdcp);
	if (!is_idle()) {
		return -ETIMEDOUT;
	}
	return mac.status != 0 ? mac.status : pdcp.status;
}
