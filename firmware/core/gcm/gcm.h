/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * AES-GCM (SP 800-38D) with any AES engine.
 */
#ifndef CL_GCM_H
#define CL_GCM_H

#include <stdbool.h>

#include "engine/engine.h"

/** Returns true if the engine supports GCM, that is, if the engine's cipher is AES. */
static inline bool cl_gcm_has(const struct cl_engine *engine)
{
	return engine->known_answer == NULL;
}

/**
 * Encrypts or decrypts a message. Uses the engine's operation for whole messages if there is one,
 * otherwise the engine's CTR mode and GHASH. The engine's hasher computes GHASH; if there is no
 * hasher, C code does (ghash.h). The time of GHASH depends only on the lengths.
 *
 * Decryption writes nothing to `out` before it has verified the tag. Afterwards, memory holds
 * neither the hash subkey nor keystream.
 *
 * @param engine an engine for which cl_gcm_has returns true
 * @return as cl_engine.gcm
 */
int cl_gcm_run(const struct cl_engine *engine, const struct cl_engine_key *key,
	       const struct cl_gcm_message *message);

#endif
