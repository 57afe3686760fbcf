/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Executes single instructions on the simulated CPU. A test on the host sends the instructions over
 * the UART.
 *
 * The UART carries little-endian words. A request is three words: an instruction with rd = a0, rs1
 * = a0 and rs2 = a1, the value of a0, and the value of a1. The answer is two words: a0 after the
 * instruction, and the clock cycles from the instruction's start until its result was ready.
 */
#include <stdint.h>

#include "port.h"

#define CODE_WORDS 4u
#define RET        0x00008067u
#define READ_CYCLE 0xb0002673u /* csrr a2, mcycle */
#define USE_RESULT 0x00050693u /* mv a3, a0: makes the CPU wait for the result */

int main(void)
{
	static uint32_t code[CODE_WORDS];

	for (;;) {
		const uint32_t instruction = port_receive_word();
		const uint32_t rs1 = port_receive_word();
		const uint32_t rs2 = port_receive_word();

		code[0] = instruction;
		code[1] = USE_RESULT;
		code[2] = READ_CYCLE;
		code[3] = RET;
		register uint32_t a0 __asm__("a0") = rs1;
		register uint32_t a1 __asm__("a1") = rs2;
		register uint32_t a2 __asm__("a2");
		uint32_t before;

		/* fence.i makes the instruction cache load the new instructions. */
		__asm__ volatile("fence.i\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\t"
				 "csrr %[before], mcycle\n\tjalr ra, %[code]"
				 : "+r"(a0), "+r"(a1), "=r"(a2), [before] "=&r"(before)
				 : [code] "r"(code)
				 : "ra", "a3", "memory");
		const uint32_t answer[2] = {a0, a2 - before};

		port_send_words(answer, 2);
	}
}
