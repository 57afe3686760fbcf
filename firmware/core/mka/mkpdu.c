/* SPDX-License-Identifier: BSD-2-Clause */
#include "mka/mkpdu.h"

#include <errno.h>
#include <string.h>

/* Offsets and values in the headers of Ethernet and EAPOL (IEEE 802.1X-2020, 11.3). */
#define MAC_BYTES     6u
#define FROM_MAC      6u
#define ETHERTYPE     12u
#define EAPOL_VERSION 14u
#define EAPOL_TYPE    15u
#define EAPOL_LENGTH  16u
#define BODY          18u
#define ETHERTYPE_PAE 0x888eu
#define VERSION_MIN   3u
#define TYPE_MKA      5u

/* Basic Parameter Set (Figure 11-8): offsets from its start, and values of its fields. */
#define BASIC_PRIORITY   1u
#define BASIC_FLAGS      2u
#define BASIC_SCI        4u
#define BASIC_ACTOR      12u
#define BASIC_ALGORITHM  28u
#define BASIC_CKN        32u
#define FLAG_SERVER      0x80u
#define FLAG_DESIRED     0x40u
#define CAPABILITY_SHIFT 4u
#define ALGORITHM        0x0080c201u

/* Each parameter set after the first consists of a header and a body (Figures 11-9 to 11-12). */
#define HEADER         4u
#define TYPE_LIVE      1u
#define TYPE_POTENTIAL 2u
#define TYPE_USE       3u
#define TYPE_SAK       4u
#define TYPE_ICV       255u

/*
 * Parameter set "MACsec SAK Use", which describes two SAKs. Byte 1 of the header contains 4 bits
 * for each SAK. The body contains 20 bytes for each SAK.
 */
#define USE_BYTES       40u
#define USE_KEY_BYTES   20u
#define LATEST_SHIFT    4u
#define KEY_AN_SHIFT    2u
#define KEY_TRANSMITS   2u
#define KEY_RECEIVES    1u
#define PLAIN_TRANSMITS 0x80u
#define PLAIN_RECEIVES  0x40u
#define DELAY_PROTECT   0x10u

/*
 * Parameter set "Distributed SAK". Its body is the key number, the cipher suite (absent for
 * GCM-AES-128) and the wrapped key.
 */
#define SAK_NUMBER_BYTES  4u
#define SAK_SUITE_BYTES   8u
#define SAK_AN_SHIFT      6u
#define SAK_OFFSET_SHIFT  4u
#define SAK_WRAPPED(bits) ((bits) / 8u + 8u)

static const uint8_t group[MAC_BYTES] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x03};
/** Bytes 0 to 6 of the identifiers of GCM-AES-128 and -256 (IEEE 802.1AE-2018, Table 14-1). */
static const uint8_t suites[SAK_SUITE_BYTES - 1] = {0x00, 0x80, 0xc2, 0x00, 0x01, 0x00, 0x00};
#define SUITE_GCM_128 1u
#define SUITE_GCM_256 2u

static uint32_t load_u16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t load_u32(const uint8_t *p)
{
	return load_u16(p) << 16 | load_u16(p + 2);
}

static void store_u16(uint8_t *p, size_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static void store_u32(uint8_t *p, uint32_t value)
{
	store_u16(p, value >> 16);
	store_u16(p + 2, value);
}

/** Returns the length in bytes of a parameter set's body, from 12 bits of the set's header. */
static size_t body_bytes(const uint8_t *set)
{
	return load_u16(set + 2) & 0xfffu;
}

static size_t padded(size_t size)
{
	return (size + 3u) & ~(size_t)3u;
}

static void load_member(struct cl_mkpdu_member *member, const uint8_t *p)
{
	memcpy(member->mi, p, CL_MKPDU_MI_BYTES);
	member->number = load_u32(p + CL_MKPDU_MI_BYTES);
}

void cl_mkpdu_put_entry(uint8_t *entry, const struct cl_mkpdu_member *member)
{
	memcpy(entry, member->mi, CL_MKPDU_MI_BYTES);
	store_u32(entry + CL_MKPDU_MI_BYTES, member->number);
}

struct cl_mkpdu_member cl_mkpdu_entry(const struct cl_mkpdu_list *list, size_t index)
{
	struct cl_mkpdu_member member;

	load_member(&member, list->entries + index * CL_MKPDU_ENTRY_BYTES);
	return member;
}

static bool read_list(struct cl_mkpdu_list *list, const uint8_t *body, size_t size)
{
	const bool again = list->entries != NULL;

	list->entries = body;
	list->count = size / CL_MKPDU_ENTRY_BYTES;
	return !again && size % CL_MKPDU_ENTRY_BYTES == 0;
}

static void read_key_use(struct cl_mkpdu_key_use *use, unsigned int flags, const uint8_t *body)
{
	use->an = flags >> KEY_AN_SHIFT & 3u;
	use->transmits = (flags & KEY_TRANSMITS) != 0;
	use->receives = (flags & KEY_RECEIVES) != 0;
	load_member(&use->ki, body);
	use->lowest_pn = load_u32(body + CL_MKPDU_ENTRY_BYTES);
}

static bool read_use(struct cl_mkpdu_use *use, const uint8_t *set, size_t size)
{
	const uint8_t *const body = set + HEADER;

	if (use->there || (size != 0 && size < USE_BYTES)) {
		return false;
	}
	use->there = true;
	use->plain_transmits = (set[2] & PLAIN_TRANSMITS) != 0;
	use->plain_receives = (set[2] & PLAIN_RECEIVES) != 0;
	use->delay_protect = (set[2] & DELAY_PROTECT) != 0;
	use->keys = size != 0;
	if (use->keys) {
		read_key_use(&use->latest, set[1] >> LATEST_SHIFT, body);
		read_key_use(&use->old, set[1], body + USE_KEY_BYTES);
	}
	return true;
}

static bool read_sak(struct cl_mkpdu_sak *sak, const uint8_t *set, size_t size)
{
	const uint8_t *body = set + HEADER;
	size_t rest = size - SAK_NUMBER_BYTES;

	if (sak->there) {
		return false;
	}
	sak->there = true;
	sak->an = set[1] >> SAK_AN_SHIFT;
	sak->confidentiality = set[1] >> SAK_OFFSET_SHIFT & 3u;
	if (size == 0) {
		return true;
	}
	if (size < SAK_NUMBER_BYTES + SAK_WRAPPED(128u)) {
		return false;
	}
	sak->key_number = load_u32(body);
	sak->bits = 128;
	body += SAK_NUMBER_BYTES;
	if (rest != SAK_WRAPPED(128u)) {
		if (rest < SAK_SUITE_BYTES + SAK_WRAPPED(128u)) {
			return false;
		}
		const unsigned int suite = body[sizeof(suites)];

		if (memcmp(body, suites, sizeof(suites)) != 0 ||
		    (suite != SUITE_GCM_128 && suite != SUITE_GCM_256)) {
			sak->bits = 0;
			return true;
		}
		sak->bits = suite == SUITE_GCM_128 ? 128 : 256;
		body += SAK_SUITE_BYTES;
		rest -= SAK_SUITE_BYTES;
		if (rest != SAK_WRAPPED(sak->bits)) {
			return false;
		}
	}
	memcpy(sak->wrapped, body, rest);
	return true;
}

/** Reads a parameter set. Ignores a set of unknown type. Returns false if the set is malformed. */
static bool read_set(struct cl_mkpdu *mkpdu, const uint8_t *set, size_t size)
{
	switch (set[0]) {
	case TYPE_LIVE:
		return read_list(&mkpdu->live, set + HEADER, size);
	case TYPE_POTENTIAL:
		return read_list(&mkpdu->potential, set + HEADER, size);
	case TYPE_USE:
		return read_use(&mkpdu->use, set, size);
	case TYPE_SAK:
		return read_sak(&mkpdu->sak, set, size);
	default:
		return true;
	}
}

static bool read_basic(struct cl_mkpdu_basic *basic, const uint8_t *set, size_t size)
{
	const size_t body = body_bytes(set);

	/* The caller has checked that the frame contains all fields that precede the CKN. */
	if (body <= BASIC_CKN - HEADER || body > BASIC_CKN - HEADER + CL_MKPDU_CKN_MAX ||
	    HEADER + padded(body) > size || load_u32(set + BASIC_ALGORITHM) != ALGORITHM) {
		return false;
	}
	basic->version = set[0];
	basic->priority = set[BASIC_PRIORITY];
	basic->server = (set[BASIC_FLAGS] & FLAG_SERVER) != 0;
	basic->desired = (set[BASIC_FLAGS] & FLAG_DESIRED) != 0;
	basic->capability = set[BASIC_FLAGS] >> CAPABILITY_SHIFT & 3u;
	memcpy(basic->sci, set + BASIC_SCI, CL_MKPDU_SCI_BYTES);
	load_member(&basic->actor, set + BASIC_ACTOR);
	basic->ckn = set + BASIC_CKN;
	basic->ckn_bytes = body - (BASIC_CKN - HEADER);
	return true;
}

int cl_mkpdu_read(struct cl_mkpdu *mkpdu, const uint8_t *frame, size_t size)
{
	memset(mkpdu, 0, sizeof(*mkpdu));
	if (size < BODY + BASIC_CKN + CL_MKPDU_ICV_BYTES || size > CL_MKPDU_READ_MAX ||
	    memcmp(frame, group, sizeof(group)) != 0 ||
	    load_u16(frame + ETHERTYPE) != ETHERTYPE_PAE || frame[EAPOL_VERSION] < VERSION_MIN ||
	    frame[EAPOL_TYPE] != TYPE_MKA) {
		return -EBADMSG;
	}
	const size_t body = load_u16(frame + EAPOL_LENGTH);

	/* Bytes after the EAPOL body are allowed: they are the padding of a short frame. */
	if (body > size - BODY || body % 4 != 0 || body < BASIC_CKN + CL_MKPDU_ICV_BYTES) {
		return -EBADMSG;
	}
	const uint8_t *set = frame + BODY;
	const uint8_t *const end = set + body - CL_MKPDU_ICV_BYTES;

	memcpy(mkpdu->mac, frame + FROM_MAC, MAC_BYTES);
	mkpdu->protected_bytes = (size_t)(end - frame);
	if (!read_basic(&mkpdu->basic, set, (size_t)(end - set))) {
		return -EBADMSG;
	}
	set += HEADER + padded(body_bytes(set));
	/*
	 * The distance from `set` to `end` is always a multiple of 4 bytes. So if `set` has not
	 * reached `end`, at least the bytes of a header remain.
	 */
	while (set != end) {
		const size_t bytes = body_bytes(set);

		/* The parameter set "ICV Indicator" is a header, followed by the ICV. */
		if (set[0] == TYPE_ICV) {
			return bytes == CL_MKPDU_ICV_BYTES && set + HEADER == end ? 0 : -EBADMSG;
		}
		if (padded(bytes) > (size_t)(end - set) - HEADER || !read_set(mkpdu, set, bytes)) {
			return -EBADMSG;
		}
		set += HEADER + padded(bytes);
	}
	return 0;
}

/**
 * Writes the header of a parameter set and a body of zeros. Returns the address of the body, and
 * moves @p at to the end of the set.
 */
static uint8_t *put_set(uint8_t **at, unsigned int type, unsigned int flags1, unsigned int flags2,
			size_t body)
{
	uint8_t *const set = *at;

	memset(set, 0, HEADER + padded(body));
	store_u16(set + 2, body);
	set[0] = (uint8_t)type;
	set[1] = (uint8_t)flags1;
	set[2] |= (uint8_t)flags2;
	*at = set + HEADER + padded(body);
	return set + HEADER;
}

static void put_list(uint8_t **at, unsigned int type, const struct cl_mkpdu_list *list)
{
	const size_t size = list->count * CL_MKPDU_ENTRY_BYTES;

	if (list->count > 0) {
		memcpy(put_set(at, type, 0, 0, size), list->entries, size);
	}
}

static unsigned int key_flags(const struct cl_mkpdu_key_use *use)
{
	return (unsigned int)use->an << KEY_AN_SHIFT | (use->transmits ? KEY_TRANSMITS : 0) |
	       (use->receives ? KEY_RECEIVES : 0);
}

static void put_key(uint8_t *body, const struct cl_mkpdu_key_use *use)
{
	cl_mkpdu_put_entry(body, &use->ki);
	store_u32(body + CL_MKPDU_ENTRY_BYTES, use->lowest_pn);
}

static void put_use(uint8_t **at, const struct cl_mkpdu_use *use)
{
	uint8_t *const body = put_set(
		at, TYPE_USE, key_flags(&use->latest) << LATEST_SHIFT | key_flags(&use->old),
		(use->plain_transmits ? PLAIN_TRANSMITS : 0) |
			(use->plain_receives ? PLAIN_RECEIVES : 0) |
			(use->delay_protect ? DELAY_PROTECT : 0),
		use->keys ? USE_BYTES : 0);

	if (use->keys) {
		put_key(body, &use->latest);
		put_key(body + USE_KEY_BYTES, &use->old);
	}
}

static void put_sak(uint8_t **at, const struct cl_mkpdu_sak *sak)
{
	const size_t suite = sak->bits == 128 ? 0 : SAK_SUITE_BYTES;
	uint8_t *const body =
		put_set(at, TYPE_SAK,
			(unsigned int)sak->an << SAK_AN_SHIFT | (unsigned int)sak->confidentiality
									<< SAK_OFFSET_SHIFT,
			0, SAK_NUMBER_BYTES + suite + SAK_WRAPPED(sak->bits));

	store_u32(body, sak->key_number);
	if (suite > 0) {
		memcpy(body + SAK_NUMBER_BYTES, suites, sizeof(suites));
		body[SAK_NUMBER_BYTES + sizeof(suites)] = SUITE_GCM_256;
	}
	memcpy(body + SAK_NUMBER_BYTES + suite, sak->wrapped, SAK_WRAPPED(sak->bits));
}

size_t cl_mkpdu_write(const struct cl_mkpdu *mkpdu, uint8_t *frame)
{
	const struct cl_mkpdu_basic *const basic = &mkpdu->basic;
	uint8_t *at = frame + BODY;
	uint8_t *const set = at;

	memcpy(frame, group, sizeof(group));
	memcpy(frame + FROM_MAC, mkpdu->mac, MAC_BYTES);
	store_u16(frame + ETHERTYPE, ETHERTYPE_PAE);
	frame[EAPOL_VERSION] = VERSION_MIN;
	frame[EAPOL_TYPE] = TYPE_MKA;
	put_set(&at, basic->version, basic->priority,
		(basic->server ? FLAG_SERVER : 0) | (basic->desired ? FLAG_DESIRED : 0) |
			(unsigned int)basic->capability << CAPABILITY_SHIFT,
		BASIC_CKN - HEADER + basic->ckn_bytes);
	memcpy(set + BASIC_SCI, basic->sci, CL_MKPDU_SCI_BYTES);
	cl_mkpdu_put_entry(set + BASIC_ACTOR, &basic->actor);
	store_u32(set + BASIC_ALGORITHM, ALGORITHM);
	memcpy(set + BASIC_CKN, basic->ckn, basic->ckn_bytes);
	put_list(&at, TYPE_LIVE, &mkpdu->live);
	put_list(&at, TYPE_POTENTIAL, &mkpdu->potential);
	if (mkpdu->use.there) {
		put_use(&at, &mkpdu->use);
	}
	if (mkpdu->sak.there) {
		put_sak(&at, &mkpdu->sak);
	}
	store_u16(frame + EAPOL_LENGTH, (size_t)(at - frame) - BODY + CL_MKPDU_ICV_BYTES);
	return (size_t)(at - frame);
}
