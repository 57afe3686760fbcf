/**
 * @file
 * The UDP fast path for Zephyr's threads. It takes the data records of its sessions from the
 * network and answers them itself, under MAC and IP addresses of its own: the net stack sees
 * nothing of it.
 */
#ifndef CIPHERLANE_FAST_PATH_H
#define CIPHERLANE_FAST_PATH_H

#include "fastpath/fastpath.h"
#include "links/link.h"

/** As the core's server, but any number of threads may call it; they take turns. */
extern const struct cl_server cl_zephyr_fast_path;

/** What a host is told of it, as cl_link.fast_path. */
void cl_zephyr_fast_path_describe(const struct cl_link *link, struct cl_wire_fastpath_reply *reply);

#endif
