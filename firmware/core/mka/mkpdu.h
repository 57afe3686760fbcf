/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Reads and writes the frames of MACsec key agreement: MKPDUs (IEEE 802.1X-2020, 11.11). The
 * protocol is in mka.h. cl_mkpdu_read checks all lengths, and accesses no byte outside the frame.
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
/**
 * Length in bytes of the longest frame that cl_mkpdu_read accepts: the longest Ethernet frame,
 * without its FCS.
 */
#define CL_MKPDU_READ_MAX 1514u
/** Largest number of entries that cl_mkpdu_write accepts in both peer lists together. */
#define CL_MKPDU_WRITE_ENTRIES 4u
/** Length in bytes of the longest frame that cl_mkpdu_write writes, including its ICV. */
#define CL_MKPDU_WRITE_MAX                                                                         \
	(18u + 64u + 2u * 4u + CL_MKPDU_WRITE_ENTRIES * CL_MKPDU_ENTRY_BYTES + 44u + 56u +         \
	 CL_MKPDU_ICV_BYTES)
/** Length in bytes of a wrapped SAK of 256 bits. */
#define CL_MKPDU_WRAPPED_MAX 40u

/** Values of the field "MACsec capability" (IEEE 802.1X-2020, Table 11-6). */
#define CL_MKPDU_INTEGRITY       1u
#define CL_MKPDU_CONFIDENTIALITY 2u

/**
 * Either a member identifier `mi` with a message number, or a key identifier. A key identifier
 * consists of the key server's member identifier in `mi` and the key number in `number`.
 */
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

/**
 * A Live or Potential Peer List. `entries` points to the list's entries in the format of the frame,
 * with CL_MKPDU_ENTRY_BYTES bytes each.
 */
struct cl_mkpdu_list {
	const uint8_t *entries;
	size_t count;
};

/** One of the keys in the parameter set "MACsec SAK Use". */
struct cl_mkpdu_key_use {
	uint8_t an;
	bool transmits, receives;
	struct cl_mkpdu_member ki;
	uint32_t lowest_pn;
};

/** MACsec SAK Use. */
struct cl_mkpdu_use {
	/** True if the MKPDU contains the parameter set "MACsec SAK Use". */
	bool there;
	/** True if the parameter set names keys, that is, if its body is not empty. */
	bool keys;
	bool plain_transmits, plain_receives, delay_protect;
	struct cl_mkpdu_key_use latest, old;
};

/** Distributed SAK. */
struct cl_mkpdu_sak {
	/** True if the MKPDU contains the parameter set "Distributed SAK". */
	bool there;
	uint8_t an;
	/** Confidentiality offset. 0: integrity only. 1, 2, 3: encrypted from byte 0, 30, 50 on. */
	uint8_t confidentiality;
	/**
	 * Length of the SAK in bits: 128 or 256. 0 if the key server selects an unknown cipher
	 * suite, or operation without MACsec.
	 */
	uint16_t bits;
	uint32_t key_number;
	/** The wrapped SAK: bits / 8 + 8 bytes. */
	uint8_t wrapped[CL_MKPDU_WRAPPED_MAX];
};

struct cl_mkpdu {
	/** Address of the sender. */
	uint8_t mac[6];
	struct cl_mkpdu_basic basic;
	struct cl_mkpdu_list live, potential;
	struct cl_mkpdu_use use;
	struct cl_mkpdu_sak sak;
	/**
	 * Number of bytes that the ICV protects, counted from the start of the frame. The ICV
	 * itself follows directly after these bytes.
	 */
	size_t protected_bytes;
};

/**
 * Reads a frame. Does not check the ICV: the caller must check it before it trusts the contents.
 *
 * @param[out] mkpdu the contents of the frame; its pointers point into @p frame
 * @retval 0 done
 * @retval -EBADMSG the frame is not an MKPDU, or its format is wrong
 */
int cl_mkpdu_read(struct cl_mkpdu *mkpdu, const uint8_t *frame, size_t size);

/** Reads an entry of a peer list. */
struct cl_mkpdu_member cl_mkpdu_entry(const struct cl_mkpdu_list *list, size_t index);

/** Writes an entry of a peer list: CL_MKPDU_ENTRY_BYTES bytes. */
void cl_mkpdu_put_entry(uint8_t *entry, const struct cl_mkpdu_member *member);

/**
 * Writes a frame without its ICV. Omits empty peer lists. Omits a parameter set if the member
 * `there` of its structure is false.
 *
 * @param mkpdu both peer lists together have at most CL_MKPDU_WRITE_ENTRIES entries; the SAK has
 *              128 or 256 bits
 * @param[out] frame CL_MKPDU_WRITE_MAX bytes
 * @return bytes written; the caller must write the ICV at this offset
 */
size_t cl_mkpdu_write(const struct cl_mkpdu *mkpdu, uint8_t *frame);

#endif
