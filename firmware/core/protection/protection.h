/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Protects the board's Ethernet with MACsec, by static keys or by MKA. Contains the handlers of the
 * record types `macsec`, `protect` and `agree`, for boards with a SecY.
 */
#ifndef CL_PROTECTION_H
#define CL_PROTECTION_H

#include <stdint.h>

#include "macsec/secy.h"
#include "mka/mka.h"
#include "service/platform.h"

/**
 * Number of static keys that the board remembers. If a host tries to install a remembered key
 * again, the board refuses.
 */
#define CL_MACSEC_KEYS 16u

/** State of MACsec. It contains no keys except MKA's CAK and the two keys derived from the CAK. */
struct cl_macsec {
	/** Handlers that the service calls. Must be the first member. */
	struct cl_macsec_handlers handlers;
	const struct cl_secy *secy;
	uint8_t sci[CL_SECY_SCI_BYTES];
	uint8_t peer_sci[CL_SECY_SCI_BYTES];
	uint8_t suite;
	/**
	 * State of the board's controlled port while MKA is stopped. Closed: no frame passes. Open:
	 * all frames pass. Protected: static keys protect the frames.
	 */
	enum {
		CL_MACSEC_CLOSED,
		CL_MACSEC_OPEN,
		CL_MACSEC_PROTECTED,
	} port;
	/** Token of the last request that installed static keys. */
	uint64_t token;
	struct cl_secy_policy policy;
	/**
	 * `keys`: numbers that identify the static transmit keys that hosts sent last. `key_count`:
	 * number of entries written to `keys` since power-on.
	 */
	uint64_t keys[CL_MACSEC_KEYS];
	uint32_t key_count;
	/**
	 * `mka`: state of MKA. `config`: configuration of MKA. The platform's main program sets the
	 * platform-dependent members of `config`, such as `engine`. A request of type `agree` sets
	 * the remaining members.
	 */
	struct cl_mka mka;
	struct cl_mka_config config;
	/** Time of the last call of cl_macsec_poll in milliseconds, modulo 2^32. */
	uint32_t now_ms;
};

/**
 * Zeroizes all keys in the SecY. Afterwards all frames pass, unless the hardware requires MACsec.
 * The board's SCI is its MAC address and port number 1 (IEEE 802.1AE-2018, 8.2.1).
 */
void cl_macsec_init(struct cl_macsec *macsec, const struct cl_secy *secy, const uint8_t mac[6]);

/** Does the work of MKA that is due at @p now_ms. Call it at least every 100 ms. */
void cl_macsec_poll(struct cl_macsec *macsec, uint32_t now_ms);

/** Handles a received EAPOL frame (EtherType 0x888e), without its frame check sequence. */
void cl_macsec_receive(struct cl_macsec *macsec, const uint8_t *frame, size_t size);

#endif
