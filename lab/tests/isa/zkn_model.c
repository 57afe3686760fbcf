/* SPDX-License-Identifier: BSD-2-Clause */
#include "zkn_model.h"

#include <string.h>

#include "model.h"

uint32_t model_zkn(unsigned int funct7, uint32_t rs1, uint32_t rs2)
{
	const unsigned int turn = 8 * (funct7 >> 5);
	const unsigned int operation = funct7 & 0x1f;
	const bool inverse = operation == 0x15 || operation == 0x17;
	uint8_t column[4] = {(uint8_t)(rs2 >> turn)};
	uint32_t word;

	if (funct7 > 0x7f || (operation != 0x11 && operation != 0x13 && !inverse)) {
		units_die("no such scalar instruction");
	}
	units_sub_bytes(column, 1, inverse);
	if (operation == 0x13 || operation == 0x17) {
		units_mix_columns(column, 4, inverse);
	}
	memcpy(&word, column, 4);
	return rs1 ^ (turn == 0 ? word : word << turn | word >> (32 - turn));
}
