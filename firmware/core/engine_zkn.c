/**
 * @file
 * Engine `zkn`: AES with aes32esmi and aes32esi, sixteen instructions a round, as the scalar
 * cryptography extension proposes it. The instructions have no side effects, so the compiler may
 * schedule them.
 */
#include "engine_zkn.h"

#include <errno.h>
#include <stdint.h>

#include "cl_wire.h"
#include "ctr.h"
#include "engines.h"

/* funct7 is the byte select (bits 6:5) and the operation, as in the standard; the opcode is
 * custom-0. */
#define ESI  0x11
#define ESMI 0x13
#define INSTRUCTION(operation, select, rs1, rs2)                                                   \
	({                                                                                         \
		uint32_t rd_;                                                                      \
		__asm__(".insn r 0x0b, 0, %3, %0, %1, %2"                                          \
			: "=r"(rd_)                                                                \
			: "r"(rs1), "r"(rs2), "i"((select) << 5 | (operation)));                   \
		rd_;                                                                               \
	})

/** Column of a round: row r comes from column r of the state, counted from this one. */
#define COLUMN(operation, key, a, b, c, d)                                                         \
	INSTRUCTION(operation, 3,                                                                  \
		    INSTRUCTION(operation, 2,                                                      \
				INSTRUCTION(operation, 1, INSTRUCTION(operation, 0, key, a), b),   \
				c),                                                                \
		    d)

#define ROUND(operation, to, from, round_key)                                                      \
	do {                                                                                       \
		to[0] = COLUMN(operation, (round_key)[0], from[0], from[1], from[2], from[3]);     \
		to[1] = COLUMN(operation, (round_key)[1], from[1], from[2], from[3], from[0]);     \
		to[2] = COLUMN(operation, (round_key)[2], from[2], from[3], from[0], from[1]);     \
		to[3] = COLUMN(operation, (round_key)[3], from[3], from[0], from[1], from[2]);     \
	} while (0)

static inline __attribute__((always_inline)) void
encrypt(unsigned int rounds, const uint32_t *round_key, const uint32_t in[4], uint32_t out[4])
{
	uint32_t even[4];
	uint32_t odd[4];

	for (unsigned int i = 0; i < 4; i++) {
		even[i] = in[i] ^ round_key[i];
	}
#pragma GCC unroll 7
	for (unsigned int round = 1; round + 1 < rounds; round += 2) {
		ROUND(ESMI, odd, even, round_key + 4 * round);
		ROUND(ESMI, even, odd, round_key + 4 * round + 4);
	}
	ROUND(ESMI, odd, even, round_key + 4 * (rounds - 1));
	ROUND(ESI, out, odd, round_key + 4 * rounds);
}

static void cipher(const struct cl_engine_key *key, const uint32_t in[4], uint32_t out[4])
{
	if (key->rounds == 10) {
		encrypt(10, key->round_key, in, out);
	} else if (key->rounds == 12) {
		encrypt(12, key->round_key, in, out);
	} else {
		encrypt(14, key->round_key, in, out);
	}
}

static int zkn_ctr(const struct cl_engine *engine, const struct cl_engine_key *key,
		   const uint8_t counter[CL_BLOCK_BYTES], const uint8_t *in, uint8_t *out,
		   size_t len)
{
	(void)engine;
	if (key->key_bits == 0) {
		return -EINVAL;
	}
	cl_ctr_run(cipher, key, counter, in, out, len);
	return 0;
}

const struct cl_engine cl_engine_zkn = {
	.code = CL_WIRE_ENGINE_ZKN,
	.name = "zkn",
	.set_key = cl_engine_c_set_key,
	.ctr = zkn_ctr,
	.clear = cl_engine_c_clear,
};
