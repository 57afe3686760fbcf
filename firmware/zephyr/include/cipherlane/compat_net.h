/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Differences between the releases of Zephyr's net stack.
 */
#ifndef CIPHERLANE_COMPAT_NET_H
#define CIPHERLANE_COMPAT_NET_H

#include <zephyr/net/net_pkt.h>

#include <cipherlane/compat.h>

/**
 * Returns a buffer for received data of up to @p size bytes, or NULL. Zephyr 3.3 added the size as
 * an argument.
 */
static inline struct net_buf *cl_rx_buffer(size_t size, k_timeout_t timeout)
{
#if KERNEL_VERSION_NUMBER >= ZEPHYR_VERSION(3, 3, 0)
	return net_pkt_get_reserve_rx_data(size, timeout);
#else
	ARG_UNUSED(size);
	return net_pkt_get_reserve_rx_data(timeout);
#endif
}

#endif
