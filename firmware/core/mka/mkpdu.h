/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * MACsec key agreement PDUs (MKPDUs, IEEE 802.1X-2020, 11.11): the frame, and nothing of the
 * protocol. Reading checks all lengths, and accesses no byte outside the frame.
 *
 *     offset  bytes
 *     0       14     Ethernet: group address 01:80:c2:00:00:03, sender, EtherType 0x888e
 *     14      4      EAPOL: version 3, packet type 5, length of the body
 *     18      32 + n Basic Parameter Set: flags, SCI, member, algorithm, CKN of n bytes, padding
 *             4 + m  further parameter sets: type, flags, length m of the body, body, padding
 *             16     ICV over all bytes before it
 */
#ifndef CL_MKPDU_H
#define CL_MKPDU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CL_MKPDU_MI_BYTES    12u
#define CL_MKPDU_SCI_BYTES   8u
#define CL_MKPDU_ENTRY_BYTES (CL_MKPDU_MI_BYTES + 4u)
#define CL_MKPDU_CKN_MAX     32u
#define CL_MKPDU_ICV_BYTES   16u
/** Bytes of the longest frame that is read: the longest on Ethernet without FCS. */
#define CL_MKPDU_READ_MAX 1514u
/** Most entries of both lists that cl_mkpdu_write accepts. */
#define CL_MKPDU_WRITE_ENTRIES 4u
/** Bytes of the longest frame that cl_mkpdu_write writes, with its ICV. */
#define CL_MKPDU_WRITE_MAX                                                                         \
	(18u + 64u + 2u * 4u + CL_MKPDU_WRITE_ENTRIES * CL_MKPDU_ENTRY_BYTES + 44u + 56u +         \
	 CL_MKPDU_ICV_BYTES)
/** Bytes of a wrapped SAK of 256 bits. */
#define CL_MKPDU_WRAPPED_MAX 40u

/** MACsec capability (IEEE 802.1X-2020, Table 11-6). */
#define CL_MKPDU_INTEGRITY       1u
#define CL_MKPDU_CONFIDENTIALITY 2u

/** A member and its message number. Also a key identifier: the key server and its key number. */
struct cl_mkpdu_member {
	uint8_t mi[CL_MKPDU_MI_BYTES];
	uint32_t number;
};

/** Basic Parameter Set. */
struct cl_mkpdu_basic {
	uint8_t version;
	uint8_t priority;
	bool server;
	bool desired;
	uint8_t capability;
	uint8_t sci[CL_MKPDU_SCI_BYTES];
	struct cl_mkpdu_member actor;
	const uint8_t *ckn;
	size_t ckn_bytes;
};

/** A Live or a Potential Peer List: entries of CL_MKPDU_ENTRY_BYTES bytes, as in the frame. */
struct cl_mkpdu_list {
	const uint8_t *entries;
	size_t count;
};

/** A key in MACsec SAK Use. */
struct cl_mkpdu_key_use {
	uint8_t an;
	bool transmits, receives;
	struct cl_mkpdu_member ki;
	uint32_t lowest_pn;
};

/** MACsec SAK Use. */
struct cl_mkpdu_use {
	/** The parameter set is in the MKPDU. */
	bool there;
	/** Its body is not empty: it names keys. */
	bool keys;
	bool plain_transmits, plain_receives, delay_protect;
	struct cl_mkpdu_key_use latest, old;
};

/** Distributed SAK. */
struct cl_mkpdu_sak {
	/** The parameter set is in the MKPDU. */
	bool there;
	uint8_t an;
	/** 0: integrity only; 1: offset 0; 2: offset 30; 3: offset 50. */
	uint8_t confidentiality;
	/** 128 or 256. 0: the key server asks for no MACsec, or for an unknown cipher suite. */
	uint16_t bits;
	uint32_t key_number;
	/** The wrapped key has bits / 8 + 8 bytes. */
	uint8_t wrapped[CL_MKPDU_WRAPPED_MAX];
};

struct cl_mkpdu {
	/** Address of the sender. */
	uint8_t mac[6];
	struct cl_mkpdu_basic basic;
	struct cl_mkpdu_list live, potential;
	struct cl_mkpdu_use use;
	struct cl_mkpdu_sak sak;
	/** Bytes of the frame that the ICV protects; the ICV follows them. */
	size_t protected_bytes;
};

/**
 * Reads a frame. The ICV is not checked here: believe nothing before it is.
 *
 * @param[out] mkpdu points into the frame
 * @retval 0 done
 * @retval -EBADMSG not an MKPDU, or its form is wrong
 */
int cl_mkpdu_read(struct cl_mkpdu *mkpdu, const uint8_t *frame, size_t size);

/** Reads an entry of a peer list. */
struct cl_mkpdu_member cl_mkpdu_entry(const struct cl_mkpdu_list *list, size_t index);

/** Writes an entry of a peer list: CL_MKPDU_ENTRY_BYTES bytes. */
void cl_mkpdu_put_entry(uint8_t *entry, const struct cl_mkpdu_member *member);

/**
 * Writes a frame, without its ICV. Lists with no entry and sets that are not there are left out.
 *
 * @param mkpdu with at most CL_MKPDU_WRITE_ENTRIES entries in both lists together; the SAK has 128
 *              or 256 bits
 * @param[out] frame CL_MKPDU_WRITE_MAX bytes
 * @return protected_bytes: the ICV belongs at this offset
 */
size_t cl_mkpdu_write(const struct cl_mkpdu *mkpdu, uint8_t *frame);

#endif
