/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Function that zeroizes memory with keys and data after their last use.
 */
#ifndef CL_ZEROIZE_H
#define CL_ZEROIZE_H

#include <stddef.h>

/** Sets @p size bytes to zero. The compiler cannot drop the stores, even if nothing reads them. */
static inline void cl_zeroize(void *memory, size_t size)
{
	__builtin_memset(memory, 0,
			 size); /* becomes store instructions if the size is small and constant */
	/* Tells the compiler that the memory is read, so that it keeps the stores above. */
	__asm__ volatile("" : : "r"(memory) : "memory");
}

#endif
