/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES as in FIPS-197. The tables are computed from the definitions of the finite field and of the
 * S-box.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

struct units units;
enum units_fault units_fault;
bool units_drained;
bool units_stale;

static uint8_t product[256][16];
static uint8_t sbox[256];
static uint8_t inv_sbox[256];

void units_die(const char *why)
{
	fprintf(stderr, "units: %s\n", why);
	abort();
}

bool units_strikes(enum units_fault fault)
{
	if (units_fault != fault) {
		return false;
	}
	units_fault = UNITS_SOUND;
	return true;
}

uint32_t units_polls(void)
{
	static uint32_t state = 1;

	state = state * 1664525u + 1013904223u;
	return 1 + (state >> 29);
}

static uint8_t multiply(uint8_t a, uint8_t b)
{
	uint8_t sum = 0;

	for (; b != 0; b >>= 1) {
		sum ^= (b & 1) != 0 ? a : 0;
		a = (uint8_t)(a << 1 ^ ((a & 0x80) != 0 ? 0x1b : 0));
	}
	return sum;
}

void units_aes_init(void)
{
	for (unsigned int x = 0; x < 256; x++) {
		unsigned int inverse = 0;

		for (unsigned int y = 1; y < 256 && inverse == 0; y++) {
			inverse = multiply((uint8_t)x, (uint8_t)y) == 1 ? y : 0;
		}
		unsigned int s = 0x63 ^ inverse;

		for (unsigned int n = 1; n < 5; n++) {
			s ^= inverse << n | inverse >> (8 - n);
		}
		sbox[x] = (uint8_t)s;
		inv_sbox[(uint8_t)s] = (uint8_t)x;
		for (uint8_t factor = 0; factor < 16; factor++) {
			product[x][factor] = multiply((uint8_t)x, factor);
		}
	}
}

void units_sub_bytes(uint8_t *bytes, size_t size, bool inverse)
{
	for (size_t i = 0; i < size; i++) {
		bytes[i] = inverse ? inv_sbox[bytes[i]] : sbox[bytes[i]];
	}
}

void units_shift_rows(uint8_t state[16], bool inverse)
{
	uint8_t old[16];

	memcpy(old, state, 16);
	for (unsigned int i = 0; i < 16; i++) {
		const unsigned int r = i % 4;

		state[i] = old[(inverse ? i + 16 - 4 * r : i + 4 * r) % 16];
	}
}

void units_mix_columns(uint8_t *columns, size_t size, bool inverse)
{
	static const uint8_t row[2][4] = {{2, 3, 1, 1}, {14, 11, 13, 9}};

	for (uint8_t *c = columns; c != columns + size; c += 4) {
		uint8_t old[4];

		memcpy(old, c, 4);
		for (unsigned int r = 0; r < 4; r++) {
			c[r] = 0;
			for (unsigned int i = 0; i < 4; i++) {
				c[r] ^= product[old[(r + i) % 4]][row[inverse][i]];
			}
		}
	}
}

void units_xor(uint8_t *to, const uint8_t *from, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		to[i] ^= from[i];
	}
}

void units_expand(struct units_key *key, const uint8_t *cipher_key, unsigned int bytes)
{
	uint8_t *const w = key->round_key[0];
	uint8_t rcon = 1;

	memset(key, 0, sizeof(*key));
	key->rounds = (uint8_t)(bytes / 4 + 6);
	memcpy(w, cipher_key, bytes);
	for (unsigned int i = bytes; i < 16u * (key->rounds + 1u); i += 4) {
		uint8_t word[4];

		memcpy(word, &w[i - 4], 4);
		if (i % bytes == 0) {
			const uint8_t turned[4] = {word[1], word[2], word[3], word[0]};

			memcpy(word, turned, 4);
			units_sub_bytes(word, 4, false);
			word[0] ^= rcon;
			rcon = multiply(rcon, 2);
		} else if (bytes == 32 && i % bytes == 16) {
			units_sub_bytes(word, 4, false);
		}
		units_xor(word, &w[i - bytes], 4);
		memcpy(&w[i], word, 4);
	}
}

void units_encrypt(const struct units_key *key, const uint8_t in[16], uint8_t out[16])
{
	uint8_t state[16];

	memcpy(state, in, 16);
	units_xor(state, key->round_key[0], 16);
	for (unsigned int round = 1; round <= key->rounds; round++) {
		units_sub_bytes(state, 16, false);
		units_shift_rows(state, false);
		if (round < key->rounds) {
			units_mix_columns(state, 16, false);
		}
		units_xor(state, key->round_key[round], 16);
	}
	memcpy(out, state, 16);
}

void units_add(uint8_t counter[16], uint64_t number, unsigned int width)
{
	unsigned int carry = 0;

	for (unsigned int i = 0; i < width; i++) {
		const unsigned int sum =
			counter[15 - i] + (i < 8 ? number >> 8 * i & 0xff : 0) + carry;

		counter[15 - i] = (uint8_t)sum;
		carry = sum >> 8;
	}
}
