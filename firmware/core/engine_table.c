/*
 * A column of the next state is the sum of four table entries and the round key: table r holds, for
 * each byte of row r, the column that SubBytes and MixColumns make of it (Daemen and Rijmen, The
 * Design of Rijndael, 4.2). ShiftRows is the choice of the column that each byte comes from.
 */
#include <errno.h>

#include "aes_sbox.h"
#include "cl_wire.h"
#include "ctr.h"
#include "engines.h"

#define DOUBLE(s) (((s) << 1 ^ ((s) >> 7) * 0x11bu) & 0xffu)
#define TRIPLE(s) (DOUBLE(s) ^ (s))

/* The bytes of a column, row 0 in bits 7:0. */
#define COLUMN(r0, r1, r2, r3)                                                                     \
	((uint32_t)(r0) | (uint32_t)(r1) << 8 | (uint32_t)(r2) << 16 | (uint32_t)(r3) << 24)

#define ENTRY_ROW_0(s) COLUMN(DOUBLE(s), s, s, TRIPLE(s)),
#define ENTRY_ROW_1(s) COLUMN(TRIPLE(s), DOUBLE(s), s, s),
#define ENTRY_ROW_2(s) COLUMN(s, TRIPLE(s), DOUBLE(s), s),
#define ENTRY_ROW_3(s) COLUMN(s, s, TRIPLE(s), DOUBLE(s)),

static const uint32_t tables[4][256] = {
	{CL_AES_SBOX(ENTRY_ROW_0)},
	{CL_AES_SBOX(ENTRY_ROW_1)},
	{CL_AES_SBOX(ENTRY_ROW_2)},
	{CL_AES_SBOX(ENTRY_ROW_3)},
};

/* The entry of table `row` for the byte of that row of `column`. The offset in bytes is cut out of
 * the column by one shift and one mask, and all tables are within a load's immediate offset of one
 * base, the third: four instructions a lookup on RV32. */
#define BASE ((const uint8_t *)tables[2])
#define ENTRY(column, row)                                                                         \
	(BASE + ((row) == 0 ? (column) << 2 & 0x3fc : (column) >> (8 * (row)-2) & 0x3fc) +         \
	 1024 * ((row)-2))
#define LOOKUP(column, row) (*(const uint32_t *)(const void *)ENTRY(column, row))

/* The last round has no MixColumns. S(x) itself is byte 1 of the entry in table 0, byte 0 of those
 * in tables 2 and 3, and byte 2 of those in table 1: tables that are in the cache already. */
#define SUBSTITUTE(column, row)                                                                    \
	((uint32_t)ENTRY(column, row)[(row) == 0 ? 1 : (row) == 1 ? 2 : 0] << 8 * (row))

/* SubBytes, ShiftRows, MixColumns and AddRoundKey, from columns s0..s3 to t0..t3. */
#define ROUND(t0, t1, t2, t3, s0, s1, s2, s3, key)                                                 \
	do {                                                                                       \
		t0 = (key)[0] ^ LOOKUP(s0, 0) ^ LOOKUP(s1, 1) ^ LOOKUP(s2, 2) ^ LOOKUP(s3, 3);     \
		t1 = (key)[1] ^ LOOKUP(s1, 0) ^ LOOKUP(s2, 1) ^ LOOKUP(s3, 2) ^ LOOKUP(s0, 3);     \
		t2 = (key)[2] ^ LOOKUP(s2, 0) ^ LOOKUP(s3, 1) ^ LOOKUP(s0, 2) ^ LOOKUP(s1, 3);     \
		t3 = (key)[3] ^ LOOKUP(s3, 0) ^ LOOKUP(s0, 1) ^ LOOKUP(s1, 2) ^ LOOKUP(s2, 3);     \
	} while (0)

#define LAST_ROUND_COLUMN(s0, s1, s2, s3)                                                          \
	(SUBSTITUTE(s0, 0) ^ SUBSTITUTE(s1, 1) ^ SUBSTITUTE(s2, 2) ^ SUBSTITUTE(s3, 3))

/* Two rounds a turn: no register moves between rounds, and the loop stays in an instruction cache
 * of 4 KB, which fourteen rounds in a row would not. */
static inline __attribute__((always_inline)) void encrypt(const struct cl_engine_key *key,
							  const uint32_t in[4], uint32_t out[4])
{
	const uint32_t *k = key->round_key;
	uint32_t s0 = in[0] ^ k[0];
	uint32_t s1 = in[1] ^ k[1];
	uint32_t s2 = in[2] ^ k[2];
	uint32_t s3 = in[3] ^ k[3];
	uint32_t t0;
	uint32_t t1;
	uint32_t t2;
	uint32_t t3;
	const uint32_t *const last = k + 4 * key->rounds;

	for (;;) {
		ROUND(t0, t1, t2, t3, s0, s1, s2, s3, k + 4);
		k += 8;
		if (k == last) { /* the number of rounds is even */
			break;
		}
		ROUND(s0, s1, s2, s3, t0, t1, t2, t3, k);
	}
	out[0] = k[0] ^ LAST_ROUND_COLUMN(t0, t1, t2, t3);
	out[1] = k[1] ^ LAST_ROUND_COLUMN(t1, t2, t3, t0);
	out[2] = k[2] ^ LAST_ROUND_COLUMN(t2, t3, t0, t1);
	out[3] = k[3] ^ LAST_ROUND_COLUMN(t3, t0, t1, t2);
}

static int ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
	       const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out, size_t len)
{
	(void)engine;
	if (key->key_bits == 0) {
		return -EINVAL;
	}
	cl_ctr_run(encrypt, key, counter, in, out, len);
	return 0;
}

const struct cl_engine cl_engine_table = {
	.code = CL_WIRE_ENGINE_TABLE,
	.name = "table",
	.set_key = cl_engine_c_set_key,
	.ctr = ctr,
	.clear = cl_engine_c_clear,
	.hw = NULL,
};
