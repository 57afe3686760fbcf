/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Hardware contexts of the vector AES unit for Zephyr's threads.
 *
 * A thread leases (borrows) a context for one operation. Other threads can preempt the operation at
 * any point. When an interrupt begins, the interrupted thread's lease is saved in the stack frame
 * of the interrupt; when the interrupt ends, the context of this lease is selected again. After an
 * operation, a context keeps the key, so the next operation with this key need not load it.
 */
#ifndef CIPHERLANE_CONTEXTS_H
#define CIPHERLANE_CONTEXTS_H

#include <stdint.h>

#include "vector/engine_ise.h"

#define CL_CONTEXTS 8u

/**
 * A lease allows one operation of a thread to use a hardware context. The structure must be on the
 * thread's stack.
 */
struct cl_lease {
	/**
	 * Describes the leased context: the context's number, and the generation number of the key
	 * in the context's registers.
	 */
	struct cl_ise_device *device;
#ifdef CONFIG_CIPHERLANE_CONTEXTS_SAVE
	/**
	 * Saved register values of this lease's operation. Valid only while another thread's
	 * operation uses the context. The driver restores the registers before the operation
	 * continues.
	 */
	uint32_t state[8 * 4];
	uint32_t keys[16 * 4];
	uint32_t loaded;
#endif
};

/**
 * Begins an operation of the current thread and selects its context. The thread must not be in an
 * operation already.
 *
 * Kconfig selects what happens if all contexts are in use. Either the call waits until a context is
 * free, or it saves the registers of another thread's context and uses this context. Do not call
 * this function in interrupt handlers. The thread must not block before it calls cl_lease_end. If
 * the thread is aborted before cl_lease_end, the driver zeroizes the context, and other threads can
 * lease it.
 */
void cl_lease_begin(struct cl_lease *lease);

/** Ends the operation. */
void cl_lease_end(struct cl_lease *lease);

/**
 * Returns a new generation number for a key (cl_engine_key.generation). No other key has this
 * number.
 */
uint32_t cl_contexts_generation(void);

/**
 * Zeroizes every copy of the key with number @p generation in the contexts' registers. All
 * operations with this key must have ended before this call.
 */
void cl_contexts_forget(uint32_t generation);

/** Counters of the contexts' events since power-on. */
struct cl_contexts_counters {
	uint32_t operations;
	/** Number of interrupts that came during an operation. */
	uint32_t preempted;
	/**
	 * With CONFIG_CIPHERLANE_CONTEXTS_WAIT: number of operations that waited because all
	 * contexts were in use. With CONFIG_CIPHERLANE_CONTEXTS_SAVE: number of times that the
	 * driver saved the registers of one operation to let another operation use the context.
	 */
	uint32_t full;
	/** Number of operations that never ended because their threads were aborted. */
	uint32_t lost;
	/**
	 * Number of operations that used scalar loads and stores, because vector loads and stores
	 * cannot access the buffers of these operations.
	 */
	uint32_t falls;
};

void cl_contexts_count(struct cl_contexts_counters *counters);

#endif
