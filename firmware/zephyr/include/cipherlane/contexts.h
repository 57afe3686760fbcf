/**
 * @file
 * Hardware contexts of the vector AES unit for Zephyr's threads.
 *
 * A thread leases a context for one operation, and can be preempted at any point in it. The entry
 * of an interrupt saves the interrupted thread's lease in its stack frame; the exit selects the
 * lease's context again. Between leases a context keeps the key that was used last, so the next
 * operation with this key loads nothing.
 */
#ifndef CIPHERLANE_CONTEXTS_H
#define CIPHERLANE_CONTEXTS_H

#include <stdint.h>

#include "vector/engine_ise.h"

#define CL_CONTEXTS 8u

/** A lease: one operation of a thread on the unit. It lives on the thread's stack. */
struct cl_lease {
	/** The leased context, and which key its registers hold. */
	struct cl_ise_device *device;
#ifdef CONFIG_CIPHERLANE_CONTEXTS_SAVE
	/** The context's registers, while another thread's operation uses the context. */
	uint32_t state[8 * 4];
	uint32_t keys[16 * 4];
	uint32_t loaded;
#endif
};

/**
 * Begins an operation of the current thread and selects its context. The thread must not be in an
 * operation already.
 *
 * If all contexts are in use, it waits or takes over another thread's context; Kconfig decides
 * which. Not for interrupt handlers. The thread must not block before cl_lease_end. If the thread
 * is aborted before that, its context is zeroized and other threads can lease it.
 */
void cl_lease_begin(struct cl_lease *lease);

/** Ends the operation. */
void cl_lease_end(struct cl_lease *lease);

/**
 * Returns a number for a key that differs from the numbers of all other keys:
 * cl_engine_key.generation.
 */
uint32_t cl_contexts_generation(void);

/** Zeroizes every copy of a key in the contexts. No operation with this key may be running. */
void cl_contexts_forget(uint32_t generation);

/** Counts of events in the contexts since power-on. */
struct cl_contexts_counters {
	uint32_t operations;
	/** Interrupts in the middle of an operation. */
	uint32_t preempted;
	/**
	 * Operations that waited, or contexts that were saved, because all contexts were in use.
	 */
	uint32_t full;
	/** Operations that never ended because their threads were aborted. */
	uint32_t lost;
	/** Operations on buffers that vector loads and stores do not reach. */
	uint32_t falls;
};

void cl_contexts_count(struct cl_contexts_counters *counters);

#endif
