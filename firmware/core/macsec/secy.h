/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Driver of the SecY, the hardware that protects all Ethernet frames (IEEE 802.1AE-2018).
 *
 * Each direction holds four secure associations (SA), with numbers 0 to 3. An SA is installed as a
 * whole: its key (SAK) and its first packet number. Never install a SAK twice: its packet numbers
 * would repeat. Every call returns after a limited time.
 */
#ifndef CL_SECY_H
#define CL_SECY_H

#include <stdbool.h>
#include <stdint.h>

#define CL_SECY_SCI_BYTES    8u
#define CL_SECY_SSCI_BYTES   4u
#define CL_SECY_SALT_BYTES   12u
#define CL_SECY_ASSOCIATIONS 4u

/** Directions: the SAs with which the board receives, and those with which it transmits. */
enum cl_secy_direction {
	CL_SECY_RECEIVE,
	CL_SECY_TRANSMIT,
};

/** validateFrames (IEEE 802.1AE-2018, 10.7.8). */
enum cl_secy_validate {
	CL_SECY_STRICT,
	CL_SECY_CHECK,
	CL_SECY_DISABLED,
};

struct cl_secy {
	/** Base of the registers of cl_macsec_regs.h. */
	volatile uint32_t *regs;
};

/** A secure association. Its suite is GCM-AES-128 or -256, with @p xpn GCM-AES-XPN-128 or -256. */
struct cl_secy_sa {
	enum cl_secy_direction direction;
	uint8_t an;
	bool xpn;
	/** 128 or 256; the key has key_bits / 8 bytes. */
	uint16_t key_bits;
	uint8_t key[32];
	/** First packet number to send, or lowest acceptable number to receive; at least 1. */
	uint64_t pn;
	/** Of the sender; only with xpn. */
	uint8_t ssci[CL_SECY_SSCI_BYTES];
	uint8_t salt[CL_SECY_SALT_BYTES];
};

/** What the SecY does with frames. At power-on: nothing is protected, and all frames pass. */
struct cl_secy_policy {
	/** Transmit: protect frames (protectFrames), encrypt them, put the SCI into the SecTAG. */
	bool protect, encrypt, include_sci;
	/** Transmit: the SA of the next frames (encodingSA). */
	uint8_t transmit_an;
	/** Receive. */
	enum cl_secy_validate validate;
	bool replay_protect;
	/** Packet numbers below the next one that are still accepted, 0 to 64. */
	uint8_t replay_window;
	/** Bit n: SA n is used to receive. */
	uint8_t receive_ans;
};

/** Zeroizes all SAs, drops all frames inside, and sets the policy of power-on. */
void cl_secy_zeroize(const struct cl_secy *secy);

/**
 * Sets own SCI and the peer's.
 *
 * @retval 0 done
 * @retval -EBUSY an SA is installed
 * @retval -ETIMEDOUT the hardware did not answer in time
 */
int cl_secy_set_sci(const struct cl_secy *secy, const uint8_t own[CL_SECY_SCI_BYTES],
		    const uint8_t peer[CL_SECY_SCI_BYTES]);

/**
 * Installs an SA in place of an older one with the same number. Frames that use the old one end
 * with it.
 *
 * @retval 0 done: the SA may be used
 * @retval -EINVAL a number is out of range
 * @retval -ETIMEDOUT the hardware did not answer in time
 * @retval -EIO the hardware did not take the key
 */
int cl_secy_install(const struct cl_secy *secy, const struct cl_secy_sa *sa);

/**
 * Withdraws an SA, and zeroizes its key when no frame uses it. If an earlier command does not end
 * in time, zeroizes all SAs instead.
 */
void cl_secy_remove(const struct cl_secy *secy, enum cl_secy_direction direction, uint8_t an);

void cl_secy_set_policy(const struct cl_secy *secy, const struct cl_secy_policy *policy);

/** Returns the next packet number of an SA; 0 if the SA has no key, or no number is left. */
uint64_t cl_secy_next_pn(const struct cl_secy *secy, enum cl_secy_direction direction, uint8_t an);

/** Returns whether the hardware requires MACsec: no policy lets frames pass without it. */
bool cl_secy_required(const struct cl_secy *secy);

/** Returns whether the SA that transmits has used three quarters of its packet numbers. */
bool cl_secy_expiring(const struct cl_secy *secy);

/** Returns a counter of cl_macsec_regs.h, modulo 2^32. */
uint32_t cl_secy_count(const struct cl_secy *secy, uint32_t counter);

#endif
