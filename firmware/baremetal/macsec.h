/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * MACsec as the main loop sees it: the SecY and key agreement (MKA). On a SoC without a SecY, the
 * functions do nothing.
 */
#ifndef MACSEC_H
#define MACSEC_H

#include <stddef.h>
#include <stdint.h>

#include <generated/csr.h>
#include <generated/soc.h>

#include "network.h"
#include "port.h"
#include "random/random.h"
#include "service/platform.h"
#ifdef CSR_MACSEC_BASE
#ifdef CIPHERLANE_OTHER_UNIT
#error "MKA needs the vector unit, which an extension replaces here"
#endif
#include "protection/protection.h"
#include "vector/block_ise.h"

/*
 * Number of clock cycles that MKA (MACsec Key Agreement) counts as one millisecond. A simulated
 * board is 30 to 200 times slower than a real board. But its peer is a real machine, which expects
 * an MKPDU (a message of MKA) within six seconds. So in simulation, this number is 25 times
 * smaller.
 */
#define MKA_MS_CYCLES (CONFIG_CLOCK_FREQUENCY / 1000 / (CIPHERLANE_SIMULATED ? 25 : 1))

static struct cl_macsec macsec;

/**
 * Writes random bytes for MKA. On a real board, the AES engine @p context computes the bytes from
 * words of the noise source. A simulated board has no noise source, so its bytes are predictable.
 */
static int mka_random(void *context, uint8_t *bytes, size_t count)
{
	static const struct cl_random source = {.regs = (volatile uint32_t *)CSR_RANDOM_BASE};
	static uint32_t state = 1;

	if (!CIPHERLANE_SIMULATED) {
		return cl_random_condition(&source, context, bytes, count);
	}
	for (size_t i = 0; i < count; i++) {
		state = (state ^ port_cycles(NULL)) * 1664525u + 1013904223u;
		bytes[i] = (uint8_t)(state >> 24);
	}
	return 0;
}

/**
 * Returns the time since reset, modulo 2^32, in units of MKA_MS_CYCLES clock cycles: MKA counts
 * each unit as one millisecond. Call this function at least once in 2^31 cycles.
 */
static uint32_t milliseconds(void)
{
	static uint32_t ms, last, left;
	const uint32_t now = port_cycles(NULL);

	left += now - last;
	last = now;
	ms += left / MKA_MS_CYCLES;
	left %= MKA_MS_CYCLES;
	return ms;
}

static void mka_send(void *context, const uint8_t *frame, size_t size)
{
	(void)context;
	ethernet_send(&ethernet, frame, size);
}

static void mka_receive(void *context, const uint8_t *frame, size_t size)
{
	cl_macsec_receive(context, frame, size);
}

/** Returns the handlers of records about MACsec, or NULL if the SoC has no SecY. */
static inline const struct cl_macsec_handlers *macsec_handlers(void)
{
	return &macsec.handlers;
}

/** Initialises the SecY. Call this function before cl_service_init. */
static inline void macsec_init(void)
{
	static const struct cl_secy secy = {.regs = (volatile uint32_t *)CSR_MACSEC_BASE};
	static const uint8_t mac[6] = {MACADDR1, MACADDR2, MACADDR3, MACADDR4, MACADDR5, MACADDR6};

	cl_macsec_init(&macsec, &secy, mac);
}

/**
 * Lets MKA use an AES engine and the link over Ethernet. Call this function after network_init.
 *
 * @param engine engine of the vector unit
 * @param device the vector unit
 */
static inline void macsec_start(const struct cl_engine *engine, struct cl_ise_device *device)
{
	macsec.config.engine = engine;
	macsec.config.modes = &cl_modes_ise_by_block;
	macsec.config.modes_hw = device;
	macsec.config.random = mka_random;
	/*
	 * In simulation, send MKPDUs more often. Otherwise the peer could time out while the
	 * computer that runs the simulation is busy.
	 */
	macsec.config.hello_ms = CIPHERLANE_SIMULATED ? 100 : 0;
	macsec.config.send = mka_send;
	macsec.config.context = (void *)engine;
	ethernet.eapol = mka_receive;
	ethernet.context = &macsec;
}

/** Does the work of MKA that is due. Call this function in every turn of the main loop. */
static inline void macsec_poll(void)
{
	cl_macsec_poll(&macsec, milliseconds());
}
#else
static inline const struct cl_macsec_handlers *macsec_handlers(void)
{
	return NULL;
}

static inline void macsec_init(void)
{
}

static inline void macsec_start(const struct cl_engine *engine, void *device)
{
	(void)engine;
	(void)device;
}

static inline void macsec_poll(void)
{
}
#endif

#endif
