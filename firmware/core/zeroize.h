/**
 * @file
 * Clearing of keys and data that must not outlive their use.
 */
#ifndef CL_ZEROIZE_H
#define CL_ZEROIZE_H

#include <stddef.h>

/** Sets @p size bytes to zero; the compiler may not drop the stores, even if nothing reads them. */
static inline void cl_zeroize(void *memory, size_t size)
{
	__builtin_memset(memory, 0, size); /* inlined where the size is small and constant */
	/* Claims to read the memory, so that the stores above must have happened. */
	__asm__ volatile("" : : "r"(memory) : "memory");
}

#endif
