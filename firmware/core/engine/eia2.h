/**
 * @file
 * 128-EIA2 (TS 33.401, B.2.3) by any engine of AES: AES-CMAC (SP 800-38B) over COUNT || BEARER ||
 * DIRECTION || 26 zeros || message, of whose MAC the first 32 bits count.
 */
#ifndef CL_EIA2_H
#define CL_EIA2_H

#include "engine/engine.h"

#define CL_EIA2_BYTES 4u

struct cl_eia2_message {
	uint32_t count;
	/** 5 bits. */
	uint8_t bearer;
	/** 1 bit. */
	uint8_t direction;
	/** At any alignment; a byte's first bit is its highest. */
	const uint8_t *data;
	/** Length in bits, at most 2^31; what is behind it in the last byte does not count. */
	uint32_t bits;
};

/**
 * @param key_bytes 16 bytes
 * @param[out] mac MAC-T, first byte first; zeros on failure
 * @return 0, or what the engine returned
 */
int cl_eia2(const struct cl_engine *engine, const uint8_t *key_bytes,
	    const struct cl_eia2_message *message, uint8_t mac[CL_EIA2_BYTES]);

#endif
