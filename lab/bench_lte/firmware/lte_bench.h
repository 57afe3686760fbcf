/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The host's request to the benchmark of LTE's layer 2. The benchmark exists for bare metal and for
 * Zephyr. A request tells how to process a transport block, and how often.
 */
#ifndef LTE_BENCH_H
#define LTE_BENCH_H

#include <stdint.h>

#include "layer2.h"

/**
 * LTE_BENCH_BLOCK_BYTES is the maximum size of a transport block in bytes. LTE_BENCH_PACKETS is the
 * number of packets that the receiver stores before a new packet overwrites the oldest one. With
 * these sizes, 2 KB of the buffer memory stay free.
 */
#define LTE_BENCH_BLOCK_BYTES 50944u
#define LTE_BENCH_PACKETS     8u

#define LTE_BENCH_LCID     3u
#define LTE_BENCH_KEY_BITS 128u

/**
 * A request: little-endian words. After the request, the host sends the transport block, padded to
 * a whole word.
 */
struct lte_bench_request {
	/**
	 * Number of the engine; 0 means no engine (128-EEA0). Each benchmark program numbers its
	 * engines from 1 on, in its own order. The engine `snow3g` deciphers 128-EEA1, and all
	 * other engines decipher 128-EEA2.
	 */
	uint32_t cipher;
	uint32_t passes;
	uint32_t key[4];
	/** COUNT of the first PDCP PDU. */
	uint32_t count;
	/** BEARER (TS 33.401), 5 bits. */
	uint32_t identity;
	/** Length of the block in bytes. */
	uint32_t bytes;
};

/** Returns a bearer that expects the first PDU of a block. @p engine is NULL for 128-EEA0. */
static inline struct lte_bearer lte_bench_bearer(const struct lte_bench_request *request,
						 const struct cl_engine *engine,
						 const struct cl_engine_key *key)
{
	return (struct lte_bearer){
		.engine = engine,
		.key = key,
		.lcid = LTE_BENCH_LCID,
		.identity = (uint8_t)request->identity,
		.rlc_next = request->count & 0x3ff,
		.count = request->count - 1,
	};
}

#endif
