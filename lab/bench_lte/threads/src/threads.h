/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * LTE's layer 2 in threads. A timer hands over a transport block in each TTI. Each of the layers
 * MAC, RLC and PDCP has its own thread. The layers pass the block's PDUs on through queues of the
 * kernel.
 *
 * Only one block exists at a time, because PDCP deciphers the packets directly from the block. The
 * next block cannot come before the last packet is delivered; until then each TTI counts as missed.
 * No thread waits if a queue is full: the PDU is lost and counted.
 */
#ifndef THREADS_H
#define THREADS_H

#include "layer2.h"

/** Most blocks that can be timed in a run. */
#define THREADS_BLOCKS 32u
/**
 * Number of PDUs that each queue can hold: more than a block contains at 400 Mbit/s with packets of
 * 1500 bytes.
 */
#define THREADS_QUEUE 40

enum threads_order {
	/** One thread runs all layers, without queues between them. */
	THREADS_ONE,
	/**
	 * The MAC layer has the highest priority: each layer finishes the block before the next
	 * layer starts.
	 */
	THREADS_MAC_FIRST,
	/**
	 * The PDCP layer has the highest priority: each PDU passes all layers before the next PDU.
	 */
	THREADS_PDCP_FIRST,
	THREADS_ORDERS,
};

struct threads_plan {
	enum threads_order order;
	const uint8_t *block;
	size_t len;
	/**
	 * How often the block is processed and timed, 1 to THREADS_BLOCKS. Then it is processed
	 * once more, to check the packets.
	 */
	uint32_t blocks;
	/** The receiver's state before the first PDU of each block. */
	struct lte_bearer bearer;
	/** As in lte_stack. */
	uint8_t *(*room)(void *context);
	/**
	 * Delivers a packet, as in struct lte_stack. `checks` is true for the one block whose
	 * packets are checked and whose time is not measured.
	 */
	void (*deliver)(void *context, const uint8_t *packet, size_t len, bool checks);
	void *context;
};

struct threads_outcome {
	/** Counts over all blocks, including the one in which packets are checked. */
	struct lte_counts counts;
	/** PDUs that were lost because a queue was full. */
	uint32_t full;
	/**
	 * Number of switches between the threads of layers. The threads count them when they use
	 * their queues.
	 */
	uint32_t switches;
	/** TTIs without a block, because the one before was not finished. */
	uint32_t missed;
	/** Fewest and most cycles from the begin of a TTI to the begin of the next TTI. */
	uint32_t tti_shortest;
	uint32_t tti_longest;
	/**
	 * For each block, cycles from the time when the timer passes it to the first layer until
	 * its last packet is delivered.
	 */
	uint32_t cycles[THREADS_BLOCKS];
};

/**
 * Processes blocks according to the plan. The calling thread's priority must be lower than the
 * priorities of the layers.
 *
 * @retval 0 done
 * @retval -ETIMEDOUT a block was not finished in 1000 TTIs; no further run is possible
 * @retval -errno an error of lte_receive
 */
int threads_run(const struct threads_plan *plan, struct threads_outcome *outcome);

#endif
