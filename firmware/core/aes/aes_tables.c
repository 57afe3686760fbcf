/* SPDX-License-Identifier: BSD-2-Clause */
#include "aes/table_rounds.h"

#include "aes/aes_inv_sbox.h"
#include "aes/aes_sbox.h"

#define BY_2(s) (((s) << 1 ^ ((s) >> 7) * 0x11bu) & 0xffu)
#define BY_3(s) (BY_2(s) ^ (s))
#define BY_4(s) BY_2(BY_2(s))
#define BY_8(s) BY_2(BY_4(s))
#define BY_9(s) (BY_8(s) ^ (s))
#define BY_B(s) (BY_8(s) ^ BY_3(s))
#define BY_D(s) (BY_8(s) ^ BY_4(s) ^ (s))
#define BY_E(s) (BY_8(s) ^ BY_4(s) ^ BY_2(s))

/* Builds a column from its four bytes. Row 0 is in bits 7:0. */
#define COLUMN(r0, r1, r2, r3)                                                                     \
	((uint32_t)(r0) | (uint32_t)(r1) << 8 | (uint32_t)(r2) << 16 | (uint32_t)(r3) << 24)

#define ROW_0(s) COLUMN(BY_2(s), s, s, BY_3(s)),
#define ROW_1(s) COLUMN(BY_3(s), BY_2(s), s, s),
#define ROW_2(s) COLUMN(s, BY_3(s), BY_2(s), s),
#define ROW_3(s) COLUMN(s, s, BY_3(s), BY_2(s)),

const uint32_t cl_aes_tables[4][256] = {
	{CL_AES_SBOX(ROW_0)},
	{CL_AES_SBOX(ROW_1)},
	{CL_AES_SBOX(ROW_2)},
	{CL_AES_SBOX(ROW_3)},
};

#define INV_ROW_0(s) COLUMN(BY_E(s), BY_9(s), BY_D(s), BY_B(s)),
#define INV_ROW_1(s) COLUMN(BY_B(s), BY_E(s), BY_9(s), BY_D(s)),
#define INV_ROW_2(s) COLUMN(BY_D(s), BY_B(s), BY_E(s), BY_9(s)),
#define INV_ROW_3(s) COLUMN(BY_9(s), BY_D(s), BY_B(s), BY_E(s)),

const uint32_t cl_aes_inv_tables[4][256] = {
	{CL_AES_INV_SBOX(INV_ROW_0)},
	{CL_AES_INV_SBOX(INV_ROW_1)},
	{CL_AES_INV_SBOX(INV_ROW_2)},
	{CL_AES_INV_SBOX(INV_ROW_3)},
};
