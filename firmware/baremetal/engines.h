/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The engines of a SoC in addition to those in C: the vector unit's, unless an extension replaces
 * the unit, and the accelerator's.
 */
#ifndef ENGINES_H
#define ENGINES_H

#include <stddef.h>
#include <stdint.h>

#include <generated/mem.h>
#include <generated/soc.h>

#include "accelerator/accel.h"
#include "accelerator/engine_accel.h"
#include "accelerator/engine_accel_gcm.h"
#include "extension.h"
#include "network.h"
#include "port.h"
#include "vector/engine_ise.h"

/* Only the vector unit has a multiplier, so it computes GHASH for the accelerator. */
#if defined(CIPHERLANE_VECTOR_PRODUCTS) && !defined(CIPHERLANE_GCM)
#define ENGINES_HASHER
#endif

/** The engines, and the unit that computes GHASH for the accelerator if it has none itself. */
struct engines {
#ifndef CIPHERLANE_OTHER_UNIT
	struct cl_engine ise, ise_fused, ise_vmem;
#endif
	struct cl_engine accelerator;
#ifdef ENGINES_HASHER
	struct cl_hasher hasher;
#endif
};

/**
 * Initial value of the accelerator's device. It copies data through the array @p bounce_ that are
 * not aligned, or that its DMA does not reach.
 */
#define ENGINES_ACCEL_DEVICE(bounce_)                                                              \
	{                                                                                          \
		.dma_origin = BUFFER_BASE, .dma_bytes = BUFFER_SIZE,                               \
		.uncached_origin = NETWORK_SLOTS_BASE, .uncached_bytes = NETWORK_SLOTS_BYTES,      \
		.bounce = (bounce_), .bounce_bytes = sizeof(bounce_),                              \
	}

#ifdef CIPHERLANE_OTHER_UNIT
static struct cl_ise_device *const ise_device; /* NULL: the extension has another unit */

/** Initial value of the vector unit's engines in a struct engines. */
#define ENGINES_OF_UNIT
/** The list of the engines. An extension that replaces the vector unit lists its own engines. */
#define ENGINES_LIST(engines) &(engines).accelerator
/** The engine that computes the identities of keys. */
#define ENGINES_IDENTITY(engines) EXTENSION_IDENTITY
#ifndef EXTENSION_IDENTITY
#error "an extension that replaces the vector unit must define EXTENSION_IDENTITY"
#endif
#else
static struct cl_ise_device vector_unit = {
	.memory =
		{
			.origin = BUFFER_BASE,
			.bytes = BUFFER_SIZE,
			.drain = port_drain,
			.dcache_flush = port_dcache_flush,
		},
};
static struct cl_ise_device *const ise_device = &vector_unit;

#define ENGINES_OF_UNIT                                                                            \
	.ise = WITH_GCM(cl_engine_ise(&vector_unit)),                                              \
	.ise_fused = WITH_GCM(cl_engine_ise_fused(&vector_unit)),                                  \
	.ise_vmem = WITH_GCM(cl_engine_ise_vmem(&vector_unit)),
#define ENGINES_LIST(engines)                                                                      \
	&(engines).ise, &(engines).ise_fused, &(engines).ise_vmem, &(engines).accelerator
#define ENGINES_IDENTITY(engines) (&(engines).ise_fused)
#endif

/* WITH_GCM adds GCM to an engine of the vector unit, if the unit has a multiplier. */
#ifdef CIPHERLANE_VECTOR_PRODUCTS
#define WITH_GCM(engine) cl_engine_ise_with_gcm(engine)
#else
#define WITH_GCM(engine) (engine)
#endif
#ifdef ENGINES_HASHER
#define HASHER_OF_UNIT .hasher = cl_ise_hasher(&vector_unit),
#else
#define HASHER_OF_UNIT
#endif

#ifdef CIPHERLANE_GCM
#define ACCELERATOR(device) cl_engine_accel_gcm(device)
#else
#define ACCELERATOR(device) cl_engine_accel(device)
#endif

/**
 * Initial value of a struct engines. Call engines_init and cl_engine_accel_init before you use an
 * engine.
 */
#define ENGINES_INIT(accel_device)                                                                 \
	{                                                                                          \
		ENGINES_OF_UNIT HASHER_OF_UNIT.accelerator = ACCELERATOR(accel_device),            \
	}

/** Lets the accelerator's engine use the vector unit's multiplier, if only this unit has one. */
static inline void engines_init(struct engines *engines)
{
#ifdef ENGINES_HASHER
	engines->accelerator.hasher = &engines->hasher;
#else
	(void)engines;
#endif
}

/** Zeroizes the registers of the vector unit. */
static inline void engines_zeroize_unit(void)
{
#ifndef CIPHERLANE_OTHER_UNIT
	cl_ise_zeroize();
#endif
}

#endif
