/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A software model of the vector AES unit (gateware/isa/README.md). It carries out loads and stores
 * in program order.
 */
#include <string.h>

#include "model.h"

#define FAULT_UNALIGNED 1u
#define FAULT_ADDRESS   2u
#define FAULT_BUS       3u
#define UNIT_VERSION    2u
#define STATUS_PRODUCTS 0x100u

enum kind {
	LOAD,
	LOAD_XOR,
	STORE,
};

static uint8_t (*registers(void))[16]
{
	return units.vector.context[units.vector.selected].v;
}

static uint8_t (*keys(void))[16]
{
	return units.vector.context[units.vector.selected].k;
}

/**
 * Returns true if the unit's memory port or the bus refuses an access to @p address. Records the
 * fault, unless an earlier fault is still recorded.
 */
static bool fails(uint32_t address)
{
	uint32_t fault = 0;

	if (address % 16 != 0) {
		fault = FAULT_UNALIGNED;
	} else if (address - UNITS_ORIGIN >= UNITS_BYTES) {
		fault = FAULT_ADDRESS;
	} else if (units_strikes(UNITS_VECTOR_BUS)) {
		fault = FAULT_BUS;
	} else if (!units_drained) {
		units_die("a vector access while the CPU's stores may be under way");
	}
	if (fault != 0 && units.vector.fault == 0) {
		units.vector.fault = (address & ~15u) | fault;
	}
	return fault != 0;
}

static void carry_out_store(void)
{
	struct units_vector *const vector = &units.vector;
	struct units_request *const request = &vector->queue[vector->first];

	if (request->member && vector->broken) {
		/* Skip this request: its `vxor_group` instruction has already caused a fault. */
	} else if (fails(request->address) || (request->member && fails(request->destination))) {
		vector->broken = request->member;
	} else {
		uint8_t block[16] = {0};

		if (request->member) {
			memcpy(block, (const void *)(uintptr_t)request->address, 16);
		}
		units_xor(block, request->data, 16);
		memcpy((void *)(uintptr_t)request->destination, block, 16);
		units_stale = true;
	}
	vector->first = (vector->first + 1) % UNITS_QUEUE;
	vector->waiting--;
}

static void drain(void)
{
	while (units.vector.waiting > 0) {
		carry_out_store();
	}
}

static const struct units_request *add(unsigned int s, uint32_t address, uint32_t destination,
				       bool member)
{
	struct units_vector *const vector = &units.vector;
	struct units_request *const request =
		&vector->queue[(vector->first + vector->waiting) % UNITS_QUEUE];

	memcpy(request->data, registers()[s], 16);
	request->address = address + 16 * s;
	request->destination = destination + 16 * s;
	request->member = member;
	vector->waiting++;
	return request;
}

/**
 * Executes a load, or queues a store. If the queue is full, the function first executes the oldest
 * queued request. Before a load, it executes all queued requests.
 */
static void access_memory(enum kind kind, uint32_t address, unsigned int s)
{
	struct units_vector *const vector = &units.vector;
	uint8_t *const v = registers()[s];

	if (vector->waiting == UNITS_QUEUE) {
		carry_out_store();
	}
	const struct units_request *const request = add(s, address, address, false);

	if (kind == STORE) {
		return;
	}
	while (vector->waiting > 1) {
		carry_out_store();
	}
	vector->first = (vector->first + 1) % UNITS_QUEUE;
	vector->waiting = 0;
	if (!fails(request->address)) {
		memcpy(v, (const void *)(uintptr_t)request->address, 16);
		if (kind == LOAD_XOR) {
			units_xor(v, request->data, 16);
		}
	}
}

/**
 * Queues the eight requests of `vxor_group`. Each request reads a block at @p source, XORs it with
 * the present value of one state register, and stores the result at @p destination.
 */
static void access_group(uint32_t source, uint32_t destination)
{
	drain();
	units.vector.broken = false;
	for (unsigned int s = 0; s < 8; s++) {
		add(s, source, destination, true);
	}
}

static uint32_t memory_status(bool clear)
{
	drain();
	const uint32_t fault = units.vector.fault;

	if (clear) {
		units.vector.fault = 0;
	}
	return fault;
}

static void round_of(uint8_t state[16], bool inverse, bool shift, bool mix, const uint8_t key[16])
{
	units_sub_bytes(state, 16, inverse);
	if (shift) {
		units_shift_rows(state, inverse);
	}
	if (mix) {
		units_mix_columns(state, 16, inverse);
	}
	units_xor(state, key, 16);
}

static void last_round(uint8_t state[16], unsigned int funct7)
{
	static const unsigned int last[4] = {0, 10, 12, 14};

	round_of(state, (funct7 & 0x20) != 0, (funct7 & 0x40) != 0, false,
		 keys()[last[funct7 >> 3 & 3]]);
}

static uint32_t substituted(uint32_t word, unsigned int turn)
{
	word = turn == 0 ? word : word >> turn | word << (32 - turn);
	units_sub_bytes((uint8_t *)&word, 4, false);
	return word;
}

/** Multiplies two blocks as GCM does (SP 800-38D, algorithm 1). */
static void multiply(uint8_t result[16], const uint8_t x[16], const uint8_t y[16])
{
	uint8_t z[16] = {0};
	uint8_t v[16];

	memcpy(v, y, 16);
	for (unsigned int bit = 0; bit < 128; bit++) {
		const bool reduce = (v[15] & 1) != 0;

		if ((x[bit / 8] >> (7 - bit % 8) & 1) != 0) {
			units_xor(z, v, 16);
		}
		for (unsigned int n = 15; n > 0; n--) {
			v[n] = (uint8_t)(v[n] >> 1 | v[n - 1] << 7);
		}
		v[0] = (uint8_t)(v[0] >> 1 ^ (reduce ? 0xe1 : 0));
	}
	memcpy(result, z, 16);
}

/**
 * Executes the instructions with funct3 = 6: moves, products in GF(2^128), and the instructions
 * that return a value in rd.
 */
static uint32_t answering(unsigned int funct7, uint32_t rs1, uint32_t rs2)
{
	const uint32_t words[2] = {rs1, rs2};
	uint8_t *const v = registers()[funct7 & 7];
	uint32_t word;

	if ((funct7 & 0x68) == 0) {
		memcpy(v + 8 * (funct7 >> 4 & 1), words, 8);
		return 0;
	}
	if ((funct7 & 0x68) == 0x20) {
		units_xor(v + 8 * (funct7 >> 4 & 1), (const uint8_t *)words, 8);
		return 0;
	}
	if ((funct7 & 0x78) == 0x08) {
		uint8_t *const target = registers()[rs1 >> 4 & 7];
		uint8_t sum[16];

		memcpy(sum, v, 16);
		units_xor(sum, target, 16);
		multiply(target, sum, registers()[rs1 & 7]);
		return 0;
	}
	if ((funct7 & 0x78) == 0x18) {
		multiply(v, v, registers()[rs1 & 7]);
		return 0;
	}
	if ((funct7 & 0x60) == 0x40) {
		memcpy(&word, v + 4 * (funct7 >> 3 & 3), 4);
		return word ^ rs1;
	}
	switch (funct7) {
	case 0x60:
		memcpy(&word, keys()[rs1 >> 2 & 15] + 4 * (rs1 & 3), 4);
		return word;
	case 0x61:
		return substituted(rs1, 0) ^ rs2;
	case 0x62:
		return substituted(rs1, 8) ^ rs2;
	case 0x63:
		word = units.vector.selected;
		drain();
		units.vector.selected = rs1 % UNITS_CONTEXTS;
		return word;
	case 0x64:
		return UNIT_VERSION << 16 | STATUS_PRODUCTS | units.vector.selected;
	case 0x65:
		return memory_status((rs1 & 1) != 0);
	default:
		units_die("no such vector instruction");
	}
}

/**
 * Executes the instructions with funct3 = 7: ShiftRows, counter blocks, memory accesses, and writes
 * to key registers.
 */
static void others(unsigned int funct7, uint32_t rs1, uint32_t rs2)
{
	const unsigned int s = funct7 & 7;
	uint8_t *const v = registers()[s];
	uint32_t words[2] = {rs1, rs2};

	if (funct7 >= 0x40) {
		if (funct7 >= 0x60) {
			units_mix_columns((uint8_t *)words, 8, true);
		}
		memcpy(keys()[funct7 & 15] + 8 * (funct7 >> 4 & 1), words, 8);
		return;
	}
	switch (funct7 >> 3) {
	case 0:
	case 1:
		units_shift_rows(v, funct7 >> 3 == 1);
		break;
	case 2:
	case 3:
		memcpy(v, keys()[15], 16);
		units_add(v, (uint64_t)rs2 << 32 | rs1, 16);
		units_add(v, s, 16);
		if (funct7 >> 3 == 3) {
			units_xor(v, keys()[0], 16);
		}
		break;
	case 4:
		access_memory(LOAD, rs1, s);
		break;
	case 5:
		access_memory(LOAD_XOR, rs1, s);
		break;
	case 6:
		access_memory(STORE, rs1, s);
		break;
	default:
		if (s != 0) {
			units_die("no such vector instruction");
		}
		access_group(rs1, rs1 + rs2);
	}
}

uint32_t units_execute(unsigned int funct3, unsigned int funct7, uint64_t rs1, uint64_t rs2)
{
	uint8_t *const v = registers()[funct7 & 7];
	const uint8_t *const key = keys()[funct7 >> 3 & 15];

	if (funct3 > 7 || funct7 > 0x7f || rs1 > UINT32_MAX || rs2 > UINT32_MAX) {
		units_die("an operand of an instruction is too large");
	}
	switch (funct3) {
	case 0:
	case 1:
		round_of(v, funct3 == 1, false, true, key);
		return 0;
	case 2:
	case 3:
		round_of(v, funct3 == 3, true, true, key);
		return 0;
	case 4:
		units_xor(v, key, 16);
		return 0;
	case 5:
		last_round(v, funct7);
		return 0;
	case 6:
		return answering(funct7, (uint32_t)rs1, (uint32_t)rs2);
	default:
		others(funct7, (uint32_t)rs1, (uint32_t)rs2);
		return 0;
	}
}
