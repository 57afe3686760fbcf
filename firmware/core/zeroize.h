/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Functions that zeroize memory and registers with keys and data after their last use.
 */
#ifndef CL_ZEROIZE_H
#define CL_ZEROIZE_H

#include <stddef.h>

/** Sets @p size bytes to zero. The compiler cannot drop the stores, even if nothing reads them. */
static inline void cl_zeroize(void *memory, size_t size)
{
	/* If the size is small and constant, the compiler turns this memset into stores. */
	__builtin_memset(memory, 0, size);
	/*
	 * Make the compiler assume that the memory is read here. So the compiler keeps the stores
	 * above.
	 */
	__asm__ volatile("" : : "r"(memory) : "memory");
}

#ifdef __riscv
/**
 * Clears the caller-saved registers t0 to t6 and a0 to a7. Code that is compiled for size uses few
 * of these registers, so words of a key can stay in the unused ones. Callee-saved registers need
 * not be cleared, because each function restores them before it returns.
 */
static inline void cl_zeroize_registers(void)
{
	__asm__ volatile("li t0, 0\n\tli t1, 0\n\tli t2, 0\n\t"
			 "li t3, 0\n\tli t4, 0\n\tli t5, 0\n\tli t6, 0\n\t"
			 "li a0, 0\n\tli a1, 0\n\tli a2, 0\n\tli a3, 0\n\t"
			 "li a4, 0\n\tli a5, 0\n\tli a6, 0\n\tli a7, 0"
			 :
			 :
			 : "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0", "a1", "a2", "a3", "a4",
			   "a5", "a6", "a7");
}
#endif

#endif
