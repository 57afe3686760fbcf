/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Ethernet as the main loop sees it. On a SoC without an Ethernet MAC, the functions do nothing.
 * Only main.c may include this file and the headers that include it: they define variables.
 */
#ifndef NETWORK_H
#define NETWORK_H

#include <stddef.h>
#include <stdint.h>

#include <generated/csr.h>
#include <generated/mem.h>

#include "ethernet.h"

#ifdef CSR_ETHMAC_BASE
/** The Ethernet MAC's slots: memory that the CPU does not cache. */
#define NETWORK_SLOTS_BASE  ETHMAC_BASE
#define NETWORK_SLOTS_BYTES ETHMAC_SIZE

static struct ethernet ethernet;
/*
 * Buffer for the data of one record. Some engines are slower in the Ethernet MAC's slots than in
 * the buffer memory. For these engines, the firmware copies the data here.
 */
static uint8_t staging[CL_LINK_UDP_MAX_DATA] __attribute__((section(".buffer"), aligned(16)));

/** Starts the link over Ethernet, which uses the record service @p service. */
static inline void network_init(struct cl_service *service)
{
	ethernet_init(&ethernet, service, staging);
}

/** Handles one frame if one was received; otherwise zeroizes a part of the old frames. */
static inline void network_poll(void)
{
	ethernet_poll(&ethernet);
}

/** Zeroizes the frames of the past, as ethernet_forget describes. */
static inline void network_forget(void)
{
	ethernet_forget(&ethernet);
}
#else
#define NETWORK_SLOTS_BASE  0
#define NETWORK_SLOTS_BYTES 0

static inline void network_init(struct cl_service *service)
{
	(void)service;
}

static inline void network_poll(void)
{
}

static inline void network_forget(void)
{
}
#endif

#ifdef CSR_FASTPATH_BASE
/** The server for records that do not pass through the CPU, and its address. */
#define NETWORK_SERVER            cl_fastpath_server(&ethernet.fast_path)
#define NETWORK_SERVER_AT(server) (&(server))
#else
#define NETWORK_SERVER                                                                             \
	{                                                                                          \
		0                                                                                  \
	}
#define NETWORK_SERVER_AT(server) ((void)(server), NULL)
#endif

#endif
