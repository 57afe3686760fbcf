/* SPDX-License-Identifier: BSD-2-Clause */
#include "early.h"

#include <string.h>

#include <cipherlane/ethernet.h>
#include <cipherlane/soc.h>

#include "tx_slots.h"
#include "zeroize.h"

/**
 * `server`: the record service that was passed to cl_ethernet_serve. `udp`: state of the UDP link
 * over which the service's records arrive. `udp.link` is NULL until cl_ethernet_serve is called.
 */
static struct cl_ethernet_service server;
static struct cl_link_udp udp;
/**
 * The received frame that contains the record being handled. NULL if the record came through the
 * net stack.
 */
static const struct cl_frame *answered;

/**
 * Implements cl_link.reserve for the session with index @p place. If @p open is true, reserves
 * receive slots for the host of this session, unless its record came through the net stack. If @p
 * open is false, ends the reservation. The calling thread holds the service's lock.
 */
static void reserve(struct cl_link *link, uint32_t place, bool open)
{
	ARG_UNUSED(link);
	if (!open) {
		cl_ethernet_reserve(place, NULL);
	} else if (answered != NULL) {
		const struct cl_station station = cl_frame_station(answered);

		cl_ethernet_reserve(place, &station);
	}
}

void cl_ethernet_serve(const struct cl_ethernet_service *service)
{
	server = *service;
	udp.port = service->port;
	service->link->reserve = reserve;
	/*
	 * Set `udp.link` last: as soon as it is set, the driver's thread can use all these values.
	 */
	compiler_barrier();
	udp.link = service->link;
}

/**
 * Returns true if an IPv4 address belongs to the network interface and the net stack has finished
 * the configuration of this address.
 */
static bool is_own(struct net_if *iface, const uint8_t *address)
{
	struct net_if *holder = NULL;
	struct in_addr wanted;

	memcpy(&wanted, address, sizeof(wanted));
	const struct net_if_addr *const held = net_if_ipv4_addr_lookup(&wanted, &holder);

	return held != NULL && holder == iface && held->addr_state == NET_ADDR_PREFERRED;
}

/**
 * Handles the record of @p len bytes in a frame, and sends the answer. The calling thread holds the
 * lock of the service.
 */
static void answer(struct cl_service *service, struct cl_frame *frame, size_t len,
		   struct cl_session_cost *cost)
{
	const uint32_t judged = cl_soc_cycles(NULL);
	uint8_t *const slot = cl_tx_begin();

	cost->driver += cl_soc_cycles(NULL) - judged;
	if (slot == NULL) {
		cl_frame_drop(frame);
		return;
	}
	answered = frame;
	len = cl_frame_carry_out(frame, &udp, service, len, slot, cost);
	answered = NULL;
	const uint32_t ready = cl_soc_cycles(NULL);

	cl_tx_end(len, true);
	cost->driver += cl_soc_cycles(NULL) - ready;
	cl_service_account(service, udp.link, cost);
}

bool cl_early_receive(struct net_if *iface, struct cl_frame *frame, uint32_t begin)
{
	const uint32_t found = cl_soc_cycles(NULL);
	const uint8_t *const head = (const uint8_t *)frame->head;
	size_t len = frame->len;

	if (udp.link == NULL) {
		return false;
	}
	const uint8_t *const address = cl_link_udp_destination(&udp, head, len);

	if (address == NULL || !net_if_is_up(iface) || !is_own(iface, address)) {
		return false;
	}
	const uint32_t own = cl_soc_cycles(NULL);
	struct cl_service *const service = server.lock();
	const uint32_t locked = cl_soc_cycles(NULL);

	memcpy(udp.mac, net_if_get_link_addr(iface)->addr, sizeof(udp.mac));
	memcpy(udp.address, address, sizeof(udp.address));
	const bool is_record = cl_link_udp_receive(&udp, (uint8_t *)frame->head, frame->slot, &len,
						   frame->sum) == CL_LINK_UDP_RECORD;

	if (is_record) {
		struct cl_session_cost cost = {
			.driver = found - begin,
			.stack = (own - found) + (cl_soc_cycles(NULL) - locked),
		};

		answer(service, frame, len, &cost);
	}
	server.unlock();
	return is_record;
}

bool cl_early_admits(void)
{
	if (udp.link == NULL) {
		return true;
	}
	struct cl_service *const service = server.lock();

	cl_sessions_tick(&service->sessions, service->platform);
	const bool admits = cl_service_admits(service, 0);

	server.unlock();
	return admits;
}

void cl_early_spend(uint32_t cycles)
{
	if (udp.link != NULL) {
		cl_service_spend(server.lock(), cycles);
		server.unlock();
	}
}

void cl_early_owe(uint32_t cycles)
{
	if (udp.link != NULL) {
		cl_service_owe(server.lock(), cycles);
		server.unlock();
	}
}

void cl_early_pause(void)
{
	if (udp.link != NULL) {
		(void)server.lock();
		udp.link->pauses++;
		server.unlock();
	}
}

void cl_early_forget(void)
{
	if (udp.link != NULL && udp.link->staging != NULL) {
		(void)server.lock();
		cl_zeroize(udp.link->staging, udp.link->max_data);
		server.unlock();
	}
}
