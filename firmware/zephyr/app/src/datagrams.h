/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Records over UDP, on Zephyr's net stack.
 */
#ifndef DATAGRAMS_H
#define DATAGRAMS_H

#include "links/link.h"

/**
 * Sets the network interface's IPv4 address and starts the record service on its UDP port.
 *
 * @retval 0 done
 * @retval -errno the address or the socket could not be set up
 */
int datagrams_init(void);

/** Returns the description of the UDP link, which contains the link's counters. */
const struct cl_link *datagrams_link(void);

#endif
