/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The UDP fast path for Zephyr's threads. The fast path is hardware that receives and answers the
 * data records of its sessions, with MAC and IP addresses of its own. The net stack does not see
 * these records.
 */
#ifndef CIPHERLANE_FAST_PATH_H
#define CIPHERLANE_FAST_PATH_H

#include "fastpath/fastpath.h"
#include "links/link.h"

/**
 * The core's server on the fast path. Any number of threads may call it; they take turns to use it.
 */
extern const struct cl_server cl_zephyr_fast_path;

/** Fills in the fast path's description for the host. Assign it to cl_link.fast_path. */
void cl_zephyr_fast_path_describe(const struct cl_link *link, struct cl_wire_fastpath_reply *reply);

#endif
