/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of a program in the boot ROM: sets the stack, and calls run(). */
__asm__(".section .init\n"
	".globl _start\n"
	"_start:\n"
	"	la sp, _stack\n"
	"	j run\n"
	".text\n");
