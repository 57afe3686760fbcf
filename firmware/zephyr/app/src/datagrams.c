/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records over UDP; each reply goes to the sender. With CONFIG_CIPHERLANE_ETHERNET_EARLY, the
 * Ethernet driver handles ordinary records itself, before the net stack sees them
 * (cl_ethernet_serve). Only unusual records then arrive here, for example in fragments or with IPv4
 * options.
 */
#include "datagrams.h"

#include <errno.h>
#include <string.h>

#include <zephyr/kernel.h>
#include <zephyr/net/net_context.h>
#include <zephyr/net/net_if.h>
#include <zephyr/net/net_ip.h>
#include <zephyr/net/net_pkt.h>

#include <cipherlane/ethernet.h>
#include <cipherlane/fast_path.h>
#include <cipherlane/soc.h>

#include "app.h"
#include "links/link_udp.h"
#include "zeroize.h"

#define MAC DT_NODELABEL(ethernet0)
/* Number of receive slots for frames from other stations. RX_WINDOW excludes these slots. */
#define SPARE_SLOTS 4u
#define RX_WINDOW   (DT_REG_SIZE_BY_NAME(MAC, rx_slots) - SPARE_SLOTS * DT_PROP(MAC, slot_bytes))

/**
 * The record being handled. Its header has 24 bytes. The 8 unused bytes before the header align the
 * data after the header to 16 bytes.
 */
static struct {
	uint8_t unused[8];
	uint8_t record[APP_RECORD_MAX];
} receive CL_SOC_IN_BUFFER;

/**
 * Array in the buffer memory for the data of one record. Some engines are slower if the data are in
 * other memory. For such an engine, the service copies the data here.
 */
static uint8_t staging[CL_LINK_UDP_MAX_DATA] CL_SOC_IN_BUFFER;

static void refresh(struct cl_link *link);

static struct cl_wire_network_reply network;
static struct cl_link link = {
	.rx_window = RX_WINDOW,
	.max_data = CL_LINK_UDP_MAX_DATA,
	.staging = IS_ENABLED(CONFIG_CIPHERLANE_ETHERNET_EARLY) ? staging : NULL,
	.network = &network,
	.refresh = refresh,
#ifdef CONFIG_CIPHERLANE_FAST_PATH
	.fast_path = cl_zephyr_fast_path_describe,
#endif
};
static struct net_context *port;

static void refresh(struct cl_link *link)
{
	struct cl_ethernet_counters seen;

	cl_ethernet_count(&seen);
	network.frames = seen.frames;
	network.ignored = seen.frames - seen.dropped - network.records;
	network.malformed = seen.dropped - seen.checksum_errors;
	network.checksum_errors = seen.checksum_errors;
	network.fcs_errors = seen.fcs_errors;
	network.overflows = seen.overflows;
}

/**
 * Copies a record from @p pkt to `receive`. If the record opens a session, zeroizes the packet,
 * because the record can contain a key. Returns the record's length in bytes, or 0 if the record is
 * too long.
 */
static size_t take(struct net_pkt *pkt)
{
	const size_t len = net_pkt_remaining_data(pkt);

	if (len > APP_RECORD_MAX || net_pkt_read(pkt, receive.record, len) != 0) {
		return 0;
	}
	if (len > CL_WIRE_HEADER_TYPE && receive.record[CL_WIRE_HEADER_TYPE] == CL_WIRE_TYPE_OPEN) {
		for (struct net_buf *part = pkt->buffer; part != NULL; part = part->frags) {
			cl_zeroize(part->data, part->len);
		}
	}
	return len;
}

/**
 * Adds the cycles for a record and its frame to the counts of the record's session. @p handled is
 * the number of cycles that the service took for the record.
 */
static void account(struct cl_service *service, uint32_t handled)
{
	struct cl_ethernet_counters seen;

	cl_ethernet_count(&seen);
	const struct cl_session_cost cost = {
		.driver = seen.frame_driver_cycles - seen.frame_copy_cycles,
		.copy = seen.frame_copy_cycles,
		.stack =
			cl_soc_cycles(NULL) - seen.frame_begin - seen.frame_driver_cycles - handled,
		.record = handled - link.engine_cycles,
	};

	cl_service_account(service, &link, &cost);
}

static void on_datagram(struct net_context *context, struct net_pkt *pkt, union net_ip_header *ip,
			union net_proto_header *protocol, int status, void *unused)
{
	struct sockaddr_in peer = {.sin_family = AF_INET};
	struct in_addr to;

	ARG_UNUSED(status);
	ARG_UNUSED(unused);
	if (pkt == NULL) {
		return;
	}
	memcpy(&to, ip->ipv4->dst, sizeof(to));
	if (net_if_ipv4_addr_lookup(&to, NULL) == NULL) { /* broadcast or multicast */
		net_pkt_unref(pkt);
		return;
	}
	memcpy(&peer.sin_addr, ip->ipv4->src, sizeof(peer.sin_addr));
	peer.sin_port = protocol->udp->src_port;
	size_t len = take(pkt);

	net_pkt_unref(pkt);
	struct cl_service *const service = app_lock();

	network.records++;
	if (!IS_ENABLED(CONFIG_CIPHERLANE_ETHERNET_EARLY)) {
		/*
		 * Without CONFIG_CIPHERLANE_ETHERNET_EARLY, the driver does not count pauses, the
		 * times when no frame waits. So this code counts one pause for each record.
		 */
		link.pauses++;
	}
	link.summed = false;
	link.peer = CL_PEER_NETWORK | (uint64_t)ntohl(peer.sin_addr.s_addr) << 16 |
		    ntohs(peer.sin_port);
	const uint32_t start = cl_soc_cycles(NULL);

	len = app_handle(&link, receive.record, len);
	const uint32_t handled = cl_soc_cycles(NULL) - start;

	if (len != 0) {
		/*
		 * If the net stack has no memory for the reply, the reply is lost. Then the host
		 * repeats its request.
		 */
		(void)net_context_sendto(context, receive.record, len, (struct sockaddr *)&peer,
					 sizeof(peer), NULL, K_NO_WAIT, NULL);
	}
	account(service, handled);
	/*
	 * Zeroize the record now: the session can end before the next record overwrites this
	 * record.
	 */
	cl_zeroize(receive.record, sizeof(receive.record));
	app_unlock();
}

#ifdef CONFIG_CIPHERLANE_ETHERNET_EARLY
static const struct cl_ethernet_service server = {
	.link = &link,
	.port = CL_WIRE_UDP_PORT,
	.lock = app_lock,
	.unlock = app_unlock,
};
#endif

int datagrams_init(void)
{
	/*
	 * Bind to any address, so that the socket also serves addresses that the interface gets
	 * later.
	 */
	struct sockaddr_in local = {
		.sin_family = AF_INET,
		.sin_port = htons(CL_WIRE_UDP_PORT),
	};
	struct in_addr own;
	int status;

	if (net_addr_pton(AF_INET, CONFIG_RECORDS_IPV4_ADDRESS, &own) != 0) {
		return -EINVAL;
	}
	if (net_if_ipv4_addr_add(net_if_get_default(), &own, NET_ADDR_MANUAL, 0) == NULL) {
		return -ENOMEM;
	}
	status = net_context_get(AF_INET, SOCK_DGRAM, IPPROTO_UDP, &port);
	if (status == 0) {
		status = net_context_bind(port, (struct sockaddr *)&local, sizeof(local));
	}
	if (status == 0) {
		status = net_context_recv(port, on_datagram, K_NO_WAIT, NULL);
	}
#ifdef CONFIG_CIPHERLANE_ETHERNET_EARLY
	if (status == 0) {
		cl_ethernet_serve(&server);
	}
#endif
	return status;
}

const struct cl_link *datagrams_link(void)
{
	return &link;
}
