/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * A simulated SecY that records its calls, for tests of code that uses macsec/secy.h. It calls
 * die() if the code breaks a rule of that interface. The code must not install a SAK twice, change
 * the SCI while an SA is installed, or set a policy with an SA that is not installed. Include this
 * header in one file of a program.
 */
#ifndef CL_RECORDING_SECY_H
#define CL_RECORDING_SECY_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "macsec/secy.h"

#define LOG_MAX  (1u << 16)
#define SAKS_MAX 4096u

/** The SecY that records. */
static struct {
	bool there[2][CL_SECY_ASSOCIATIONS];
	uint64_t next_pn[2][CL_SECY_ASSOCIATIONS];
	bool expiring;
	/** For each direction, the status that cl_secy_install() returns. */
	int install_status[2];
	/**
	 * All SAKs that were installed, for each direction. cl_secy_install() searches this list,
	 * to detect a SAK that is installed a second time.
	 */
	uint8_t saks[2][SAKS_MAX][CL_KEY_BYTES_MAX];
	size_t count[2];
	char log[LOG_MAX];
	size_t logged;
} secy;

static void die(const char *why)
{
	fprintf(stderr, "%s\n", why);
	abort();
}

static __attribute__((format(printf, 1, 2))) void record(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	secy.logged +=
		(size_t)vsnprintf(secy.log + secy.logged, LOG_MAX - secy.logged, format, arguments);
	va_end(arguments);
	if (secy.logged >= LOG_MAX) {
		die("the log is full");
	}
}

static void record_bytes(const uint8_t *bytes, size_t size)
{
	record(" ");
	for (size_t i = 0; i < size; i++) {
		record("%02x", bytes[i]);
	}
}

void cl_secy_zeroize(const struct cl_secy *device)
{
	(void)device;
	memset(secy.there, 0, sizeof(secy.there));
	record("zeroize\n");
}

int cl_secy_set_sci(const struct cl_secy *device, const uint8_t own[CL_SECY_SCI_BYTES],
		    const uint8_t other[CL_SECY_SCI_BYTES])
{
	(void)device;
	for (size_t i = 0; i < 2 * CL_SECY_ASSOCIATIONS; i++) {
		if (secy.there[i / CL_SECY_ASSOCIATIONS][i % CL_SECY_ASSOCIATIONS]) {
			die("the SCI changes while an SA is installed");
		}
	}
	record("sci");
	record_bytes(own, CL_SECY_SCI_BYTES);
	record_bytes(other, CL_SECY_SCI_BYTES);
	record("\n");
	return 0;
}

int cl_secy_install(const struct cl_secy *device, const struct cl_secy_sa *sa)
{
	const size_t count = secy.count[sa->direction];

	(void)device;
	if (sa->an >= CL_SECY_ASSOCIATIONS || (sa->key_bits != 128 && sa->key_bits != 256) ||
	    sa->pn == 0 || sa->xpn) {
		die("an SA that the SecY does not accept");
	}
	if (secy.install_status[sa->direction] != 0) {
		return secy.install_status[sa->direction];
	}
	for (size_t i = 0; i < count; i++) {
		if (memcmp(secy.saks[sa->direction][i], sa->key, CL_KEY_BYTES_MAX) == 0) {
			die("a SAK is installed twice");
		}
	}
	if (count == SAKS_MAX) {
		die("too many SAKs");
	}
	memcpy(secy.saks[sa->direction][count], sa->key, CL_KEY_BYTES_MAX);
	secy.count[sa->direction]++;
	secy.there[sa->direction][sa->an] = true;
	secy.next_pn[sa->direction][sa->an] = sa->pn;
	record("install %s %u", sa->direction == CL_SECY_RECEIVE ? "rx" : "tx", sa->an);
	record_bytes(sa->key, sa->key_bits / 8u);
	record("\n");
	return 0;
}

void cl_secy_remove(const struct cl_secy *device, enum cl_secy_direction direction, uint8_t an)
{
	(void)device;
	if (secy.there[direction][an]) {
		record("remove %s %u\n", direction == CL_SECY_RECEIVE ? "rx" : "tx", an);
	}
	secy.there[direction][an] = false;
}

void cl_secy_set_policy(const struct cl_secy *device, const struct cl_secy_policy *policy)
{
	(void)device;
	if (policy->transmit_an >= CL_SECY_ASSOCIATIONS) {
		die("a policy that the SecY does not accept");
	}
	for (unsigned int an = 0; an < CL_SECY_ASSOCIATIONS; an++) {
		if ((policy->receive_ans >> an & 1u) != 0 && !secy.there[CL_SECY_RECEIVE][an]) {
			die("an SA receives that is not installed");
		}
	}
	record("policy protect=%d encrypt=%d sci=%d tx=%d validate=%d replay=%d window=%u rx=%x\n",
	       policy->protect, policy->encrypt, policy->include_sci,
	       secy.there[CL_SECY_TRANSMIT][policy->transmit_an] ? policy->transmit_an : -1,
	       policy->validate, policy->replay_protect, policy->replay_window,
	       policy->receive_ans);
}

uint64_t cl_secy_next_pn(const struct cl_secy *device, enum cl_secy_direction direction, uint8_t an)
{
	(void)device;
	return secy.there[direction][an] ? secy.next_pn[direction][an] : 0;
}

bool cl_secy_expiring(const struct cl_secy *device)
{
	(void)device;
	return secy.expiring;
}

uint32_t cl_secy_count(const struct cl_secy *device, uint32_t counter)
{
	(void)device;
	return counter;
}

#endif
