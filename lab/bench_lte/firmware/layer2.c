/* SPDX-License-Identifier: BSD-2-Clause */
#include "layer2.h"

#include <errno.h>

/*
 * Masks and values for a MAC subheader (TS 36.321, 6.2.1). The first byte contains the fields R, R,
 * E and LCID (5 bits). The fields F and L (7 or 15 bits) can follow.
 */
#define MAC_EXTENSION  0x20u
#define MAC_LCID(byte) ((byte)&0x1fu)
#define MAC_LONG       0x80u
#define LCID_LAST_DATA 10u
#define LCID_IDENTITY  28u
#define LCID_ADVANCE   29u
#define LCID_DRX       30u
#define LCID_PADDING   31u

/* Masks for an RLC AMD PDU (TS 36.322, 6.2.1.4): D/C, RF, P, FI (2 bits), E, SN (10 bits). */
#define RLC_BYTES 2u
#define RLC_DATA  0x80u
/*
 * The bits RF, FI and E. All of them are 0 in a PDU that contains exactly one whole SDU. This code
 * supports only such PDUs.
 */
#define RLC_PARTIAL 0x5cu
#define RLC_SN_MASK 0x3ffu

/* Masks for a PDCP data PDU (TS 36.323, 6.2.3): D/C, 3 reserved bits, SN (12 bits). */
#define PDCP_BYTES   2u
#define PDCP_DATA    0x80u
#define PDCP_SN_MASK 0xfffu
#define PDCP_WINDOW  2048u

#define DOWNLINK 1u

typedef uint32_t __attribute__((may_alias)) word;

/**
 * The compiler inlines these functions in lte_receive(), which calls them for each packet. A thread
 * that runs only one layer calls functions with the same code that are not inlined, such as
 * lte_rlc().
 */
#define INLINE static inline __attribute__((always_inline))

/**
 * A part of a MAC PDU, as the part's subheader describes it. `next` is the offset of the subheader
 * of the next part.
 */
struct part {
	size_t next;
	uint32_t len;
	uint8_t lcid;
	bool last;
	/** True if the part has no length field and extends to the end of the block. */
	bool rest;
};

/**
 * Parses the subheader that starts at offset @p at of the block. Returns false if the subheader
 * does not end within the block, or if Release 8 does not define it.
 */
static bool subheader(struct part *part, const uint8_t *block, size_t at, size_t len)
{
	if (at >= len) {
		return false;
	}
	const uint8_t first = block[at++];

	part->lcid = MAC_LCID(first);
	part->last = (first & MAC_EXTENSION) == 0;
	part->rest = false;
	part->len = 0;
	if (part->lcid > LCID_LAST_DATA) {
		if (part->lcid < LCID_IDENTITY) {
			return false;
		}
		part->len = part->lcid == LCID_IDENTITY ? 6 : part->lcid == LCID_ADVANCE ? 1 : 0;
		part->rest = part->lcid == LCID_PADDING && part->last;
	} else if (part->last) {
		part->rest = true;
	} else {
		if (at >= len) {
			return false;
		}
		part->len = block[at++];
		if ((part->len & MAC_LONG) != 0) {
			if (at >= len) {
				return false;
			}
			part->len = (part->len & ~MAC_LONG) << 8 | block[at++];
		}
	}
	part->next = at;
	return true;
}

/**
 * Checks all subheaders of a MAC PDU. Returns the offset of the first part. Returns 0 if a
 * subheader is invalid, or if the parts do not match the length of the block.
 */
INLINE size_t payload(const uint8_t *block, size_t len)
{
	struct part part = {0};
	size_t parts = 0;

	do {
		if (!subheader(&part, block, part.next, len)) {
			return 0;
		}
		parts += part.len;
	} while (!part.last);
	if (parts > len - part.next || (!part.rest && parts != len - part.next)) {
		return 0;
	}
	return part.next;
}

#define WORDS_AT_ONCE 4

/**
 * Copies data from an address of any alignment to a word-aligned address. It writes whole words, so
 * it also overwrites up to three bytes after the end of the copied data.
 */
static __attribute__((noinline)) void strip(uint8_t *to, const uint8_t *from, size_t len)
{
	const unsigned int skipped = (uintptr_t)from & 3;
	const unsigned int off = skipped * 8;
	const word *get = (const word *)(const void *)(from - skipped);
	word *put = (word *)(void *)to;
	uint32_t low;

	if (skipped == 0) {
		__builtin_memcpy(to, __builtin_assume_aligned(from, 4), (len + 3) & ~(size_t)3);
		return;
	}
	low = *get++ >> off;
	for (; len >= (WORDS_AT_ONCE + 1) * sizeof(word); len -= WORDS_AT_ONCE * sizeof(word)) {
		uint32_t high[WORDS_AT_ONCE];

#pragma GCC unroll 4
		for (size_t i = 0; i < WORDS_AT_ONCE; i++) {
			high[i] = get[i];
		}
#pragma GCC unroll 4
		for (size_t i = 0; i < WORDS_AT_ONCE; i++) {
			put[i] = low | high[i] << (32 - off);
			low = high[i] >> off;
		}
		get += WORDS_AT_ONCE;
		put += WORDS_AT_ONCE;
	}
	/* Copy the last words. Read a word only if it contains a byte of the data. */
	for (; len > 0; len -= len < sizeof(word) ? len : sizeof(word)) {
		const uint32_t high = len > sizeof(word) - skipped ? *get++ : 0;

		*put++ = low | high << (32 - off);
		low = high >> off;
	}
}

/**
 * Advances COUNT to the PDU with the sequence number @p sn. Returns false if this PDU was received
 * before and must be dropped. A PDU is new if its number is ahead of the last PDU's number by at
 * most the reordering window. RLC AM delivers PDUs in order, so this simple form of the rule in TS
 * 36.323, 5.1.2.1.2, is enough.
 */
static bool advance(struct lte_bearer *bearer, uint16_t sn)
{
	const uint32_t ahead = (sn - bearer->count) & PDCP_SN_MASK;

	if (ahead == 0 || ahead > PDCP_WINDOW) {
		return false;
	}
	bearer->count += ahead;
	return true;
}

/**
 * Deciphers data into a packet. If the engine is slower on unaligned data, this function first
 * copies the data to the packet and then deciphers them in place.
 */
INLINE int decipher(const struct lte_bearer *bearer, const uint8_t *data, uint8_t *packet,
		    size_t len)
{
	const struct cl_engine *const engine = bearer->engine;
	const uint32_t count = bearer->count;
	const uint8_t counter[CL_BLOCK_BYTES] = {
		(uint8_t)(count >> 24),
		(uint8_t)(count >> 16),
		(uint8_t)(count >> 8),
		(uint8_t)count,
		(uint8_t)(bearer->identity << 3 | DOWNLINK << 2),
	};

	if (!engine->anywhere) {
		strip(packet, data, len);
		data = packet;
	}
	return engine->ctr(engine, bearer->key, counter, data, packet, len);
}

INLINE int pdcp(struct lte_stack *stack, const struct lte_pdu *pdu)
{
	struct lte_bearer *const bearer = pdu->bearer;
	const uint8_t *const data = pdu->data + PDCP_BYTES;
	const size_t bytes = pdu->len - PDCP_BYTES;
	const uint8_t *packet = data;

	if ((pdu->data[0] & PDCP_DATA) == 0) {
		stack->counts.control++;
		return 0;
	}
	if (!advance(bearer, (uint16_t)(pdu->data[0] << 8 | pdu->data[1]) & PDCP_SN_MASK)) {
		stack->counts.dropped++;
		return 0;
	}
	if (bearer->engine != NULL) {
		uint8_t *const room = stack->room(stack->context);
		const int result = decipher(bearer, data, room, bytes);

		if (result != 0) {
			return result;
		}
		packet = room;
	}
	stack->counts.packets++;
	stack->counts.bytes += (uint32_t)bytes;
	stack->deliver(stack->context, packet, bytes);
	return 0;
}

INLINE bool rlc(struct lte_stack *stack, struct lte_pdu *pdu)
{
	struct lte_bearer *const bearer = pdu->bearer;
	const uint8_t *const data = pdu->data;

	if (pdu->len > 0 && (data[0] & RLC_DATA) == 0) {
		stack->counts.control++;
		return false;
	}
	if (pdu->len <= RLC_BYTES + PDCP_BYTES ||
	    pdu->len > RLC_BYTES + PDCP_BYTES + LTE_PACKET_BYTES || (data[0] & RLC_PARTIAL) != 0 ||
	    ((uint16_t)(data[0] << 8 | data[1]) & RLC_SN_MASK) != bearer->rlc_next) {
		stack->counts.dropped++;
		return false;
	}
	bearer->rlc_next = (bearer->rlc_next + 1) & RLC_SN_MASK;
	pdu->data += RLC_BYTES;
	pdu->len -= RLC_BYTES;
	return true;
}

static struct lte_bearer *find(const struct lte_stack *stack, uint8_t lcid)
{
	for (size_t i = 0; i < stack->bearer_count; i++) {
		if (stack->bearers[i].lcid == lcid) {
			return &stack->bearers[i];
		}
	}
	return NULL;
}

INLINE int mac_begin(struct lte_mac *mac, const uint8_t *block, size_t len)
{
	const size_t at = payload(block, len);

	*mac = (struct lte_mac){.block = block, .at = at, .left = len - at};
	return at == 0 ? -EBADMSG : 0;
}

INLINE bool mac_next(struct lte_stack *stack, struct lte_mac *mac, struct lte_pdu *pdu)
{
	while (!mac->last) {
		struct part part;

		(void)subheader(&part, mac->block, mac->header, mac->at);
		const size_t bytes = part.rest ? mac->left : part.len;
		const uint8_t *const data = mac->block + mac->at;

		mac->header = part.next;
		mac->last = part.last;
		mac->at += bytes;
		mac->left -= bytes;
		if (part.lcid > LCID_LAST_DATA) {
			stack->counts.control += part.lcid != LCID_PADDING;
			continue;
		}
		struct lte_bearer *const bearer = find(stack, part.lcid);

		if (bearer != NULL) {
			*pdu = (struct lte_pdu){bearer, data, bytes};
			return true;
		}
		stack->counts.unknown++;
	}
	return false;
}

int lte_receive(struct lte_stack *stack, const uint8_t *block, size_t len)
{
	struct lte_mac mac;
	struct lte_pdu pdu;
	int result = mac_begin(&mac, block, len);

	while (result == 0 && mac_next(stack, &mac, &pdu)) {
		if (rlc(stack, &pdu)) {
			result = pdcp(stack, &pdu);
		}
	}
	return result;
}

int lte_mac_begin(struct lte_mac *mac, const uint8_t *block, size_t len)
{
	return mac_begin(mac, block, len);
}

bool lte_mac_next(struct lte_stack *stack, struct lte_mac *mac, struct lte_pdu *pdu)
{
	return mac_next(stack, mac, pdu);
}

bool lte_rlc(struct lte_stack *stack, struct lte_pdu *pdu)
{
	return rlc(stack, pdu);
}

int lte_pdcp(struct lte_stack *stack, const struct lte_pdu *pdu)
{
	return pdcp(stack, pdu);
}
