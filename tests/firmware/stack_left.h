/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches the stack for data that a call into the core left there. */
#ifndef STACK_LEFT_H
#define STACK_LEFT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Number of bytes of stack to search: more than any call into the core uses. */
#define STACK_BYTES 16384u
/** Number of bytes that wipe_stack() leaves unchanged, because they contain its own stack frame. */
#define FRAME_BYTES 128u

/**
 * A copy of the stack memory below the caller of keep_stack(). It contains the data that the last
 * call into the core left on the stack.
 */
static uint8_t stack_left[STACK_BYTES];

/** Copies the stack for stack_holds(). Call it directly after the call into the core. */
static __attribute__((noinline, no_sanitize("address", "undefined"))) void keep_stack(void)
{
	const volatile uint8_t *const below =
		(const volatile uint8_t *)__builtin_frame_address(0) - STACK_BYTES;

	for (size_t i = 0; i < STACK_BYTES; i++) {
		stack_left[i] = below[i];
	}
}

/** Clears the stack before a call, so that stack_holds() finds only the call's own data. */
static __attribute__((noinline, no_sanitize("address", "undefined"))) void wipe_stack(void)
{
	volatile uint8_t *const below =
		(volatile uint8_t *)__builtin_frame_address(0) - STACK_BYTES;

	for (size_t i = 0; i < STACK_BYTES - FRAME_BYTES; i++) {
		below[i] = 0;
	}
}

/** Returns how often the bytes occur in the copy that keep_stack() made. */
static inline uint32_t stack_holds(const uint8_t *bytes, size_t size)
{
	uint32_t found = 0;

	for (size_t i = 0; i + size <= sizeof(stack_left); i++) {
		found += memcmp(stack_left + i, bytes, size) == 0;
	}
	return found;
}

#endif
