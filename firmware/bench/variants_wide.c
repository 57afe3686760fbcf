/*
 * ECB one block at a time, as variants_papers.c measures it, by the sets of instructions on wider
 * registers: BENCH_WIDE is WIDE_PTLU_64, WIDE_PTLU_128 or WIDE_ZVKNED. Rounds stand in a row, a
 * function for each key length; round keys and, of `ptlu`, tables lie in the unit beforehand.
 *
 * `ptlu` takes the equivalent inverse cipher to decrypt; Zvkned's instructions the inverse cipher,
 * whose round keys are those of encryption, and make the round keys of AES-128 and AES-256.
 */
#include "board_bench.h"

#include <errno.h>
#include <string.h>

#include "c_modes.h"
#include "wide_sets.h"

#define ZVKNED (BENCH_WIDE == WIDE_ZVKNED)
/* A function of its own, of which the compiler knows nothing where it is called. */
#define APART __attribute__((noipa))

CL_C_INLINE void move_in(const uint32_t *in)
{
	if (BENCH_WIDE == WIDE_PTLU_64) {
		WIDE_MOVE_IN(0, 0, in[0], in[1]);
		WIDE_MOVE_IN(1, 0, in[2], in[3]);
	} else {
		WIDE_MOVE_IN(0, 0, in[0], in[1]);
		WIDE_MOVE_IN(0, 1, in[2], in[3]);
	}
}

CL_C_INLINE void move_out(uint32_t *out)
{
	if (BENCH_WIDE == WIDE_PTLU_64) {
		out[0] = WIDE_MOVE_OUT(0, 0);
		out[1] = WIDE_MOVE_OUT(0, 1);
		out[2] = WIDE_MOVE_OUT(1, 0);
		out[3] = WIDE_MOVE_OUT(1, 1);
	} else {
		out[0] = WIDE_MOVE_OUT(0, 0);
		out[1] = WIDE_MOVE_OUT(0, 1);
		out[2] = WIDE_MOVE_OUT(0, 2);
		out[3] = WIDE_MOVE_OUT(0, 3);
	}
}

/** Round key @p k into k[k], or of 64 bits into k[2k] and k[2k + 1]. */
CL_C_INLINE void write_key(unsigned int k, const uint32_t *round_key)
{
	if (BENCH_WIDE == WIDE_PTLU_64) {
		WIDE_KEY_WRITE(2 * k, 0, round_key[0], round_key[1]);
		WIDE_KEY_WRITE(2 * k + 1, 0, round_key[2], round_key[3]);
	} else {
		WIDE_KEY_WRITE(k, 0, round_key[0], round_key[1]);
		WIDE_KEY_WRITE(k, 1, round_key[2], round_key[3]);
	}
}

/**
 * A round of 128 bits: row r of all columns by one lookup, with byte r of the column that
 * (Inv)ShiftRows takes, in v[d]; v2 is spare.
 */
CL_C_INLINE void round_of_128(unsigned int d, unsigned int s, const uint32_t fields[4],
			      unsigned int k)
{
	WIDE_PTLU(d, s, fields[0]);
#pragma GCC unroll 3
	for (unsigned int row = 1; row < 4; row++) {
		WIDE_PTLU(2, s, fields[row]);
		WIDE_EXCLUSIVE(d, 2);
	}
	WIDE_ADD_KEY_128(d, k);
}

/** Half a round of 64 bits: the two columns of v[d], whose rows come from these registers. */
CL_C_INLINE void half_of_64(unsigned int d, const unsigned int from[4], const uint32_t fields[4],
			    unsigned int k)
{
	WIDE_PTLU(d, from[0], fields[0]);
#pragma GCC unroll 3
	for (unsigned int row = 1; row < 4; row++) {
		WIDE_PTLU(6, from[row], fields[row]);
		WIDE_EXCLUSIVE(d, 6);
	}
	WIDE_ADD_KEY_64(d, k);
}

/** A round from v[s], columns 0 and 1, and v[s + 1], columns 2 and 3, to v[d] and v[d + 1]. */
CL_C_INLINE void round_of_64(bool inverse, unsigned int d, unsigned int s, const uint32_t fields[4],
			     unsigned int k)
{
	const unsigned int a = s;
	const unsigned int b = s + 1;

	WIDE_SHIFT_RIGHT(4, a); /* v4: columns 1 and 2 */
	WIDE_SHIFT_LEFT(6, b);
	WIDE_EXCLUSIVE(4, 6);
	WIDE_SHIFT_RIGHT(5, b); /* v5: columns 3 and 0 */
	WIDE_SHIFT_LEFT(6, a);
	WIDE_EXCLUSIVE(5, 6);
	half_of_64(d, (const unsigned int[]){a, inverse ? 5 : 4, b, inverse ? 4 : 5}, fields,
		   2 * k);
	half_of_64(d + 1, (const unsigned int[]){b, inverse ? 4 : 5, a, inverse ? 5 : 4}, fields,
		   2 * k + 1);
}

/** The fields of a round's lookups, in registers that the compiler does not make anew. */
CL_C_INLINE void load_fields(bool inverse, unsigned int first, uint32_t fields[4])
{
#pragma GCC unroll 4
	for (unsigned int row = 0; row < 4; row++) {
		const unsigned int column = inverse ? 4 - row : row;

		fields[row] = BENCH_WIDE == WIDE_PTLU_64
				      ? WIDE_FIELDS(first + row, row, 4u)
				      : WIDE_FIELDS(first + row, (4 * column + row) % 16, 4u);
		__asm__("" : "+r"(fields[row]));
	}
}

CL_C_INLINE void ptlu_round(bool inverse, unsigned int d, unsigned int s, const uint32_t fields[4],
			    unsigned int k)
{
	if (BENCH_WIDE == WIDE_PTLU_64) {
		round_of_64(inverse, 2 * d, 2 * s, fields, k);
	} else {
		round_of_128(d, s, fields, k);
	}
}

CL_C_INLINE void ptlu_block(bool inverse, unsigned int rounds)
{
	uint32_t middle[4];
	uint32_t last[4];

	load_fields(inverse, 0, middle);
	load_fields(inverse, 4, last);
	if (BENCH_WIDE == WIDE_PTLU_64) {
		WIDE_ADD_KEY_64(0, 0);
		WIDE_ADD_KEY_64(1, 1);
	} else {
		WIDE_ADD_KEY_128(0, 0);
	}
#pragma GCC unroll 7
	for (unsigned int k = 1; k + 1 < rounds; k += 2) {
		ptlu_round(inverse, 1, 0, middle, k);
		ptlu_round(inverse, 0, 1, middle, k + 1);
	}
	ptlu_round(inverse, 1, 0, middle, rounds - 1);
	ptlu_round(inverse, 0, 1, last, rounds);
}

CL_C_INLINE void zvkned_block(bool inverse, unsigned int rounds)
{
	if (inverse) {
		VAESZ(0, rounds);
#pragma GCC unroll 14
		for (unsigned int k = rounds - 1; k > 0; k--) {
			VAESDM(0, k);
		}
		VAESDF(0, 0);
	} else {
		VAESZ(0, 0);
#pragma GCC unroll 14
		for (unsigned int k = 1; k < rounds; k++) {
			VAESEM(0, k);
		}
		VAESEF(0, rounds);
	}
}

#define LENGTH(direction, inverse, key_bits)                                                       \
	APART static void block_##direction##_##key_bits(const uint32_t *in, uint32_t *out)        \
	{                                                                                          \
		move_in(in);                                                                       \
		if (ZVKNED) {                                                                      \
			zvkned_block(inverse, (key_bits) / 32 + 6);                                \
		} else {                                                                           \
			ptlu_block(inverse, (key_bits) / 32 + 6);                                  \
		}                                                                                  \
		move_out(out);                                                                     \
	}                                                                                          \
                                                                                                   \
	static int ecb_##direction##_##key_bits(void *hw, const struct cl_engine_key *key,         \
						uint32_t chain[4], const uint32_t *in,             \
						uint32_t *out, size_t blocks)                      \
	{                                                                                          \
		(void)hw;                                                                          \
		(void)key;                                                                         \
		(void)chain;                                                                       \
		for (; blocks > 0; blocks--, in += 4, out += 4) {                                  \
			block_##direction##_##key_bits(in, out);                                   \
		}                                                                                  \
		return 0;                                                                          \
	}

LENGTH(encrypt, false, 128)
LENGTH(encrypt, false, 192)
LENGTH(encrypt, false, 256)
LENGTH(decrypt, true, 128)
LENGTH(decrypt, true, 192)
LENGTH(decrypt, true, 256)

#define LENGTHS(name)                                                                              \
	{                                                                                          \
		name##_128, name##_192, name##_256                                                 \
	}

/** All eight tables: T0 to T3 of the rows, T4 to T7 the substitution in each row; in every lane. */
static void write_tables(bool inverse)
{
	const uint32_t(*const tables)[256] = inverse ? cl_aes_inv_tables : cl_aes_tables;
	const uint8_t *const sbox = inverse ? cl_aes_inv_sbox : cl_aes_sbox;

	for (uint32_t x = 0; x < 256; x++) {
#pragma GCC unroll 4
		for (unsigned int row = 0; row < 4; row++) {
#pragma GCC unroll 4
			for (unsigned int c = 0; c < (BENCH_WIDE == WIDE_PTLU_64 ? 2 : 4); c++) {
				WIDE_TABLE_WRITE(row, c, x, tables[row][x]);
				WIDE_TABLE_WRITE(4 + row, c, x, (uint32_t)sbox[x] << 8 * row);
			}
		}
	}
}

/** Round keys of AES-128 and AES-256 by the unit, into k0 and on. */
CL_C_INLINE void schedule_in_unit(const uint32_t *key, unsigned int key_bits)
{
	write_key(0, key);
	if (key_bits == 128) {
#pragma GCC unroll 10
		for (unsigned int rnd = 1; rnd <= 10; rnd++) {
			VAESKF1(rnd, rnd - 1, rnd);
		}
		return;
	}
	write_key(1, key + 4);
#pragma GCC unroll 13
	for (unsigned int rnd = 2; rnd <= 14; rnd++) {
		VMV(rnd, rnd - 2);
		VAESKF2(rnd, rnd - 1, rnd);
	}
}

static int set_key(void *hw, struct cl_engine_key *key, const uint8_t *key_bytes,
		   unsigned int key_bits, bool decrypt)
{
	WIDE_CHOOSE(BENCH_WIDE);
	if (ZVKNED && key_bits != 192) {
		uint32_t words[8];

		memcpy(words, key_bytes, key_bits / 8);
		schedule_in_unit(words, key_bits);
		return 0;
	}
	const int result = cl_modes_c_set_key(hw, key, key_bytes, key_bits, decrypt && !ZVKNED);

	if (result != 0) {
		return result;
	}
	if (!ZVKNED) {
		write_tables(decrypt);
	}
#pragma GCC unroll 15
	for (unsigned int k = 0; k < 15; k++) {
		write_key(k, key->round_key + 4 * k);
	}
	return 0;
}

static const struct cl_modes modes = {
	.name = "wide",
	.set_key = set_key,
	.ecb = {LENGTHS(ecb_encrypt), LENGTHS(ecb_decrypt)},
};

const struct bench_variant bench_variants[] = {
	{.modes = &modes},
};

const uint32_t bench_variant_count = sizeof(bench_variants) / sizeof(bench_variants[0]);
