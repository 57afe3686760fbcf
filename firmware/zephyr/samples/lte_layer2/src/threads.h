/**
 * @file
 * LTE's layer 2 in threads: a timer hands over a transport block each TTI, a thread each for MAC,
 * RLC and PDCP pass its PDUs on through queues of the kernel.
 *
 * There is room for one block, as its packets are deciphered from where it lies: while its last
 * packet is not delivered the next one cannot come, and its TTI is missed. A queue that is full is
 * not waited for: its PDU is lost, and counted.
 */
#ifndef THREADS_H
#define THREADS_H

#include "layer2.h"

/** Blocks that can be timed in a run. */
#define THREADS_BLOCKS 32u
/** PDUs that each queue holds: those of a block of packets of 1500 bytes at 400 Mbit/s, and some.
 */
#define THREADS_QUEUE 40

enum threads_order {
	/** One thread does all layers, without queues between them. */
	THREADS_ONE,
	/** MAC has the highest priority: each layer is done with the block before the next begins.
	 */
	THREADS_MAC_FIRST,
	/** PDCP has: each PDU goes through all layers before the next one. */
	THREADS_PDCP_FIRST,
	THREADS_ORDERS,
};

struct threads_plan {
	enum threads_order order;
	const uint8_t *block;
	size_t len;
	/** How many times it is received and timed, 1 to THREADS_BLOCKS, before a last time, in
	 * which packets are checked. */
	uint32_t blocks;
	/** The receiver before the first PDU of each. */
	struct lte_bearer bearer;
	/** As lte_stack has it. */
	uint8_t *(*room)(void *context);
	/** As lte_stack has it; may take as long as it likes where `checks`. */
	void (*deliver)(void *context, const uint8_t *packet, size_t len, bool checks);
	void *context;
};

struct threads_outcome {
	/** Of all blocks, those in which packets are checked included. */
	struct lte_counts counts;
	/** PDUs that found a queue full. */
	uint32_t full;
	/** Changes from one of the threads, or from none, to another, as far as they show at
	 * queues. */
	uint32_t switches;
	/** TTIs whose block could not come, as the one before was not done with. */
	uint32_t missed;
	/** Cycles from a TTI to the next: the fewest and the most. */
	uint32_t tti_shortest;
	uint32_t tti_longest;
	/** Cycles from the hand-over of a block to the delivery of its last packet. */
	uint32_t cycles[THREADS_BLOCKS];
};

/**
 * Receives blocks as planned. The calling thread's priority is below those of the layers.
 *
 * @retval 0 done
 * @retval -ETIMEDOUT a block was not done with in 1000 TTIs; nothing can be received any more
 * @retval -errno of lte_receive
 */
int threads_run(const struct threads_plan *plan, struct threads_outcome *outcome);

#endif
