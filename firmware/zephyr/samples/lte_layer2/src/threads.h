/**
 * @file
 * LTE's layer 2 in threads. A timer hands over a transport block in each TTI. One thread each for
 * MAC, RLC and PDCP pass its PDUs on through queues of the kernel.
 *
 * There is room for one block, because its packets are deciphered from where they lie in it. The
 * next block cannot come until the last packet is delivered; until then each TTI counts as missed.
 * No thread waits for a full queue: the PDU is lost and counted.
 */
#ifndef THREADS_H
#define THREADS_H

#include "layer2.h"

/** The most blocks that can be timed in a run. */
#define THREADS_BLOCKS 32u
/** PDUs that each queue holds: more than a block of packets of 1500 bytes has at 400 Mbit/s. */
#define THREADS_QUEUE 40

enum threads_order {
	/** One thread runs all layers, without queues between them. */
	THREADS_ONE,
	/**
	 * MAC has the highest priority: each layer finishes the block before the next layer starts.
	 */
	THREADS_MAC_FIRST,
	/** PDCP has the highest priority: each PDU passes all layers before the next PDU. */
	THREADS_PDCP_FIRST,
	THREADS_ORDERS,
};

struct threads_plan {
	enum threads_order order;
	const uint8_t *block;
	size_t len;
	/**
	 * How many times the block is received and timed, 1 to THREADS_BLOCKS. It is then received
	 * once more, and the packets are checked.
	 */
	uint32_t blocks;
	/** The receiver's state before the first PDU of each block. */
	struct lte_bearer bearer;
	/** As in lte_stack. */
	uint8_t *(*room)(void *context);
	/** As in lte_stack. If `checks` is set, its run time is not measured. */
	void (*deliver)(void *context, const uint8_t *packet, size_t len, bool checks);
	void *context;
};

struct threads_outcome {
	/** Counts over all blocks, including the one in which packets are checked. */
	struct lte_counts counts;
	/** PDUs that were lost because a queue was full. */
	uint32_t full;
	/**
	 * Changes from one of these threads, or from none, to another, as seen when they use
	 * queues.
	 */
	uint32_t switches;
	/** TTIs without a block, because the one before was not finished. */
	uint32_t missed;
	/** Fewest and most cycles from one TTI to the next. */
	uint32_t tti_shortest;
	uint32_t tti_longest;
	/** Cycles from the hand-over of a block to the delivery of its last packet. */
	uint32_t cycles[THREADS_BLOCKS];
};

/**
 * Receives blocks as planned. The calling thread's priority must be below the priorities of the
 * layers.
 *
 * @retval 0 done
 * @retval -ETIMEDOUT a block was not finished in 1000 TTIs; no further run is possible
 * @retval -errno an error of lte_receive
 */
int threads_run(const struct threads_plan *plan, struct threads_outcome *outcome);

#endif
