/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Handlers of the records `macsec` and `protect`, for boards with a SecY.
 */
#ifndef CL_MACSEC_RECORDS_H
#define CL_MACSEC_RECORDS_H

#include <stdint.h>

#include "macsec/secy.h"
#include "service/platform.h"

/** Keys that the board refuses to transmit with again. */
#define CL_MACSEC_KEYS 16u

/** State of MACsec with static keys. It holds no key. */
struct cl_macsec {
	/** The functions that the service calls; first member. */
	struct cl_macsec_handlers handlers;
	const struct cl_secy *secy;
	uint8_t sci[CL_SECY_SCI_BYTES];
	uint8_t peer_sci[CL_SECY_SCI_BYTES];
	uint8_t suite;
	/** True if static keys protect all frames. */
	bool on;
	struct cl_secy_policy policy;
	/** Numbers that identify the last keys with which the board transmitted, and their count.
	 */
	uint64_t keys[CL_MACSEC_KEYS];
	uint32_t key_count;
};

/**
 * Zeroizes the SecY and sets the state off. The board's SCI is its MAC address with port 1 (IEEE
 * 802.1AE-2018, 8.2.1).
 */
void cl_macsec_init(struct cl_macsec *macsec, const struct cl_secy *secy, const uint8_t mac[6]);

#endif
