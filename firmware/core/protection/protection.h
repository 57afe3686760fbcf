/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Protects the board's Ethernet with MACsec, by static keys or by MKA: handlers of the records
 * `macsec`, `protect` and `agree`, for boards with a SecY.
 */
#ifndef CL_PROTECTION_H
#define CL_PROTECTION_H

#include <stdint.h>

#include "macsec/secy.h"
#include "mka/mka.h"
#include "service/platform.h"

/** Keys that the board refuses to transmit with again. */
#define CL_MACSEC_KEYS 16u

/** State of MACsec. It holds no key except the CAK of MKA and keys derived from it. */
struct cl_macsec {
	/** The functions that the service calls; first member. */
	struct cl_macsec_handlers handlers;
	const struct cl_secy *secy;
	uint8_t sci[CL_SECY_SCI_BYTES];
	uint8_t peer_sci[CL_SECY_SCI_BYTES];
	uint8_t suite;
	/** Without MKA: all frames pass, none does, or static keys protect them. */
	enum {
		CL_MACSEC_CLOSED,
		CL_MACSEC_OPEN,
		CL_MACSEC_PROTECTED,
	} port;
	/** Token of the last request that installed static keys. */
	uint64_t token;
	struct cl_secy_policy policy;
	/** Numbers that identify the last keys with which the board transmitted, and their count.
	 */
	uint64_t keys[CL_MACSEC_KEYS];
	uint32_t key_count;
	/** Key agreement. The port fills in the engines and functions of its configuration. */
	struct cl_mka mka;
	struct cl_mka_config config;
	/** Milliseconds since the start, which wrap. */
	uint32_t now_ms;
};

/**
 * Zeroizes the SecY and sets the state off. The board's SCI is its MAC address with port 1 (IEEE
 * 802.1AE-2018, 8.2.1).
 */
void cl_macsec_init(struct cl_macsec *macsec, const struct cl_secy *secy, const uint8_t mac[6]);

/** Does the work of MKA that is due at @p now_ms. Call it at least every 100 ms. */
void cl_macsec_poll(struct cl_macsec *macsec, uint32_t now_ms);

/** Handles a received frame of EtherType 0x888e (EAPOL), without check sequence. */
void cl_macsec_receive(struct cl_macsec *macsec, const uint8_t *frame, size_t size);

#endif
