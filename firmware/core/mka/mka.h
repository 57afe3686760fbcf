/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * MACsec Key Agreement (MKA, IEEE 802.1X-2020, clauses 9 and 11) with a pre-shared key, the CAK.
 *
 * MKA finds the peer, elects a key server, agrees on secure association keys (SAKs), and drives the
 * SecY. Between cl_mka_start and cl_mka_stop, the controlled port is either secured or closed.
 * While there is no peer, only EAPOL frames pass, as the standard requires for a port with a CAK.
 * Do not start MKA on a port that must also send unprotected frames.
 *
 * Limits:
 * - The group has two members. Further members stay potential peers and are counted.
 * - GCM-AES-128 and GCM-AES-256, with confidentiality offset 0 or integrity only; no XPN.
 * - wpa_supplicant 2.10 agrees on SAKs of 256 bits, but cannot use them: it creates its interface
 *   for GCM-AES-128. Set sak_bits to 128 for it. CAKs of 256 bits work.
 * - MKA version 1 is sent, as wpa_supplicant 2.10 does; newer versions are accepted.
 * - Delay protection is not enforced. If the peer asks for it, MKPDUs are sent every 0.5 s.
 * - A stranger who floods the port with MKPDUs of the right CKN can delay a new peer, because only
 *   a limited number of ICVs is computed in a second. The live peer has a limit of its own.
 *
 * How firmware uses MKA:
 *
 *     static struct cl_mka mka;                         // zero at power-on
 *
 *     status = cl_mka_start(&mka, &config, now_ms);     // a CAK has arrived
 *     cl_zeroize(&config, sizeof(config));              // MKA has its own copy
 *
 *     for (;;) {                                        // the main loop
 *             if (a frame of EtherType 0x888e has arrived) {
 *                     cl_mka_receive(&mka, frame, size, now_ms);
 *             }
 *             cl_mka_poll(&mka, now_ms);                // may call config.send once
 *     }
 *
 * - On a board, `engine` is cl_engine_ise_fused, `modes` is cl_modes_ise_by_block with the same
 *   device, and `random` calls cl_random_condition.
 * - The frame reaches from the destination address to the last byte before the FCS. It can be in a
 *   slot of the Ethernet MAC. Pass frames to the group address 01:80:c2:00:00:03.
 * - Call cl_mka_poll at least every 100 ms. A call takes at most the time of 80 AES blocks and two
 *   calls of cl_secy_install.
 * - cl_mka_stop zeroizes all keys and leaves the controlled port closed. A policy with
 *   validateFrames disabled and without protectFrames opens the port.
 * - A closed port has protectFrames set, validateFrames strict, and no SA: the SecY then drops all
 *   frames to send and to receive, except EAPOL.
 *
 * No function waits, allocates memory or recurses. Call all functions from the same thread.
 */
#ifndef CL_MKA_H
#define CL_MKA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "engine/modes.h"
#include "macsec/secy.h"
#include "mka/mkpdu.h"

/** Times of IEEE 802.1X-2020, Table 9-3, in milliseconds. */
#define CL_MKA_HELLO_MS         2000u
#define CL_MKA_BOUNDED_HELLO_MS 500u
#define CL_MKA_LIFE_MS          6000u
#define CL_MKA_RETIRE_MS        3000u

/** Key server priority of a participant that never becomes key server. */
#define CL_MKA_NEVER_SERVER 255u
/** Largest number of peers that MKA stores: one live peer and some potential peers. */
#define CL_MKA_PEERS 4u

struct cl_mka_config {
	const struct cl_secy *secy;
	/** AES engine that MKA uses with all keys except the SAK. */
	const struct cl_engine *engine;
	/**
	 * Functions for AES decryption, which MKA needs to unwrap SAKs: for example cl_modes_byte
	 * or cl_modes_ise_by_block. MKA calls only set_key and ecb[1], with one block per call. To
	 * zeroize the key that set_key has expanded, MKA calls the function `clear` of `engine`.
	 */
	const struct cl_modes *modes;
	void *modes_hw;
	/**
	 * Writes random bytes with full entropy.
	 *
	 * @retval 0 done
	 * @retval -errno there are no random bytes
	 */
	int (*random)(void *context, uint8_t *bytes, size_t count);
	/**
	 * Sends a frame on the uncontrolled port, that is, without MACsec. The frame does not
	 * include the frame check sequence.
	 */
	void (*send)(void *context, const uint8_t *frame, size_t size);
	/** First argument of `random` and `send`. */
	void *context;
	/**
	 * This participant's MAC address. The participant's SCI (secure channel identifier)
	 * consists of this address and port number 1.
	 */
	uint8_t mac[6];
	/** The CAK (pre-shared key). `cak_bits` is 128 or 256; the key has cak_bits / 8 bytes. */
	uint16_t cak_bits;
	uint8_t cak[CL_KEY_BYTES_MAX];
	/** The CAK's name (CKN), 1 to 32 bytes. */
	uint8_t ckn_bytes;
	uint8_t ckn[CL_MKPDU_CKN_MAX];
	/**
	 * Key server priority: the participant with the lowest number becomes key server. A
	 * participant with CL_MKA_NEVER_SERVER never becomes key server.
	 */
	uint8_t priority;
	/** Length in bits of the SAKs that this participant makes as key server: 128 or 256. */
	uint16_t sak_bits;
	/**
	 * True: SAKs of this participant encrypt frames and protect their integrity. This
	 * participant then refuses another key server's SAK if that SAK does not encrypt. False:
	 * SAKs of this participant only protect the integrity of frames.
	 */
	bool encrypt;
	/** True if the SecTAG of each frame must contain the SCI. */
	bool include_sci;
	/**
	 * `replay_protect`: drop frames with packet numbers below the replay window.
	 * `replay_window`: size of this window, 0 to 64.
	 */
	bool replay_protect;
	uint8_t replay_window;
	/**
	 * Time between two MKPDUs, in milliseconds. 0 selects the times of the standard: 2000, or
	 * 500 if the peer asked for delay protection.
	 */
	uint16_t hello_ms;
};

enum cl_mka_phase {
	/** MKA was not started, or was stopped; cl_mka_stop leaves the controlled port closed. */
	CL_MKA_OFF,
	/** There is no live peer; the controlled port is closed. */
	CL_MKA_ALONE,
	/** There is a live peer, but no SAK yet; the controlled port is closed. */
	CL_MKA_PEER,
	/** The first SAK is used to receive, but not yet to transmit. */
	CL_MKA_RECEIVING,
	/** The controlled port is secured in both directions. */
	CL_MKA_SECURED,
};

/** Counts of MKPDUs, SAKs and errors since cl_mka_start, modulo 2^32. */
struct cl_mka_counts {
	uint32_t sent;
	/** MKPDUs that passed all checks. */
	uint32_t accepted;
	/** Received frames that are not MKPDUs, or whose format is wrong. */
	uint32_t malformed;
	/** MKPDUs with a CKN other than this participant's. */
	uint32_t strangers;
	/** MKPDUs whose ICV was wrong. */
	uint32_t forged;
	/** MKPDUs whose message number did not increase, or that this participant sent itself. */
	uint32_t repeated;
	/**
	 * MKPDUs with a message number that did not increase, or with this participant's own SCI.
	 */
	uint32_t flooded;
	/**
	 * MKPDUs that were refused because the sender would be a third member, or because a known
	 * member has changed its SCI. A group has only two members.
	 */
	uint32_t crowded;
	/**
	 * SAKs that were refused, because the sender is not key server, or because the SAK is
	 * unsupported or damaged.
	 */
	uint32_t refused;
	/** SAKs that were installed. */
	uint32_t keys;
	/** Number of times that the live peer was lost or restarted. */
	uint32_t lost;
	/** Number of times that this participant chose a new member identifier. */
	uint32_t renamed;
	/** Errors of the engine, the random source or the SecY. */
	uint32_t faults;
};

struct cl_mka_state {
	enum cl_mka_phase phase;
	/** True if there is a live peer, and this participant is the key server. */
	bool server;
	/**
	 * Length in bits, association number and key number of the SAK that protects transmitted
	 * frames. `key_bits` is 0 if there is no such SAK.
	 */
	uint16_t key_bits;
	uint8_t an;
	uint32_t key_number;
	/** SCI of the live peer, or zeros. */
	uint8_t peer_sci[CL_SECY_SCI_BYTES];
	struct cl_mka_counts counts;
};

/**
 * The keys that a participant stores. cl_mka_stop zeroizes them. SAKs are not stored: a SAK is in
 * memory only while it is being installed.
 */
struct cl_mka_keys {
	uint8_t cak[CL_KEY_BYTES_MAX];
	/** Key of the ICV. */
	uint8_t ick[CL_KEY_BYTES_MAX];
	/** Key that wraps SAKs. */
	uint8_t kek[CL_KEY_BYTES_MAX];
};

struct cl_mka_peer {
	enum cl_mka_peer_kind {
		CL_MKA_NOBODY,
		CL_MKA_POTENTIAL,
		CL_MKA_LIVE
	} kind;
	struct cl_mkpdu_member id;
	uint8_t sci[CL_SECY_SCI_BYTES];
	uint8_t priority;
	uint8_t capability;
	/** True if the peer sets the flag "key server" in its MKPDUs. */
	bool server;
	/** True if the peer asked for delay protection. */
	bool bounded;
	/**
	 * Live peer: time in milliseconds at which the peer last proved that it is alive. Potential
	 * peer: time at which MKA found the peer.
	 */
	uint32_t heard_ms;
};

/** A SAK and the two secure associations (SAs) that use it. */
struct cl_mka_sak {
	/** True if this structure describes a SAK; false if the structure is empty. */
	bool there;
	bool receives, transmits;
	/** True if the SAK also encrypts; false if it protects only the integrity. */
	bool encrypts;
	uint8_t an;
	uint16_t bits;
	struct cl_mkpdu_member ki;
	/**
	 * Packet number of the next frame to transmit with this SAK: at the last tick (`pn`), and
	 * at the tick before the last (`pn_before`). A tick occurs every CL_MKA_HELLO_MS
	 * milliseconds.
	 */
	uint32_t pn, pn_before;
};

/**
 * State of an MKA participant. Zero it before the first cl_mka_start; only MKA uses its members.
 */
struct cl_mka {
	bool started;
	struct cl_mka_config config;
	struct cl_mka_keys keys;
	uint8_t sci[CL_SECY_SCI_BYTES];
	/** This participant's member identifier, and the last message number that it sent. */
	struct cl_mkpdu_member id;
	/**
	 * The last message number that this participant had sent at each of the last ticks; [0]: at
	 * the last tick. A tick occurs every CL_MKA_HELLO_MS milliseconds.
	 */
	uint32_t recent[CL_MKA_LIFE_MS / CL_MKA_HELLO_MS + 1u];
	struct cl_mka_peer peers[CL_MKA_PEERS];
	struct cl_mka_sak latest, old;
	/**
	 * For each key server, the key identifier of the last installed SAK from this server. MKA
	 * uses this list to avoid installing a SAK twice.
	 */
	struct cl_mkpdu_member installed[CL_MKA_PEERS];
	/**
	 * `distributes`: true while this participant, as key server, distributes the SAK `latest`.
	 * `distributed`: the SAK `latest` in wrapped form.
	 */
	bool distributes;
	struct cl_mkpdu_sak distributed;
	/** True if the key server must make a new SAK. */
	bool rekeys;
	/**
	 * `retire_ms`: time when the SAK `latest` began to protect transmitted frames. `retires`:
	 * true if MKA must remove the SAK `old` CL_MKA_RETIRE_MS milliseconds after `retire_ms`.
	 */
	bool retires;
	uint32_t retire_ms;
	/** True if an MKPDU must be sent as soon as possible. */
	bool urgent;
	/**
	 * `sent_ms`: time when the last MKPDU was sent. `made_ms`: time when the last SAK was made.
	 */
	uint32_t sent_ms, made_ms;
	/**
	 * `tick_ms`: time of the last tick. `window_ms`: start of the current one-second period.
	 * `checks` limits the number of ICVs in this period.
	 */
	uint32_t tick_ms, window_ms;
	/**
	 * Number of ICVs (integrity check values) that MKA is still allowed to compute in the
	 * period that began at `window_ms`. [0]: for unknown members. [1]: for known members.
	 */
	uint16_t checks[2];
	/** Key number of the SAK that this participant made last. */
	uint32_t key_number;
	struct cl_mka_counts counts;
};

/**
 * Starts a participant with a new member identifier, and closes the controlled port.
 *
 * @param now_ms present time in milliseconds, modulo 2^32
 * @retval 0 done
 * @retval -EINVAL a length or the replay window is not supported
 * @retval -errno an error of the engine or of the random source; the participant is off
 */
int cl_mka_start(struct cl_mka *mka, const struct cl_mka_config *config, uint32_t now_ms);

/** Zeroizes all keys in @p mka and in the SecY. The controlled port is closed afterwards. */
void cl_mka_stop(struct cl_mka *mka);

/** Handles a received EAPOL frame; ignores other frames. This function never sends a frame. */
void cl_mka_receive(struct cl_mka *mka, const uint8_t *frame, size_t size, uint32_t now_ms);

/** Does the work that is due: expires peers, makes SAKs, removes old SAKs, sends an MKPDU. */
void cl_mka_poll(struct cl_mka *mka, uint32_t now_ms);

/**
 * Asks for a new SAK.
 *
 * @retval 0 done: the next calls of cl_mka_poll make and distribute it
 * @retval -EPERM this participant is not key server, or there is no SAK yet
 */
int cl_mka_rekey(struct cl_mka *mka);

struct cl_mka_state cl_mka_state(const struct cl_mka *mka);

#endif
