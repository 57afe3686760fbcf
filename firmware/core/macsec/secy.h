/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Driver of the SecY, the hardware that protects all Ethernet frames (IEEE 802.1AE-2018).
 *
 * For each direction, the SecY stores up to four secure associations (SA), with numbers 0 to 3. To
 * install an SA, the caller passes its key (SAK) and its first packet number. Never install a SAK
 * twice, because its packet numbers would repeat. Every call returns after a limited time.
 */
#ifndef CL_SECY_H
#define CL_SECY_H

#include <stdbool.h>
#include <stdint.h>

#define CL_SECY_SCI_BYTES    8u
#define CL_SECY_SSCI_BYTES   4u
#define CL_SECY_SALT_BYTES   12u
#define CL_SECY_ASSOCIATIONS 4u

/** Direction of a secure association: whether the board uses it to receive or to transmit. */
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
	/** Base address of the SecY's registers (cl_macsec_regs.h). */
	volatile uint32_t *regs;
};

/**
 * A secure association (SA). Its cipher suite is GCM-AES-128 or GCM-AES-256, or, if `xpn` is set,
 * GCM-AES-XPN-128 or GCM-AES-XPN-256.
 */
struct cl_secy_sa {
	enum cl_secy_direction direction;
	uint8_t an;
	bool xpn;
	/** Length of the key in bits: 128 or 256. `key` holds key_bits / 8 bytes. */
	uint16_t key_bits;
	uint8_t key[32];
	/**
	 * To transmit: the first packet number that the board sends. To receive: the lowest packet
	 * number that it accepts. At least 1.
	 */
	uint64_t pn;
	/** The sender's SSCI (short SCI) and salt; used only if `xpn` is set. */
	uint8_t ssci[CL_SECY_SSCI_BYTES];
	uint8_t salt[CL_SECY_SALT_BYTES];
};

/**
 * Tells the SecY what to do with frames. At power-on, the SecY protects nothing and lets all frames
 * pass.
 */
struct cl_secy_policy {
	/**
	 * For frames to transmit: whether the SecY protects them (protectFrames), encrypts them,
	 * and puts the SCI into their SecTAG.
	 */
	bool protect, encrypt, include_sci;
	/** Number of the SA that protects the next frames to transmit (encodingSA). */
	uint8_t transmit_an;
	/** Receive. */
	enum cl_secy_validate validate;
	bool replay_protect;
	/**
	 * Size of the replay window: 0 to 64. A received packet number is allowed to be lower than
	 * the next expected packet number by at most this size.
	 */
	uint8_t replay_window;
	/** Bit n is set if SA n is used to receive. */
	uint8_t receive_ans;
};

/** Zeroizes all SAs, drops all frames inside the SecY, and restores the policy of power-on. */
void cl_secy_zeroize(const struct cl_secy *secy);

/**
 * Sets the SCIs (secure channel identifiers) of the board and of its peer.
 *
 * @retval 0 done
 * @retval -EBUSY an SA is installed
 * @retval -ETIMEDOUT the hardware did not answer in time
 */
int cl_secy_set_sci(const struct cl_secy *secy, const uint8_t own[CL_SECY_SCI_BYTES],
		    const uint8_t peer[CL_SECY_SCI_BYTES]);

/**
 * Installs an SA. The new SA replaces an SA with the same number and direction. The SecY still uses
 * the old SA for frames that it is already processing.
 *
 * @retval 0 done: the SA can be used
 * @retval -EINVAL a number is out of range
 * @retval -ETIMEDOUT the hardware did not answer in time
 * @retval -EIO the hardware did not accept the key
 */
int cl_secy_install(const struct cl_secy *secy, const struct cl_secy_sa *sa);

/**
 * Removes an SA, and zeroizes the SA's key as soon as no frame uses the key. If an earlier command
 * does not end in time, zeroizes all SAs instead.
 */
void cl_secy_remove(const struct cl_secy *secy, enum cl_secy_direction direction, uint8_t an);

void cl_secy_set_policy(const struct cl_secy *secy, const struct cl_secy_policy *policy);

/**
 * Returns the next packet number of an SA. Returns 0 if the SA has no key or has used all packet
 * numbers, or if the hardware did not answer in time.
 */
uint64_t cl_secy_next_pn(const struct cl_secy *secy, enum cl_secy_direction direction, uint8_t an);

/** Returns true if the hardware requires MACsec. Then no policy can let unprotected frames pass. */
bool cl_secy_required(const struct cl_secy *secy);

/** Returns true if the SA that protects transmitted frames has used 3/4 of its packet numbers. */
bool cl_secy_expiring(const struct cl_secy *secy);

/** Returns the value of a counter, modulo 2^32. @p counter is CL_MACSEC_COUNTER_CODE_*. */
uint32_t cl_secy_count(const struct cl_secy *secy, uint32_t counter);

#endif
