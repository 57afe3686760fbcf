/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The UDP fast path for Zephyr's threads. The fast path is hardware that receives and answers the
 * data records of its sessions. It has its own MAC address and IP address. The net stack does not
 * see these records.
 */
#ifndef CIPHERLANE_FAST_PATH_H
#define CIPHERLANE_FAST_PATH_H

#include "fastpath/fastpath.h"
#include "links/link.h"

/**
 * The record service controls the fast path through the functions of this object. Any number of
 * threads can call the functions. A lock lets only one thread at a time access the hardware.
 */
extern const struct cl_server cl_zephyr_fast_path;

/**
 * Fills in @p reply, which describes the fast path to the host. Assign this function to
 * cl_link.fast_path.
 */
void cl_zephyr_fast_path_describe(const struct cl_link *link, struct cl_wire_fastpath_reply *reply);

#endif
