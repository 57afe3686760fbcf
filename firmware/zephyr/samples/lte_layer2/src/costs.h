/**
 * @file
 * What the kernel takes for what the layers' threads ask of it.
 */
#ifndef COSTS_H
#define COSTS_H

#include <stdint.h>

/** Cycles, the mean of many with all of it in the caches. */
struct costs {
	/** From a thread to another that was ready, by k_yield(). */
	uint32_t yield;
	/** A PDU into a queue and out of it again, by one thread. */
	uint32_t queue;
	/** A PDU to a thread of higher priority that waits for it, until the queue's giver goes on.
	 */
	uint32_t hand_over;
};

/** Measures them; the calling thread's priority must be one that others can be above. */
struct costs costs_measure(void);

#endif
