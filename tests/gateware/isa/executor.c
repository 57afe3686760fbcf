/**
 * @file
 * Executes instructions on the simulated core, one by one, as a test on the host asks for them.
 *
 * Over the UART, all little-endian: a request is three words, the instruction with rd = a0, rs1 =
 * a0 and rs2 = a1, and the values of a0 and a1; the answer is two words, the value of a0 afterwards
 * and the clock cycles from before the instruction to when its result was there.
 */
#include <stdint.h>

#include "port.h"

#define CODE_WORDS 4u
#define RET        0x00008067u
#define READ_CYCLE 0xb0002673u /* csrr a2, mcycle */
#define USE_RESULT 0x00050693u /* mv a3, a0: waits for the result */

static uint32_t receive_word(void)
{
	uint32_t word = 0;

	for (unsigned int i = 0; i < 4; i++) {
		int byte;

		do {
			byte = port_uart_get(NULL);
		} while (byte < 0);
		word |= (uint32_t)byte << (8 * i);
	}
	return word;
}

static void send_word(uint32_t word)
{
	const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
				  (uint8_t)(word >> 24)};

	port_uart_put(NULL, bytes, sizeof(bytes));
}

int main(void)
{
	static uint32_t code[CODE_WORDS];

	for (;;) {
		const uint32_t instruction = receive_word();
		const uint32_t rs1 = receive_word();
		const uint32_t rs2 = receive_word();

		code[0] = instruction;
		code[1] = USE_RESULT;
		code[2] = READ_CYCLE;
		code[3] = RET;
		register uint32_t a0 __asm__("a0") = rs1;
		register uint32_t a1 __asm__("a1") = rs2;
		register uint32_t a2 __asm__("a2");
		uint32_t before;

		/* fence.i: the instruction cache must see the new code. */
		__asm__ volatile("fence.i\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\t"
				 "csrr %[before], mcycle\n\tjalr ra, %[code]"
				 : "+r"(a0), "+r"(a1), "=r"(a2), [before] "=&r"(before)
				 : [code] "r"(code)
				 : "ra", "a3", "memory");
		const uint32_t result = a0;
		const uint32_t cycles = a2 - before;

		send_word(result);
		send_word(cycles);
	}
}
