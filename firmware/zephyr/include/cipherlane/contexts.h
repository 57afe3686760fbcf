/**
 * @file
 * Hardware contexts of the vector AES unit for Zephyr's threads.
 *
 * A thread leases a context for one operation, and can be preempted anywhere in it: the entry of an
 * interrupt notes the interrupted thread's lease in its stack frame, the exit selects its context
 * again. Between leases a context keeps the key that was used last, so that the next operation with
 * it loads nothing.
 */
#ifndef CIPHERLANE_CONTEXTS_H
#define CIPHERLANE_CONTEXTS_H

#include <stdint.h>

#include "vector/engine_ise.h"

#define CL_CONTEXTS 8u

/** One operation of a thread on the unit; lives on the thread's stack. */
struct cl_lease {
	/** The context that is leased, with the key that its registers hold. */
	struct cl_ise_device *device;
#ifdef CONFIG_CIPHERLANE_CONTEXTS_SAVE
	/** Its registers, while another thread's operation has the context. */
	uint32_t state[8 * 4];
	uint32_t keys[16 * 4];
	uint32_t loaded;
#endif
};

/**
 * Begins an operation of the current thread, which must not be in one, and selects its context.
 *
 * Waits, or takes over another thread's context, if all are in use: as Kconfig says. Not for
 * interrupt handlers. The thread must not block before cl_lease_end. If it is aborted before, its
 * context is erased and given to others.
 */
void cl_lease_begin(struct cl_lease *lease);

/** Ends the operation. */
void cl_lease_end(struct cl_lease *lease);

/** A number for a key, different from those of all other keys: cl_engine_key.generation. */
uint32_t cl_contexts_generation(void);

/** Zeroizes every copy of a key in the contexts. No operation with it may be under way. */
void cl_contexts_forget(uint32_t generation);

/** What the contexts have seen since power-on. */
struct cl_contexts_counters {
	uint32_t operations;
	/** Interrupts in the middle of an operation. */
	uint32_t preempted;
	/** Operations that waited, or contexts that were saved, because all were in use. */
	uint32_t full;
	/** Operations that never ended, as their threads were aborted. */
	uint32_t lost;
	/** Operations whose buffers vector loads and stores do not reach. */
	uint32_t falls;
};

void cl_contexts_count(struct cl_contexts_counters *counters);

#endif
