/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reset and trap entry of the bare-metal port. Interrupts stay off; a trap ends in port_trap().
 */
#ifdef __OPTIMIZE_SIZE__
	/*
	 * For link.ld. A symbol that the linker script defines itself would come too late for
	 * sdram.ld.
	 */
	.globl compact
	.set compact, 1
#endif

	.section .text.start, "ax"
	.globl _start
_start:
	.option push
	.option norelax
	la	gp, __global_pointer$
	.option pop
	la	sp, _stack_top
	la	t0, _trap
	csrw	mtvec, t0
	csrw	mie, zero

	/* Enable the vector AES unit: bit 31 of CSR 0xBC0; the other bits mask external interrupts. */
	lui	t0, 0x80000
	csrw	0xBC0, t0

	la	t0, _data_load
	la	t1, _data_start
	la	t2, _data_end
1:	bgeu	t1, t2, 2f
	lw	t3, 0(t0)
	sw	t3, 0(t1)
	addi	t0, t0, 4
	addi	t1, t1, 4
	j	1b
	/*
	 * Zeroize all uninitialised data and the stack, so that no key remains there after a
	 * restart.
	 */
2:	la	t1, _bss_start
	la	t2, _stack_top
3:	bgeu	t1, t2, 4f
	sw	zero, 0(t1)
	addi	t1, t1, 4
	j	3b
4:	call	main
5:	j	5b

	.align	2
_trap:
	csrr	a0, mcause
	csrr	a1, mepc
	la	sp, _stack_top
	call	port_trap
6:	j	6b
