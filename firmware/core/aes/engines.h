/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The engines in plain C. Every board has them.
 */
#ifndef CL_ENGINES_H
#define CL_ENGINES_H

#include "engine/engine.h"

/**
 * Engine in byte-oriented C, with little code. SubBytes uses a table of 256 bytes, and MixColumns
 * uses shifts. The run time depends on the data only if the CPU reads the table through a cache.
 */
extern const struct cl_engine cl_engine_byte;

/**
 * Engine in table-based C: the fastest engine in plain C. Four tables of 1 KB combine SubBytes,
 * ShiftRows and MixColumns. The run time depends on the data if the CPU reads the tables through a
 * cache.
 */
extern const struct cl_engine cl_engine_table;

/** Implements cl_engine.set_key for engines that need only the round keys of FIPS-197. */
int cl_engine_c_set_key(const struct cl_engine *engine, struct cl_engine_key *key,
			const uint8_t *key_bytes, unsigned int key_bits);

/** Implements cl_engine.clear for engines that keep no state outside struct cl_engine_key. */
void cl_engine_c_clear(const struct cl_engine *engine, struct cl_engine_key *key);

#endif
