/* SPDX-License-Identifier: BSD-2-Clause */
#include "mka/mka.h"

#include <errno.h>
#include <string.h>

#include "engine/cmac.h"
#include "mka/kdf.h"
#include "mka/key_wrap.h"
#include "zeroize.h"

#define VERSION 1u
#define PORT    1u /* Port number in this participant's SCI (secure channel identifier). */
/**
 * Shortest time in milliseconds between two MKPDUs that this participant sends (SEND_GAP_MS), and
 * between two SAKs that it makes as key server (MAKE_GAP_MS).
 */
#define SEND_GAP_MS 50u
#define MAKE_GAP_MS 500u
/**
 * Limits against floods of MKPDUs. In each period of WINDOW_MS milliseconds, MKA checks the ICV
 * (integrity check value) of at most CHECKS_UNKNOWN MKPDUs from unknown members and of at most
 * CHECKS_KNOWN MKPDUs from known members.
 */
#define WINDOW_MS      1000u
#define CHECKS_UNKNOWN 32u
#define CHECKS_KNOWN   512u
/** A SAK is replaced when a packet number reaches this value (IEEE 802.1X-2020, 9.8). */
#define PN_EXHAUSTION 0xc0000000u
/** After this message number, the participant chooses a new member identifier. */
#define NUMBER_LAST UINT32_MAX
/** Value of the field "confidentiality offset": encrypt from the first byte. */
#define CONFIDENTIALITY_OFFSET_0 1u
#define ETHERTYPE                12u
#define ETHERNET_BYTES           14u

static bool same_mi(const struct cl_mkpdu_member *a, const struct cl_mkpdu_member *b)
{
	return memcmp(a->mi, b->mi, CL_MKPDU_MI_BYTES) == 0;
}

static bool same_member(const struct cl_mkpdu_member *a, const struct cl_mkpdu_member *b)
{
	return same_mi(a, b) && a->number == b->number;
}

/**
 * Returns true if @p time_ms milliseconds have passed since @p since_ms. The function also works if
 * @p since_ms is a little later than @p now_ms; it then returns false.
 */
static bool has_passed(uint32_t now_ms, uint32_t since_ms, uint32_t time_ms)
{
	return (int32_t)(now_ms - since_ms) >= (int32_t)time_ms;
}

static const struct cl_mka_peer *find_live(const struct cl_mka *mka)
{
	for (size_t i = 0; i < CL_MKA_PEERS; i++) {
		if (mka->peers[i].kind == CL_MKA_LIVE) {
			return &mka->peers[i];
		}
	}
	return NULL;
}

/* SecY. */

/** Returns the SAK that protects the transmitted frames, or NULL if there is none. */
static const struct cl_mka_sak *transmitting(const struct cl_mka *mka)
{
	return mka->latest.transmits ? &mka->latest : mka->old.transmits ? &mka->old : NULL;
}

static unsigned int receiving(const struct cl_mka_sak *sak)
{
	return sak->receives ? 1u << sak->an : 0;
}

/**
 * Sets the SecY's policy according to the SAKs in use. If no SAK protects transmitted frames, the
 * policy selects a transmit SA (encodingSA) that has no key. The controlled port then transmits
 * nothing.
 */
static void apply(struct cl_mka *mka)
{
	const struct cl_mka_sak *const sak = transmitting(mka);
	struct cl_secy_policy policy = {
		.protect = true,
		.encrypt = sak == NULL ? mka->config.encrypt : sak->encrypts,
		.include_sci = mka->config.include_sci,
		.validate = CL_SECY_STRICT,
		.replay_protect = mka->config.replay_protect,
		.replay_window = mka->config.replay_window,
		.receive_ans = (uint8_t)(receiving(&mka->latest) | receiving(&mka->old)),
	};

	if (sak != NULL) {
		policy.transmit_an = sak->an;
	} else {
		while ((mka->latest.there && policy.transmit_an == mka->latest.an) ||
		       (mka->old.there && policy.transmit_an == mka->old.an)) {
			policy.transmit_an++;
		}
	}
	cl_secy_set_policy(mka->config.secy, &policy);
}

static void remove_sas(struct cl_mka *mka, uint8_t an)
{
	cl_secy_remove(mka->config.secy, CL_SECY_RECEIVE, an);
	cl_secy_remove(mka->config.secy, CL_SECY_TRANSMIT, an);
}

/**
 * Stops the use of a SAK, if the SAK is installed: first changes the SecY's policy, then removes
 * the SAK's SAs.
 */
static void withdraw(struct cl_mka *mka, struct cl_mka_sak *sak)
{
	if (sak->there) {
		sak->receives = false;
		sak->transmits = false;
		apply(mka);
		remove_sas(mka, sak->an);
		memset(sak, 0, sizeof(*sak));
	}
}

/** Closes the controlled port, and removes all SAs. */
static void close_port(struct cl_mka *mka)
{
	withdraw(mka, &mka->latest);
	withdraw(mka, &mka->old);
	mka->distributes = false;
	mka->rekeys = false;
	mka->retires = false;
}

/**
 * Stores @p ki, the key identifier of a SAK that was installed. @p ki replaces the stored key
 * identifier of the same key server.
 */
static void remember(struct cl_mka *mka, const struct cl_mkpdu_member *ki)
{
	size_t i = 0;

	while (i < CL_MKA_PEERS - 1 && !same_mi(&mka->installed[i], ki)) {
		i++;
	}
	memmove(&mka->installed[1], &mka->installed[0], i * sizeof(*ki));
	mka->installed[0] = *ki;
}

/**
 * Returns true if the SAK with key identifier @p ki, or a later SAK of the same key server, was
 * installed before.
 */
static bool was_installed(const struct cl_mka *mka, const struct cl_mkpdu_member *ki)
{
	for (size_t i = 0; i < CL_MKA_PEERS; i++) {
		if (same_mi(&mka->installed[i], ki)) {
			return ki->number <= mka->installed[i].number;
		}
	}
	return false;
}

/**
 * Installs a SAK, and stores it as `latest`. The participant then receives with this SAK, but does
 * not transmit with it yet. Returns false if the SecY failed.
 */
static bool install(struct cl_mka *mka, const struct cl_mka_sak *sak, const uint8_t *key)
{
	const struct cl_secy *const secy = mka->config.secy;
	struct cl_secy_sa sa = {
		.direction = CL_SECY_RECEIVE,
		.an = sak->an,
		.key_bits = sak->bits,
		.pn = 1,
	};

	/*
	 * Of the SAKs `latest` and `old`, keep only the SAK that protects transmitted frames, as
	 * `old`. Remove that SAK, too, if it has the same AN (association number) as the new SAK.
	 */
	withdraw(mka, mka->latest.transmits ? &mka->old : &mka->latest);
	if (mka->latest.there) {
		mka->old = mka->latest;
		memset(&mka->latest, 0, sizeof(mka->latest));
	}
	if (mka->old.an == sak->an) {
		withdraw(mka, &mka->old);
	}
	mka->retires = false;
	memcpy(sa.key, key, sak->bits / 8u);
	int status = cl_secy_install(secy, &sa);

	if (status == 0) {
		sa.direction = CL_SECY_TRANSMIT;
		status = cl_secy_install(secy, &sa);
	}
	cl_zeroize(&sa, sizeof(sa));
	if (status != 0) {
		remove_sas(mka, sak->an);
		apply(mka);
		mka->counts.faults++;
		return false;
	}
	mka->latest = *sak;
	mka->latest.there = true;
	mka->latest.receives = true;
	remember(mka, &sak->ki);
	apply(mka);
	mka->counts.keys++;
	mka->urgent = true;
	return true;
}

/** Starts to protect transmitted frames with the SAK `latest`. */
static void transmit(struct cl_mka *mka, uint32_t now_ms)
{
	mka->latest.transmits = true;
	mka->old.transmits = false;
	mka->distributes = false;
	mka->retires = true;
	mka->retire_ms = now_ms;
	apply(mka);
	mka->urgent = true;
}

/* Members. */

/**
 * Chooses a new member identifier. Deletes all peers and closes the port, because the peers regard
 * this participant as a new member.
 */
static int rename_self(struct cl_mka *mka)
{
	struct cl_mkpdu_member id = {.number = 0};
	const int status = mka->config.random(mka->config.context, id.mi, sizeof(id.mi));

	if (status != 0) {
		mka->counts.faults++;
		return status;
	}
	mka->id = id;
	memset(mka->recent, 0, sizeof(mka->recent));
	memset(mka->peers, 0, sizeof(mka->peers));
	close_port(mka);
	return 0;
}

/** Forgets the live peer. */
static void lose(struct cl_mka *mka, struct cl_mka_peer *peer)
{
	memset(peer, 0, sizeof(*peer));
	close_port(mka);
	mka->counts.lost++;
}

/**
 * Returns true if this participant is the key server (IEEE 802.1X-2020, 9.5). A peer is a candidate
 * for key server while its MKPDUs have the flag "key server". A peer that accepts this participant
 * as key server sends its MKPDUs without the flag.
 */
static bool is_server(const struct cl_mka *mka, const struct cl_mka_peer *peer)
{
	if (mka->config.priority == CL_MKA_NEVER_SERVER) {
		return false;
	}
	if (!peer->server || mka->config.priority != peer->priority) {
		return !peer->server || mka->config.priority < peer->priority;
	}
	return memcmp(mka->sci, peer->sci, sizeof(mka->sci)) < 0;
}

static struct cl_mka_peer *find(struct cl_mka *mka, const struct cl_mkpdu_member *id)
{
	for (size_t i = 0; i < CL_MKA_PEERS; i++) {
		if (mka->peers[i].kind != CL_MKA_NOBODY && same_mi(&mka->peers[i].id, id)) {
			return &mka->peers[i];
		}
	}
	return NULL;
}

/**
 * Returns an entry for a new potential peer: a free entry, or else the entry of the oldest
 * potential peer.
 */
static struct cl_mka_peer *make_room(struct cl_mka *mka, uint32_t now_ms)
{
	struct cl_mka_peer *oldest = NULL;

	for (size_t i = 0; i < CL_MKA_PEERS; i++) {
		struct cl_mka_peer *const peer = &mka->peers[i];

		if (peer->kind == CL_MKA_NOBODY) {
			return peer;
		}
		if (peer->kind == CL_MKA_POTENTIAL &&
		    (oldest == NULL || now_ms - peer->heard_ms > now_ms - oldest->heard_ms)) {
			oldest = peer;
		}
	}
	return oldest;
}

/** Result of looking for this participant in the peer list of a received MKPDU. */
enum listed {
	NOT_LISTED,
	/**
	 * The list contains a recent message number of this participant. So the peer has received
	 * one of this participant's last messages.
	 */
	LISTED,
	/**
	 * The list contains this participant's member identifier, with a message number that this
	 * participant has not sent yet. So another member has chosen the same member identifier.
	 */
	COLLIDES,
};

static enum listed find_self(const struct cl_mka *mka, const struct cl_mkpdu_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct cl_mkpdu_member entry = cl_mkpdu_entry(list, i);

		if (same_mi(&entry, &mka->id)) {
			return entry.number > mka->id.number ? COLLIDES
			       : entry.number > mka->recent[CL_MKA_LIFE_MS / CL_MKA_HELLO_MS]
				       ? LISTED
				       : NOT_LISTED;
		}
	}
	return NOT_LISTED;
}

/* Receive. */

static bool is_authentic(struct cl_mka *mka, const struct cl_mkpdu *mkpdu, const uint8_t *frame)
{
	uint8_t mac[CL_BLOCK_BYTES];
	uint8_t difference = 0;
	const int status = cl_cmac(mka->config.engine, mka->keys.ick, mka->config.cak_bits, frame,
				   mkpdu->protected_bytes, mac);

	if (status != 0) {
		mka->counts.faults++;
		return false;
	}
	for (size_t i = 0; i < CL_MKPDU_ICV_BYTES; i++) {
		difference |= mac[i] ^ frame[mkpdu->protected_bytes + i];
	}
	cl_zeroize(mac, sizeof(mac));
	mka->counts.forged += difference != 0;
	return difference == 0;
}

/** Installs the SAK that the key server distributes, unless it was installed before. */
static void take_sak(struct cl_mka *mka, const struct cl_mka_peer *peer,
		     const struct cl_mkpdu_sak *distributed)
{
	const struct cl_mka_config *const config = &mka->config;
	struct cl_mka_sak sak = {
		.encrypts = distributed->confidentiality != 0,
		.an = distributed->an,
		.bits = distributed->bits,
		.ki = peer->id,
	};
	uint8_t key[CL_KEY_BYTES_MAX];

	sak.ki.number = distributed->key_number;
	if (was_installed(mka, &sak.ki)) {
		return;
	}
	if (is_server(mka, peer) || !peer->server || distributed->bits == 0 ||
	    distributed->confidentiality > CONFIDENTIALITY_OFFSET_0 ||
	    (config->encrypt && distributed->confidentiality == 0) ||
	    cl_key_unwrap(config->engine, config->modes, config->modes_hw, mka->keys.kek,
			  config->cak_bits, distributed->wrapped, key,
			  distributed->bits / 8u) != 0) {
		mka->counts.refused++;
		return;
	}
	install(mka, &sak, key);
	cl_zeroize(key, sizeof(key));
}

/** Handles the parameter set "MACsec SAK Use", in which the live peer tells which SAKs it uses. */
static void take_use(struct cl_mka *mka, struct cl_mka_peer *peer, const struct cl_mkpdu_use *use,
		     uint32_t now_ms)
{
	const struct cl_mkpdu_member *const ki = &mka->latest.ki;
	const bool server = is_server(mka, peer);
	/*
	 * Look for this participant's SAK `latest` among the two SAKs that the peer reports: the
	 * peer's latest SAK and the peer's old SAK.
	 */
	const struct cl_mkpdu_key_use *const key = !use->keys                         ? NULL
						   : same_member(&use->latest.ki, ki) ? &use->latest
						   : same_member(&use->old.ki, ki)    ? &use->old
										      : NULL;

	peer->bounded = use->delay_protect;
	/*
	 * The key server transmits with a new SAK as soon as the peer receives with this SAK. The
	 * other participant transmits with the new SAK as soon as the key server does.
	 */
	if (mka->latest.there && key != NULL && !mka->latest.transmits &&
	    (server ? key->receives : key->transmits)) {
		transmit(mka, now_ms);
	}
	/*
	 * Make a new SAK if the SAK `latest` has few packet numbers left, or if the peer no longer
	 * receives with it. The peer must not install `latest` again after it has removed `latest`.
	 */
	if (server && mka->latest.transmits) {
		mka->rekeys |= key == NULL || !key->receives || key->lowest_pn >= PN_EXHAUSTION;
	}
}

/**
 * Makes @p peer, a potential peer, the live peer, and returns true. Returns false if another
 * machine already is the live peer. That machine then stays the live peer.
 */
static bool revive(struct cl_mka *mka, struct cl_mka_peer *peer)
{
	const struct cl_mka_peer *const live = find_live(mka);

	if (live != NULL) {
		/*
		 * If the live peer and the potential peer have the same SCI, they are one machine,
		 * which has restarted.
		 */
		if (memcmp(live->sci, peer->sci, sizeof(peer->sci)) != 0) {
			mka->counts.crowded++;
			return false;
		}
		lose(mka, &mka->peers[live - mka->peers]);
	}
	peer->kind = CL_MKA_LIVE;
	mka->counts.faults += cl_secy_set_sci(mka->config.secy, mka->sci, peer->sci) != 0;
	mka->urgent = true;
	return true;
}

/** Handles an authentic MKPDU. */
static void take(struct cl_mka *mka, struct cl_mka_peer *peer, const struct cl_mkpdu *mkpdu,
		 uint32_t now_ms)
{
	const struct cl_mkpdu_basic *const basic = &mkpdu->basic;
	const enum listed live = find_self(mka, &mkpdu->live);
	const enum listed potential = find_self(mka, &mkpdu->potential);

	if (same_mi(&basic->actor, &mka->id) || live == COLLIDES || potential == COLLIDES) {
		mka->id.number = NUMBER_LAST;
		mka->urgent = true;
		return;
	}
	if (peer == NULL) {
		peer = make_room(mka, now_ms);
		memset(peer, 0, sizeof(*peer));
		peer->kind = CL_MKA_POTENTIAL;
		memcpy(peer->sci, basic->sci, sizeof(peer->sci));
		peer->heard_ms = now_ms;
		mka->urgent = true;
	} else if (memcmp(peer->sci, basic->sci, sizeof(peer->sci)) != 0) {
		mka->counts.crowded++;
		return;
	}
	peer->id = basic->actor;
	peer->priority = basic->priority;
	peer->server = basic->server;
	peer->capability = basic->desired ? basic->capability : 0;
	if ((live != LISTED && potential != LISTED) ||
	    (peer->kind == CL_MKA_POTENTIAL && !revive(mka, peer))) {
		return;
	}
	peer->heard_ms = now_ms;
	if (mkpdu->sak.there) {
		take_sak(mka, peer, &mkpdu->sak);
	}
	take_use(mka, peer, &mkpdu->use, now_ms);
}

void cl_mka_receive(struct cl_mka *mka, const uint8_t *frame, size_t size, uint32_t now_ms)
{
	struct cl_mka_counts *const counts = &mka->counts;
	struct cl_mkpdu mkpdu;

	if (!mka->started || size < ETHERNET_BYTES || frame[ETHERTYPE] != 0x88 ||
	    frame[ETHERTYPE + 1] != 0x8e) {
		return;
	}
	if (cl_mkpdu_read(&mkpdu, frame, size) != 0) {
		counts->malformed++;
		return;
	}
	if (mkpdu.basic.ckn_bytes != mka->config.ckn_bytes ||
	    memcmp(mkpdu.basic.ckn, mka->config.ckn, mka->config.ckn_bytes) != 0) {
		counts->strangers++;
		return;
	}
	struct cl_mka_peer *const peer = find(mka, &mkpdu.basic.actor);

	/*
	 * Ignore an MKPDU with this participant's own SCI: the network has returned an MKPDU that
	 * this participant sent. This is not a sign of another member with the same member
	 * identifier.
	 */
	if (memcmp(mkpdu.basic.sci, mka->sci, sizeof(mka->sci)) == 0 ||
	    (peer != NULL && mkpdu.basic.actor.number <= peer->id.number)) {
		counts->repeated++;
		return;
	}
	if (mka->checks[peer != NULL] == 0) {
		counts->flooded++;
		return;
	}
	mka->checks[peer != NULL]--;
	if (is_authentic(mka, &mkpdu, frame)) {
		counts->accepted++;
		take(mka, peer, &mkpdu, now_ms);
	}
}

/* Transmit. */

/** Makes a SAK (IEEE 802.1X-2020, 9.8.1), installs it and begins to distribute it. */
static void make_sak(struct cl_mka *mka, const struct cl_mka_peer *peer)
{
	const struct cl_mka_config *const config = &mka->config;
	const size_t bytes = config->sak_bits / 8u;
	struct cl_mka_sak sak = {
		.encrypts = config->encrypt,
		.an = mka->latest.there ? (mka->latest.an + 1u) % CL_SECY_ASSOCIATIONS : 0,
		.bits = config->sak_bits,
		.ki = mka->id,
	};
	/* Context of the key derivation: nonce, both member identifiers, key number. */
	uint8_t context[CL_MKA_CONTEXT_MAX];
	uint8_t key[CL_KEY_BYTES_MAX];
	int status = config->random(config->context, context, bytes);

	sak.ki.number = ++mka->key_number;
	memcpy(context + bytes, peer->id.mi, CL_MKPDU_MI_BYTES);
	cl_mkpdu_put_entry(context + bytes + CL_MKPDU_MI_BYTES, &sak.ki);
	if (status == 0) {
		status = cl_mka_kdf(
			config->engine, mka->keys.cak, config->cak_bits, CL_MKA_LABEL_SAK, context,
			bytes + CL_MKPDU_MI_BYTES + CL_MKPDU_ENTRY_BYTES, key, config->sak_bits);
	}
	if (status == 0) {
		mka->distributed = (struct cl_mkpdu_sak){
			.there = true,
			.an = sak.an,
			.confidentiality = config->encrypt ? CONFIDENTIALITY_OFFSET_0 : 0,
			.bits = config->sak_bits,
			.key_number = sak.ki.number,
		};
		status = cl_key_wrap(config->engine, mka->keys.kek, config->cak_bits, key, bytes,
				     mka->distributed.wrapped);
	}
	if (status != 0) {
		mka->counts.faults++;
	} else if (install(mka, &sak, key)) {
		mka->distributes = true;
		mka->rekeys = false;
	}
	cl_zeroize(context, sizeof(context));
	cl_zeroize(key, sizeof(key));
}

/** Makes a SAK if this participant is key server and needs one (IEEE 802.1X-2020, 9.8). */
static void serve(struct cl_mka *mka, const struct cl_mka_peer *live, uint32_t now_ms)
{
	uint32_t gap_ms = MAKE_GAP_MS;

	if (!is_server(mka, live)) {
		mka->distributes = false;
		mka->rekeys = false;
		return;
	}
	if (mka->distributes ||
	    (mka->latest.there && same_mi(&mka->latest.ki, &mka->id) && !mka->rekeys) ||
	    live->capability <
		    (mka->config.encrypt ? CL_MKPDU_CONFIDENTIALITY : CL_MKPDU_INTEGRITY)) {
		return;
	}
	for (size_t i = 0; i < CL_MKA_PEERS; i++) {
		if (mka->peers[i].kind == CL_MKA_POTENTIAL) {
			gap_ms = CL_MKA_LIFE_MS;
		}
	}
	if (has_passed(now_ms, mka->made_ms, gap_ms)) {
		mka->made_ms = now_ms;
		make_sak(mka, live);
	}
}

static void put_key_use(struct cl_mkpdu_key_use *use, const struct cl_mka_sak *sak)
{
	use->an = sak->an;
	use->transmits = sak->transmits;
	use->receives = sak->receives;
	use->ki = sak->ki;
	use->lowest_pn = sak->pn_before > 0 ? sak->pn_before : 1;
}

static void put_lists(const struct cl_mka *mka, struct cl_mkpdu *mkpdu,
		      uint8_t entries[CL_MKA_PEERS][CL_MKPDU_ENTRY_BYTES])
{
	size_t count = 0;

	for (unsigned int kind = CL_MKA_LIVE; kind > CL_MKA_NOBODY; kind--) {
		struct cl_mkpdu_list *const list =
			kind == CL_MKA_LIVE ? &mkpdu->live : &mkpdu->potential;

		list->entries = entries[count];
		for (size_t i = 0; i < CL_MKA_PEERS; i++) {
			if (mka->peers[i].kind == kind) {
				cl_mkpdu_put_entry(entries[count++], &mka->peers[i].id);
				list->count++;
			}
		}
	}
}

static void send(struct cl_mka *mka, const struct cl_mka_peer *live, uint32_t now_ms)
{
	const struct cl_mka_config *const config = &mka->config;
	uint8_t entries[CL_MKA_PEERS][CL_MKPDU_ENTRY_BYTES];
	uint8_t frame[CL_MKPDU_WRITE_MAX];
	struct cl_mkpdu mkpdu = {
		.basic =
			{
				.version = VERSION,
				.priority = config->priority,
				.server = config->priority != CL_MKA_NEVER_SERVER &&
					  (live == NULL || is_server(mka, live)),
				.desired = true,
				.capability = CL_MKPDU_CONFIDENTIALITY,
				.ckn = config->ckn,
				.ckn_bytes = config->ckn_bytes,
			},
	};

	mka->sent_ms = now_ms;
	mka->urgent = false;
	mka->id.number++;
	memcpy(mkpdu.mac, config->mac, sizeof(mkpdu.mac));
	memcpy(mkpdu.basic.sci, mka->sci, sizeof(mka->sci));
	mkpdu.basic.actor = mka->id;
	put_lists(mka, &mkpdu, entries);
	if (mka->latest.there || mka->old.there) {
		mkpdu.use.there = true;
		mkpdu.use.keys = true;
		put_key_use(&mkpdu.use.latest, &mka->latest);
		put_key_use(&mkpdu.use.old, &mka->old);
	}
	if (mka->distributes) {
		mkpdu.sak = mka->distributed;
	}
	const size_t size = cl_mkpdu_write(&mkpdu, frame);

	if (cl_cmac(config->engine, mka->keys.ick, config->cak_bits, frame, size, frame + size) !=
	    0) {
		mka->counts.faults++;
		return;
	}
	config->send(config->context, frame, size + CL_MKPDU_ICV_BYTES);
	mka->counts.sent++;
}

/** Reads from the SecY the packet number of the next frame to be transmitted with a SAK. */
static void sample(const struct cl_mka *mka, struct cl_mka_sak *sak)
{
	if (sak->there) {
		const uint64_t pn = cl_secy_next_pn(mka->config.secy, CL_SECY_TRANSMIT, sak->an);

		sak->pn_before = sak->pn;
		sak->pn = pn == 0 || pn > UINT32_MAX ? UINT32_MAX : (uint32_t)pn;
	}
}

/** Does MKA's periodic work. Called once every CL_MKA_HELLO_MS milliseconds. */
static void tick(struct cl_mka *mka)
{
	const struct cl_secy *const secy = mka->config.secy;

	memmove(&mka->recent[1], &mka->recent[0], sizeof(mka->recent) - sizeof(mka->recent[0]));
	mka->recent[0] = mka->id.number;
	sample(mka, &mka->latest);
	sample(mka, &mka->old);
	if (mka->latest.transmits &&
	    (cl_secy_expiring(secy) || mka->latest.pn >= PN_EXHAUSTION ||
	     cl_secy_next_pn(secy, CL_SECY_RECEIVE, mka->latest.an) >= PN_EXHAUSTION)) {
		/*
		 * Only the key server makes SAKs. If the peer is the key server, serve() sets the
		 * flag back to false.
		 */
		mka->rekeys = true;
	}
}

void cl_mka_poll(struct cl_mka *mka, uint32_t now_ms)
{
	if (!mka->started) {
		return;
	}
	if (has_passed(now_ms, mka->window_ms, WINDOW_MS)) {
		mka->window_ms = now_ms;
		mka->checks[false] = CHECKS_UNKNOWN;
		mka->checks[true] = CHECKS_KNOWN;
	}
	if (has_passed(now_ms, mka->tick_ms, CL_MKA_HELLO_MS)) {
		mka->tick_ms = now_ms;
		tick(mka);
	}
	for (size_t i = 0; i < CL_MKA_PEERS; i++) {
		struct cl_mka_peer *const peer = &mka->peers[i];

		if (peer->kind != CL_MKA_NOBODY &&
		    has_passed(now_ms, peer->heard_ms, CL_MKA_LIFE_MS)) {
			if (peer->kind == CL_MKA_LIVE) {
				lose(mka, peer);
			}
			memset(peer, 0, sizeof(*peer));
		}
	}
	if (mka->retires && has_passed(now_ms, mka->retire_ms, CL_MKA_RETIRE_MS)) {
		mka->retires = false;
		withdraw(mka, &mka->old);
	}
	const struct cl_mka_peer *live = find_live(mka);

	if (live != NULL) {
		serve(mka, live, now_ms);
	}
	const uint32_t hello_ms = mka->config.hello_ms != 0       ? mka->config.hello_ms
				  : live != NULL && live->bounded ? CL_MKA_BOUNDED_HELLO_MS
								  : CL_MKA_HELLO_MS;

	if (!has_passed(now_ms, mka->sent_ms, mka->urgent ? SEND_GAP_MS : hello_ms)) {
		return;
	}
	if (mka->id.number == NUMBER_LAST) {
		mka->sent_ms = now_ms;
		if (rename_self(mka) != 0) {
			return;
		}
		mka->counts.renamed++;
		live = NULL;
	}
	send(mka, live, now_ms);
}

/* Start and stop. */

static bool is_supported(const struct cl_mka_config *config)
{
	return (config->cak_bits == 128 || config->cak_bits == 256) &&
	       (config->sak_bits == 128 || config->sak_bits == 256) && config->ckn_bytes > 0 &&
	       config->ckn_bytes <= CL_MKPDU_CKN_MAX && config->replay_window <= 64;
}

/**
 * Derives the keys ICK and KEK from the CAK (IEEE 802.1X-2020, 9.3.3). The context of the
 * derivation is the CAK's name. The name is cut to 16 bytes, or padded with zeros to 16 bytes.
 */
static int derive(struct cl_mka *mka)
{
	const struct cl_mka_config *const config = &mka->config;
	uint8_t context[16] = {0};
	int status;

	memcpy(context, config->ckn,
	       config->ckn_bytes < sizeof(context) ? config->ckn_bytes : sizeof(context));
	status = cl_mka_kdf(config->engine, mka->keys.cak, config->cak_bits, CL_MKA_LABEL_ICK,
			    context, sizeof(context), mka->keys.ick, config->cak_bits);
	return status != 0 ? status
			   : cl_mka_kdf(config->engine, mka->keys.cak, config->cak_bits,
					CL_MKA_LABEL_KEK, context, sizeof(context), mka->keys.kek,
					config->cak_bits);
}

int cl_mka_start(struct cl_mka *mka, const struct cl_mka_config *config, uint32_t now_ms)
{
	if (!is_supported(config)) {
		return -EINVAL;
	}
	cl_zeroize(mka, sizeof(*mka));
	mka->config = *config;
	memcpy(mka->keys.cak, config->cak, config->cak_bits / 8u);
	cl_zeroize(mka->config.cak, sizeof(mka->config.cak));
	memcpy(mka->sci, config->mac, sizeof(config->mac));
	mka->sci[sizeof(mka->sci) - 1] = PORT;
	mka->urgent = true;
	mka->sent_ms = now_ms - SEND_GAP_MS;
	mka->made_ms = now_ms - CL_MKA_LIFE_MS;
	mka->tick_ms = now_ms;
	mka->window_ms = now_ms - WINDOW_MS;
	int status = derive(mka);

	if (status == 0) {
		status = rename_self(mka);
	}
	if (status != 0) {
		cl_zeroize(mka, sizeof(*mka));
		return status;
	}
	mka->started = true;
	apply(mka);
	for (uint8_t an = 0; an < CL_SECY_ASSOCIATIONS; an++) {
		remove_sas(mka, an);
	}
	return 0;
}

void cl_mka_stop(struct cl_mka *mka)
{
	if (mka->started) {
		close_port(mka);
	}
	cl_zeroize(mka, sizeof(*mka));
}

int cl_mka_rekey(struct cl_mka *mka)
{
	const struct cl_mka_peer *const live = find_live(mka);

	if (live == NULL || !is_server(mka, live) || !mka->latest.there) {
		return -EPERM;
	}
	mka->rekeys = true;
	return 0;
}

struct cl_mka_state cl_mka_state(const struct cl_mka *mka)
{
	const struct cl_mka_peer *const live = find_live(mka);
	const struct cl_mka_sak *const sak = transmitting(mka);
	struct cl_mka_state state = {.counts = mka->counts};

	state.phase = !mka->started       ? CL_MKA_OFF
		      : live == NULL      ? CL_MKA_ALONE
		      : sak != NULL       ? CL_MKA_SECURED
		      : mka->latest.there ? CL_MKA_RECEIVING
					  : CL_MKA_PEER;
	if (live != NULL) {
		state.server = is_server(mka, live);
		memcpy(state.peer_sci, live->sci, sizeof(state.peer_sci));
	}
	if (sak != NULL) {
		state.key_bits = sak->bits;
		state.an = sak->an;
		state.key_number = sak->ki.number;
	}
	return state;
}
