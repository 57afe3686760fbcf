/* SPDX-License-Identifier: BSD-2-Clause */
/* Lets the accelerator encrypt data in main memory, first in CTR mode, then in GCM. The accelerator
 * then decrypts the GCM message with wrong additional data, so that the tag does not match. The
 * addresses of these data are not multiples of 4. Prints the value of `key_valid`, the results of
 * the three descriptors, and all words of the output memory. */
#include <stdint.h>

#include "foreign_start.h"
#include "registers.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define MAIN_RAM          0x40000000u
#define LEN               61u
#define AAD_LEN           20u
#define SOURCE            (MAIN_RAM + 1u)
#define OUTPUTS           (MAIN_RAM + 0x100u)
#define OUTPUT_BYTES      0x100u
#define CTR_OUTPUT        (OUTPUTS + 7u)
#define GCM_OUTPUT        (OUTPUTS + 0x55u)
#define TAG               (OUTPUTS + 0x99u)
#define DECRYPTED         (OUTPUTS + 0xb3u)
#define SLOT              5u
#define ENCRYPT           (1u << 12)
#define DECRYPT           (2u << 12)
#define TAG_LENGTH        (16u << 16)

static void print(uint32_t word)
{
	REGISTER(CONSOLE_WORD) = word;
}

static void flush_data_cache(void)
{
	__asm__ volatile(".word 0x500f\nnop\nnop\nnop\nnop\nnop\n" ::: "memory");
}

/* Executes a descriptor; prints its result. */
static void carry_out(uint32_t source, uint32_t destination, uint32_t options)
{
	REGISTER(AES_SOURCE) = source;
	REGISTER(AES_DESTINATION) = destination;
	REGISTER(AES_LENGTH) = LEN;
	REGISTER(AES_OPTIONS) = SLOT | options;
	REGISTER(AES_CONTROL) = 1;
	while (REGISTER(AES_STATUS) & 1) {
	}
	print(REGISTER(AES_STATUS) >> 4 & 0xf);
}

void run(void)
{
	for (uint32_t i = 0; i < LEN; i++) {
		((volatile uint8_t *)SOURCE)[i] = (uint8_t)(7 * i + 3);
	}
	for (uint32_t i = 0; i < OUTPUT_BYTES; i += 4) {
		REGISTER(OUTPUTS + i) = 0x5a5a5a5au;
	}
	for (uint32_t i = 0; i < 4; i++) {
		REGISTER(AES_KEY0 + 4 * i) = 0x01020304u * (i + 1);
		REGISTER(AES_IV0 + 4 * i) = 0xfffffff0u | i;
	}
	REGISTER(AES_KEY_CONFIG) = SLOT << 4;
	REGISTER(AES_CONTROL) = 2;
	while (REGISTER(AES_STATUS) & 2) {
	}
	print(REGISTER(AES_KEY_VALID));
	REGISTER(AES_INDEX_LO) = 0;
	REGISTER(AES_INDEX_HI) = 0;
	carry_out(SOURCE, CTR_OUTPUT, 0);
	/* GCM uses iv0 to iv2 as its IV. The additional data are the first bytes of the source. */
	REGISTER(AES_IV3) = TAG;
	REGISTER(AES_INDEX_LO) = SOURCE;
	REGISTER(AES_INDEX_HI) = AAD_LEN;
	carry_out(SOURCE, GCM_OUTPUT, ENCRYPT | TAG_LENGTH);
	REGISTER(AES_INDEX_HI) = AAD_LEN - 1;
	carry_out(GCM_OUTPUT, DECRYPTED, DECRYPT | TAG_LENGTH);
	flush_data_cache();
	for (uint32_t i = 0; i < OUTPUT_BYTES; i += 4) {
		print(REGISTER(OUTPUTS + i));
	}
	REGISTER(CONSOLE_DONE) = 1;
	for (;;) {
	}
}
