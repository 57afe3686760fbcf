/* SPDX-License-Identifier: BSD-2-Clause */
#include "costs.h"

#include <zephyr/kernel.h>

#include <cipherlane/soc.h>

#include "layer2.h"

#define TIMES       64u
#define STACK_BYTES 1024

K_MSGQ_DEFINE(costs_queue, sizeof(struct lte_pdu), 4, 4);
static K_THREAD_STACK_DEFINE(stack, STACK_BYTES);
static struct k_thread other;

static void yields(void *a, void *b, void *c)
{
	ARG_UNUSED(a);
	ARG_UNUSED(b);
	ARG_UNUSED(c);
	for (;;) {
		k_yield();
	}
}

static void takes(void *a, void *b, void *c)
{
	struct lte_pdu pdu;

	ARG_UNUSED(a);
	ARG_UNUSED(b);
	ARG_UNUSED(c);
	for (;;) {
		(void)k_msgq_get(&costs_queue, &pdu, K_FOREVER);
	}
}

static void start(k_thread_entry_t entry, int priority)
{
	(void)k_thread_create(&other, stack, K_THREAD_STACK_SIZEOF(stack), entry, NULL, NULL, NULL,
			      priority, 0, K_NO_WAIT);
}

static uint32_t yield_cycles(void)
{
	k_yield();
	const uint32_t begin = cl_soc_cycles(NULL);

	for (unsigned int i = 0; i < TIMES; i++) {
		/* Two thread switches: the CPU switches to the other thread, then back. */
		k_yield();
	}
	return (cl_soc_cycles(NULL) - begin) / (2 * TIMES);
}

static uint32_t put_cycles(bool gets)
{
	struct lte_pdu pdu = {0};
	uint32_t begin = 0;

	for (unsigned int i = 0; i <= TIMES; i++) {
		if (i == 1) {
			begin = cl_soc_cycles(NULL);
		}
		(void)k_msgq_put(&costs_queue, &pdu, K_NO_WAIT);
		if (gets) {
			(void)k_msgq_get(&costs_queue, &pdu, K_NO_WAIT);
		}
	}
	return (cl_soc_cycles(NULL) - begin) / TIMES;
}

struct costs costs_measure(void)
{
	const int priority = k_thread_priority_get(k_current_get());
	struct costs costs;

	start(yields, priority);
	costs.yield = yield_cycles();
	k_thread_abort(&other);

	costs.queue = put_cycles(true);

	start(takes, priority - 1);
	costs.hand_over = put_cycles(false);
	k_thread_abort(&other);
	return costs;
}
