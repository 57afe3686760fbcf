/**
 * @file
 * AES by the sets of instructions on wider registers (target only; wide_sets.h), of which
 * BENCH_WIDE is WIDE_PTLU_64, WIDE_PTLU_128 or WIDE_ZVKNED. Rounds stand in a row; round keys and,
 * of `ptlu`, tables lie in the unit beforehand.
 *
 * `ptlu` takes the equivalent inverse cipher to decrypt; Zvkned's instructions the inverse cipher,
 * whose round keys are those of encryption, and make the round keys of AES-128 and AES-256.
 */
#ifndef WIDE_ROUNDS_H
#define WIDE_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "c_modes.h"
#include "wide_sets.h"

#ifndef BENCH_WIDE
#define BENCH_WIDE 0u
#endif

CL_C_INLINE void wide_move_in(const uint32_t *in)
{
	if (BENCH_WIDE == WIDE_PTLU_64) {
		WIDE_MOVE_IN(0, 0, in[0], in[1]);
		WIDE_MOVE_IN(1, 0, in[2], in[3]);
	} else {
		WIDE_MOVE_IN(0, 0, in[0], in[1]);
		WIDE_MOVE_IN(0, 1, in[2], in[3]);
	}
}

CL_C_INLINE void wide_move_out(uint32_t *out)
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
CL_C_INLINE void wide_write_key(unsigned int k, const uint32_t *round_key)
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
CL_C_INLINE void wide_round_of_128(unsigned int d, unsigned int s, const uint32_t fields[4],
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
CL_C_INLINE void wide_half_of_64(unsigned int d, const unsigned int from[4],
				 const uint32_t fields[4], unsigned int k)
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
CL_C_INLINE void wide_round_of_64(bool inverse, unsigned int d, unsigned int s,
				  const uint32_t fields[4], unsigned int k)
{
	const unsigned int a = s;
	const unsigned int b = s + 1;

	WIDE_SHIFT_RIGHT(4, a); /* v4: columns 1 and 2 */
	WIDE_SHIFT_LEFT(6, b);
	WIDE_EXCLUSIVE(4, 6);
	WIDE_SHIFT_RIGHT(5, b); /* v5: columns 3 and 0 */
	WIDE_SHIFT_LEFT(6, a);
	WIDE_EXCLUSIVE(5, 6);
	wide_half_of_64(d, (const unsigned int[]){a, inverse ? 5 : 4, b, inverse ? 4 : 5}, fields,
			2 * k);
	wide_half_of_64(d + 1, (const unsigned int[]){b, inverse ? 4 : 5, a, inverse ? 5 : 4},
			fields, 2 * k + 1);
}

/** The fields of a round's lookups, in registers that the compiler does not make anew. */
CL_C_INLINE void wide_load_fields(bool inverse, unsigned int first, uint32_t fields[4])
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

CL_C_INLINE void wide_ptlu_round(bool inverse, unsigned int d, unsigned int s,
				 const uint32_t fields[4], unsigned int k)
{
	if (BENCH_WIDE == WIDE_PTLU_64) {
		wide_round_of_64(inverse, 2 * d, 2 * s, fields, k);
	} else {
		wide_round_of_128(d, s, fields, k);
	}
}

CL_C_INLINE void wide_ptlu_block(bool inverse, unsigned int rounds)
{
	uint32_t middle[4];
	uint32_t last[4];

	wide_load_fields(inverse, 0, middle);
	wide_load_fields(inverse, 4, last);
	if (BENCH_WIDE == WIDE_PTLU_64) {
		WIDE_ADD_KEY_64(0, 0);
		WIDE_ADD_KEY_64(1, 1);
	} else {
		WIDE_ADD_KEY_128(0, 0);
	}
#pragma GCC unroll 7
	for (unsigned int k = 1; k + 1 < rounds; k += 2) {
		wide_ptlu_round(inverse, 1, 0, middle, k);
		wide_ptlu_round(inverse, 0, 1, middle, k + 1);
	}
	wide_ptlu_round(inverse, 1, 0, middle, rounds - 1);
	wide_ptlu_round(inverse, 0, 1, last, rounds);
}

CL_C_INLINE void wide_zvkned_block(bool inverse, unsigned int rounds)
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

/** All eight tables: T0 to T3 of the rows, T4 to T7 the substitution in each row; in every lane. */
CL_C_INLINE void wide_write_tables(bool inverse)
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
CL_C_INLINE void wide_schedule_in_unit(const uint32_t *key, unsigned int key_bits)
{
	wide_write_key(0, key);
	if (key_bits == 128) {
#pragma GCC unroll 10
		for (unsigned int rnd = 1; rnd <= 10; rnd++) {
			VAESKF1(rnd, rnd - 1, rnd);
		}
		return;
	}
	wide_write_key(1, key + 4);
#pragma GCC unroll 13
	for (unsigned int rnd = 2; rnd <= 14; rnd++) {
		VMV(rnd, rnd - 2);
		VAESKF2(rnd, rnd - 1, rnd);
	}
}

CL_C_INLINE void wide_block(bool inverse, unsigned int rounds, const uint32_t *in, uint32_t *out)
{
	wide_move_in(in);
	if (BENCH_WIDE == WIDE_ZVKNED) {
		wide_zvkned_block(inverse, rounds);
	} else {
		wide_ptlu_block(inverse, rounds);
	}
	wide_move_out(out);
}

/** cl_modes.set_key: round keys and tables into the unit. */
CL_C_INLINE int wide_set_key(struct cl_engine_key *key, const uint8_t *key_bytes,
			     unsigned int key_bits, bool decrypt)
{
	const bool zvkned = BENCH_WIDE == WIDE_ZVKNED;

	WIDE_CHOOSE(BENCH_WIDE);
	if (zvkned && key_bits != 192) {
		uint32_t words[8];

		memcpy(words, key_bytes, key_bits / 8);
		wide_schedule_in_unit(words, key_bits);
		return 0;
	}
	const int result = cl_modes_c_set_key(NULL, key, key_bytes, key_bits, decrypt && !zvkned);

	if (result != 0) {
		return result;
	}
	if (!zvkned) {
		wide_write_tables(decrypt);
	}
#pragma GCC unroll 15
	for (unsigned int k = 0; k < 15; k++) {
		wide_write_key(k, key->round_key + 4 * k);
	}
	return 0;
}

#endif
