/**
 * @file
 * What a host asks the benchmark of LTE's layer 2, on bare metal and on Zephyr: how a transport
 * block is to be received, again and again.
 */
#ifndef LTE_BENCH_H
#define LTE_BENCH_H

#include <stdint.h>

#include "layer2.h"

/** The longest block, and how many packets are kept; beside them the buffer memory has 2 KB. */
#define LTE_BENCH_BLOCK_BYTES 50944u
#define LTE_BENCH_PACKETS     8u

#define LTE_BENCH_LCID     3u
#define LTE_BENCH_KEY_BITS 128u

/** Words of a request, little-endian; the block comes behind it, filled up to a word. */
struct lte_bench_request {
	/** 0: 128-EEA0, n: by engine n - 1 of the program's list, 128-EEA1 by `snow3g`. */
	uint32_t cipher;
	uint32_t passes;
	uint32_t key[4];
	/** COUNT of the first PDU. */
	uint32_t count;
	/** BEARER. */
	uint32_t identity;
	/** Of the block. */
	uint32_t bytes;
};

/** The receiver before the first PDU; @p engine is NULL for 128-EEA0. */
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
