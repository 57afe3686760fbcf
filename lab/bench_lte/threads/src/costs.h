/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Measures how long Zephyr's kernel takes for the calls that the threads of the LTE layers make.
 */
#ifndef COSTS_H
#define COSTS_H

#include <stdint.h>

/** CPU cycles of each operation: the mean of 64 repetitions, with code and data in the caches. */
struct costs {
	/** A thread switch: k_yield() passes the CPU to another thread that is ready. */
	uint32_t yield;
	/** A thread puts a PDU into a queue and takes it out again, without a thread switch. */
	uint32_t queue;
	/**
	 * A thread puts a PDU into a queue, where a thread of higher priority waits. That thread
	 * takes the PDU and waits again. Then the first thread continues.
	 */
	uint32_t hand_over;
};

/** Measures the costs in struct costs. The calling thread must not have the highest priority. */
struct costs costs_measure(void);

#endif
