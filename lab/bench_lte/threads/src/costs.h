/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Measures how long the kernel takes for the calls that the layers' threads make.
 */
#ifndef COSTS_H
#define COSTS_H

#include <stdint.h>

/** CPU cycles of each operation: the mean of many repetitions with code and data in the caches. */
struct costs {
	/** A thread switch: k_yield() passes the CPU to another thread that is ready. */
	uint32_t yield;
	/** A thread puts a PDU into a queue and takes it out again, without a switch. */
	uint32_t queue;
	/**
	 * A thread puts a PDU into a queue for which a thread of higher priority waits. That thread
	 * takes the PDU and waits again; then the first thread continues.
	 */
	uint32_t hand_over;
};

/** Measures the costs. Call it in a thread that does not have the highest priority. */
struct costs costs_measure(void);

#endif
