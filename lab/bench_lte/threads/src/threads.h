/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * LTE's layer 2 in threads. A timer passes a transport block to the MAC layer in each TTI (1 ms).
 * Each of the layers MAC, RLC and PDCP has a thread. A layer passes PDUs to the next layer through
 * a kernel queue.
 *
 * Only one block is processed at a time, because PDCP deciphers the packets directly from the
 * block. The timer passes the next block only after the last packet of the previous block was
 * delivered. Each TTI until then counts as missed. No thread waits for room in a queue: if the
 * queue is full, the PDU is lost and counted.
 */
#ifndef THREADS_H
#define THREADS_H

#include "layer2.h"

/** Maximum number of blocks that threads_run() can measure in one call. */
#define THREADS_BLOCKS 32u
/**
 * Number of PDUs that fit in each queue. A block at 400 Mbit/s with packets of 1500 bytes contains
 * fewer PDUs.
 */
#define THREADS_QUEUE 40

enum threads_order {
	/** One thread runs all layers, without queues between them. */
	THREADS_ONE,
	/**
	 * The MAC layer, which is the first one, has the highest priority, and the PDCP layer the
	 * lowest. So each layer finishes the whole block before the next layer starts.
	 */
	THREADS_MAC_FIRST,
	/**
	 * The PDCP layer, which is the last one, has the highest priority. So each PDU passes
	 * through all layers before the MAC layer processes the next PDU.
	 */
	THREADS_PDCP_FIRST,
	THREADS_ORDERS,
};

struct threads_plan {
	enum threads_order order;
	const uint8_t *block;
	size_t len;
	/**
	 * Number of timed passes over the block, 1 to THREADS_BLOCKS. Then the block is processed
	 * once more without timing, to check the packets.
	 */
	uint32_t blocks;
	/** The receiver's state before the first PDU of each block. */
	struct lte_bearer bearer;
	/** Returns a buffer for a packet, like `room` in struct lte_stack. */
	uint8_t *(*room)(void *context);
	/**
	 * Delivers a packet, as in struct lte_stack. `checks` is true only for packets of the last
	 * block, which is not timed. The function can then check the packets.
	 */
	void (*deliver)(void *context, const uint8_t *packet, size_t len, bool checks);
	void *context;
};

struct threads_outcome {
	/**
	 * Sums of the counters over all blocks, including the last block, whose packets are
	 * checked.
	 */
	struct lte_counts counts;
	/** Number of PDUs that were lost because a queue was full. */
	uint32_t full;
	/**
	 * Number of switches between the threads of the layers. A thread detects and counts a
	 * switch when it uses a queue.
	 */
	uint32_t switches;
	/**
	 * Number of TTIs in which no new block started, because the previous block was not
	 * finished.
	 */
	uint32_t missed;
	/**
	 * Shortest and longest time from the start of a TTI to the start of the next TTI, in CPU
	 * cycles.
	 */
	uint32_t tti_shortest;
	uint32_t tti_longest;
	/**
	 * CPU cycles of each block, from the time when the timer passes it to the MAC layer until
	 * its last packet is delivered.
	 */
	uint32_t cycles[THREADS_BLOCKS];
};

/**
 * Processes blocks as the plan specifies. The calling thread's priority must be lower than the
 * priorities of the layers' threads.
 *
 * @retval 0 done
 * @retval -ETIMEDOUT a block was not finished in 1000 TTIs; no further run is possible
 * @retval -errno a layer failed with this error
 */
int threads_run(const struct threads_plan *plan, struct threads_outcome *outcome);

#endif
