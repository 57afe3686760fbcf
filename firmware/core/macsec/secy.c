/* SPDX-License-Identifier: BSD-2-Clause */
#include "macsec/secy.h"

#include <errno.h>

#include "cl_macsec_regs.h"
#include "links/link.h"
#include "zeroize.h"

#ifndef CL_SECY_READ
#define CL_SECY_READ(secy, offset)         ((secy)->regs[(offset) / sizeof(uint32_t)])
#define CL_SECY_WRITE(secy, offset, value) ((secy)->regs[(offset) / sizeof(uint32_t)] = (value))
#endif

/*
 * Number of register reads before a wait times out. A key command takes a few thousand cycles,
 * because it first waits for the frames that use the key.
 */
#define POLLS 10000u
/* Value of the policy register at power-on: the SecY neither protects frames nor validates them. */
#define POLICY_AT_POWER_ON                                                                         \
	((uint32_t)CL_MACSEC_POLICY_VALIDATE_DISABLED << CL_MACSEC_POLICY_VALIDATE_SHIFT)

static uint32_t get(const struct cl_secy *secy, uint32_t offset)
{
	return CL_SECY_READ(secy, offset);
}

static void put(const struct cl_secy *secy, uint32_t offset, uint32_t value)
{
	CL_SECY_WRITE(secy, offset, value);
}

/** Writes bytes to consecutive registers; the first four bytes go to the first register. */
static void put_bytes(const struct cl_secy *secy, uint32_t offset, const uint8_t *bytes,
		      size_t size)
{
	for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
		put(secy, offset + i, cl_load_u32(bytes + i));
	}
}

/** Waits until the current command has ended. */
static int wait_idle(const struct cl_secy *secy)
{
	for (uint32_t polls = POLLS; polls > 0; polls--) {
		if ((get(secy, CL_MACSEC_STATUS) & CL_MACSEC_STATUS_BUSY_MASK) == 0) {
			return 0;
		}
	}
	return -ETIMEDOUT;
}

static uint32_t association(enum cl_secy_direction direction, uint8_t an)
{
	return (uint32_t)an << CL_MACSEC_ASSOCIATION_AN_SHIFT |
	       (direction == CL_SECY_TRANSMIT ? CL_MACSEC_ASSOCIATION_TRANSMIT_MASK : 0);
}

static bool is_live(const struct cl_secy *secy, enum cl_secy_direction direction, uint8_t an)
{
	const unsigned int bit = an + (direction == CL_SECY_TRANSMIT ? CL_SECY_ASSOCIATIONS : 0);

	return (get(secy, CL_MACSEC_LIVE) >> bit & 1u) != 0;
}

void cl_secy_zeroize(const struct cl_secy *secy)
{
	put(secy, CL_MACSEC_CONTROL, CL_MACSEC_CONTROL_ZEROIZE_MASK);
	put(secy, CL_MACSEC_POLICY, POLICY_AT_POWER_ON);
}

int cl_secy_set_sci(const struct cl_secy *secy, const uint8_t own[CL_SECY_SCI_BYTES],
		    const uint8_t peer[CL_SECY_SCI_BYTES])
{
	if (wait_idle(secy) != 0) {
		return -ETIMEDOUT;
	}
	if (get(secy, CL_MACSEC_LIVE) != 0) {
		return -EBUSY;
	}
	put_bytes(secy, CL_MACSEC_SCI0, own, CL_SECY_SCI_BYTES);
	put_bytes(secy, CL_MACSEC_PEER_SCI0, peer, CL_SECY_SCI_BYTES);
	return 0;
}

int cl_secy_install(const struct cl_secy *secy, const struct cl_secy_sa *sa)
{
	const uint32_t length = sa->key_bits == 128   ? CL_MACSEC_ASSOCIATION_KEY_LENGTH_AES_128
				: sa->key_bits == 256 ? CL_MACSEC_ASSOCIATION_KEY_LENGTH_AES_256
						      : UINT32_MAX;

	if (sa->an >= CL_SECY_ASSOCIATIONS || length == UINT32_MAX || sa->pn == 0 ||
	    (!sa->xpn && sa->pn > UINT32_MAX)) {
		return -EINVAL;
	}
	if (wait_idle(secy) != 0) {
		return -ETIMEDOUT;
	}
	put(secy, CL_MACSEC_ASSOCIATION,
	    association(sa->direction, sa->an) | (sa->xpn ? CL_MACSEC_ASSOCIATION_XPN_MASK : 0) |
		    length << CL_MACSEC_ASSOCIATION_KEY_LENGTH_SHIFT);
	put(secy, CL_MACSEC_PN_LO, (uint32_t)sa->pn);
	put(secy, CL_MACSEC_PN_HI, (uint32_t)(sa->pn >> 32));
	put_bytes(secy, CL_MACSEC_SSCI, sa->ssci, CL_SECY_SSCI_BYTES);
	put_bytes(secy, CL_MACSEC_SALT0, sa->salt, CL_SECY_SALT_BYTES);
	put_bytes(secy, CL_MACSEC_KEY0, sa->key, sa->key_bits / 8u);
	put(secy, CL_MACSEC_CONTROL, CL_MACSEC_CONTROL_INSTALL_MASK);
	if (wait_idle(secy) != 0) {
		return -ETIMEDOUT;
	}
	return is_live(secy, sa->direction, sa->an) ? 0 : -EIO;
}

void cl_secy_remove(const struct cl_secy *secy, enum cl_secy_direction direction, uint8_t an)
{
	if (wait_idle(secy) != 0) {
		put(secy, CL_MACSEC_CONTROL, CL_MACSEC_CONTROL_ZEROIZE_MASK);
		return;
	}
	put(secy, CL_MACSEC_ASSOCIATION, association(direction, an));
	put(secy, CL_MACSEC_CONTROL, CL_MACSEC_CONTROL_REMOVE_MASK);
}

void cl_secy_set_policy(const struct cl_secy *secy, const struct cl_secy_policy *policy)
{
	const uint32_t validate =
		policy->validate == CL_SECY_STRICT  ? CL_MACSEC_POLICY_VALIDATE_STRICT
		: policy->validate == CL_SECY_CHECK ? CL_MACSEC_POLICY_VALIDATE_CHECK
						    : CL_MACSEC_POLICY_VALIDATE_DISABLED;

	put(secy, CL_MACSEC_POLICY,
	    (policy->protect ? CL_MACSEC_POLICY_PROTECT_MASK : 0) |
		    (policy->encrypt ? CL_MACSEC_POLICY_ENCRYPT_MASK : 0) |
		    (policy->include_sci ? CL_MACSEC_POLICY_INCLUDE_SCI_MASK : 0) |
		    (uint32_t)(policy->transmit_an & 3u) << CL_MACSEC_POLICY_TRANSMIT_AN_SHIFT |
		    validate << CL_MACSEC_POLICY_VALIDATE_SHIFT |
		    (policy->replay_protect ? CL_MACSEC_POLICY_REPLAY_PROTECT_MASK : 0) |
		    (uint32_t)(policy->replay_window & 127u) << CL_MACSEC_POLICY_WINDOW_SHIFT |
		    (uint32_t)(policy->receive_ans & 15u) << CL_MACSEC_POLICY_RECEIVE_SHIFT);
}

uint64_t cl_secy_next_pn(const struct cl_secy *secy, enum cl_secy_direction direction, uint8_t an)
{
	if (an >= CL_SECY_ASSOCIATIONS || wait_idle(secy) != 0 || !is_live(secy, direction, an)) {
		return 0;
	}
	put(secy, CL_MACSEC_ASSOCIATION, association(direction, an));
	put(secy, CL_MACSEC_CONTROL, CL_MACSEC_CONTROL_READ_PN_MASK);
	const uint64_t pn = get(secy, CL_MACSEC_PN_LO) | (uint64_t)get(secy, CL_MACSEC_PN_HI) << 32;

	put(secy, CL_MACSEC_PN_LO, 0);
	put(secy, CL_MACSEC_PN_HI, 0);
	return pn;
}

bool cl_secy_required(const struct cl_secy *secy)
{
	return (get(secy, CL_MACSEC_STATUS) & CL_MACSEC_STATUS_REQUIRED_MASK) != 0;
}

bool cl_secy_expiring(const struct cl_secy *secy)
{
	return (get(secy, CL_MACSEC_STATUS) & CL_MACSEC_STATUS_EXPIRING_MASK) != 0;
}

uint32_t cl_secy_count(const struct cl_secy *secy, uint32_t counter)
{
	put(secy, CL_MACSEC_COUNTER, counter);
	return get(secy, CL_MACSEC_COUNT);
}
