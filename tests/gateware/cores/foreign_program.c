/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the ciphertext of the example in FIPS-197, C.1. Then prints how many cycles the
 * generated code takes for a key schedule, and how many for a block, with warm caches. */
#include "aes_cfu.c"
#include "foreign_start.h"

#define CONSOLE ((volatile uint32_t *)CONSOLE_ADDRESS)

static uint32_t cycles(void)
{
	uint32_t now;

	__asm__ volatile("csrr %0, mcycle" : "=r"(now));
	return now;
}

void run(void)
{
	static const uint32_t key[4] = {0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c};
	static const uint32_t block[4] = {0x33221100, 0x77665544, 0xbbaa9988, 0xffeeddcc};
	uint32_t start, set_key = 0, encrypt = 0, out[4];

	__asm__ volatile("csrs 0xbc0, %0" : : "r"(1u << 31));
	/* In this loop, the CPU must wait for the unit, which needs an additional cycle for
	 * `context`. */
#pragma GCC unroll 1
	for (uint32_t n = 0; n < 8; n++) {
		(void)CL_ISA_CONTEXT(0);
		CL_ISA_MOVE_IN(0, 7, n, n);
	}
	for (int n = 0; n < 3; n++) {
		start = cycles();
		aes128_set_key(key);
		set_key = cycles() - start;
	}
	for (int n = 0; n < 3; n++) {
		start = cycles();
		aes128_encrypt(block, out);
		encrypt = cycles() - start;
	}
	for (int n = 0; n < 4; n++) {
		CONSOLE[0] = out[n];
	}
	CONSOLE[0] = set_key;
	CONSOLE[0] = encrypt;
	CONSOLE[1] = 1;
	for (;;) {
	}
}
