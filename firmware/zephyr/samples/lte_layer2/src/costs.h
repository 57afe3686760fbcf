/**
 * @file
 * Measures how long the kernel takes for the calls that the layers' threads make.
 */
#ifndef COSTS_H
#define COSTS_H

#include <stdint.h>

/** Cycles of each operation: the mean of many repetitions with code and data in the caches. */
struct costs {
	/** A switch from a thread to another that was ready, by k_yield(). */
	uint32_t yield;
	/** One thread puts a PDU into a queue and takes it out again. */
	uint32_t queue;
	/**
	 * A PDU goes to a thread of higher priority that waits for it, until the sender continues.
	 */
	uint32_t hand_over;
};

/** Measures the costs. The calling thread's priority must leave room for a higher one. */
struct costs costs_measure(void);

#endif
