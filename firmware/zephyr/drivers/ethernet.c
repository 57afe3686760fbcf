/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Driver of LiteEth's Ethernet MAC. A received frame stays in its slot of the MAC until the driver
 * acknowledges the frame. An interrupt wakes the driver's thread, which empties the slots. This
 * thread also runs the net stack for each frame (CONFIG_NET_TC_RX_COUNT=0). So later frames wait in
 * the slots, and none of Zephyr's queues can overflow.
 */
#define DT_DRV_COMPAT cipherlane_ethernet

#include <errno.h>

#include <zephyr/device.h>
#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#include <zephyr/net/ethernet.h>
#include <zephyr/net/net_if.h>
#include <zephyr/net/net_pkt.h>
#include <zephyr/sys/sys_io.h>

#include <cipherlane/ethernet.h>
#include <cipherlane/soc.h>

#include "early.h"
#include "frame_parts.h"
#include "service/frames.h"
#include "tx_slots.h"
#include "zeroize.h"

#define REG(name)     DT_INST_REG_ADDR_BY_NAME(0, name)
#define EVENT         BIT(0)
#define SLOT_BYTES    DT_INST_PROP(0, slot_bytes)
#define SUMS          DT_INST_PROP(0, slot_sums)
#define RX_SLOTS      (DT_INST_REG_SIZE_BY_NAME(0, rx_slots) / SLOT_BYTES)
#define ALLOC_TIMEOUT K_MSEC(10)
/*
 * ERASE_STEP: number of bytes that the driver zeroizes before it checks again for a received frame.
 * ARRIVED_MAX: upper bound of the bytes that can arrive from the network between two such checks.
 */
#define ERASE_STEP  32
#define ARRIVED_MAX 256

/*
 * True if the driver computes and checks all checksums instead of the net stack. The driver
 * supports only UDP and ICMP over unfragmented IPv4. Zephyr has a single setting for the checksums
 * of all protocols. So with TCP, IPv6 or IPv4 fragments, the net stack handles all checksums.
 */
#define SUMS_ALL                                                                                   \
	(!IS_ENABLED(CONFIG_NET_TCP) && !IS_ENABLED(CONFIG_NET_IPV6) &&                            \
	 !IS_ENABLED(CONFIG_NET_IPV4_FRAGMENT))

static struct net_if *iface;
static uint8_t mac_address[] = DT_INST_PROP(0, local_mac_address);
static struct cl_ethernet_counters counts;
/**
 * True if the driver's thread must zeroize the data that earlier frames left in memory. It is true
 * at the start.
 */
static atomic_t forgets = ATOMIC_INIT(true);
/** Number of the receive slot that contains the frame that the driver handled last. */
static uint32_t rx_slot;
/**
 * Bit masks of receive slots. `stale`: slots that hold old data and must be zeroized. `suspect`:
 * slots in which a frame can be damaged, because the driver was zeroizing the slot when the frame
 * arrived.
 */
static uint32_t stale;
static uint32_t suspect;
/**
 * `erasing`: number of the slot that the driver is zeroizing; RX_SLOTS if there is none.
 * `erasing_left`: number of bytes in this slot that are not zeroized yet.
 */
static uint32_t erasing = RX_SLOTS;
static uint32_t erasing_left;
/** The interrupt gives it. */
static K_SEM_DEFINE(received, 0, 1);
static struct k_thread thread;
static K_THREAD_STACK_DEFINE(stack, CONFIG_CIPHERLANE_ETHERNET_STACK);

/**
 * Copies the frame in a slot to a packet of the net stack. Returns NULL if the frame must be
 * dropped or no memory is free.
 */
static struct net_pkt *take(const uint8_t *slot, size_t len)
{
	struct net_pkt *const pkt = net_pkt_rx_alloc_on_iface(iface, ALLOC_TIMEOUT);
	struct net_buf *const buffer = pkt == NULL ? NULL : cl_frame_parts_take(slot, len, &counts);

	if (buffer != NULL) {
		net_pkt_frag_add(pkt, buffer);
		return pkt;
	}
	if (pkt != NULL) {
		net_pkt_unref(pkt);
	}
	return NULL;
}

static uint8_t *slot_memory(uint32_t number)
{
	return (uint8_t *)REG(rx_slots) + number * SLOT_BYTES;
}

static bool is_pending(void)
{
	return (sys_read32(REG(rx_ev_pending)) & EVENT) != 0;
}

/**
 * Passes a packet to the net stack. Counts a dropped frame if @p pkt is NULL, or if the net stack
 * refuses the packet.
 */
static void pass_on(struct net_pkt *pkt)
{
	if (pkt == NULL) {
		counts.dropped++;
	} else if (net_recv_data(iface, pkt) < 0) {
		counts.dropped++;
		net_pkt_unref(pkt);
	}
}

/**
 * Gives the slot of the last frame back to the Ethernet MAC, which can then write a new frame
 * there. First zeroizes the whole slot if the slot is marked `stale`. Otherwise, zeroizes only a
 * short frame, because a short frame can contain a key.
 */
static void release(uint8_t *slot, size_t len)
{
	const uint32_t bit = BIT(rx_slot);

	suspect &= ~bit;
	if ((stale & bit) != 0) {
		const uint32_t start = cl_soc_cycles(NULL);

		stale &= ~bit;
		erasing = erasing == rx_slot ? RX_SLOTS : erasing;
		cl_zeroize(slot, SLOT_BYTES);
		if (IS_ENABLED(CONFIG_CIPHERLANE_ETHERNET_EARLY)) {
			cl_early_owe(cl_soc_cycles(NULL) - start);
		}
	} else if (len <= CONFIG_CIPHERLANE_ETHERNET_CLEAR_BYTES) {
		cl_zeroize(slot, len);
	}
	sys_write32(EVENT, REG(rx_ev_pending));
}

/* The MAC's table of known stations needs a row for each session. */
_Static_assert(CL_SESSIONS <= 8, "eight rows");

void cl_ethernet_reserve(uint32_t row, const struct cl_station *station)
{
	const uint32_t others = sys_read32(REG(station_known)) & ~BIT(row);

	if (station == NULL) {
		sys_write32(others, REG(station_known));
		return;
	}
	sys_write32(row, REG(station_row));
	sys_write32(station->mac[0], REG(station_mac0));
	sys_write32(station->mac[1], REG(station_mac1));
	sys_write32(station->address, REG(station_address));
	sys_write32(others | BIT(row), REG(station_known));
}

static void receive(void)
{
	const uint32_t start = cl_soc_cycles(NULL);
	const size_t len = sys_read32(REG(rx_length));
	struct cl_frame frame;

	rx_slot = sys_read32(REG(rx_slot));
	uint8_t *const slot = slot_memory(rx_slot);
	const bool whole = (suspect & BIT(rx_slot)) == 0;

	counts.frames++;
	cl_frame_take(&frame, slot, len, slot + SUMS);
	if (IS_ENABLED(CONFIG_CIPHERLANE_ETHERNET_EARLY) && whole &&
	    cl_early_receive(iface, &frame, start)) {
		release(slot, len);
		return;
	}
	counts.frame_begin = start;
	counts.frame_driver_cycles = 0;
	counts.frame_copy_cycles = 0;
	const bool admitted =
		whole && (!IS_ENABLED(CONFIG_CIPHERLANE_ETHERNET_EARLY) || cl_early_admits());
	struct net_pkt *const pkt = admitted ? take(slot, len) : NULL;

	release(slot, len);
	counts.frame_driver_cycles += cl_soc_cycles(NULL) - start;
	pass_on(pkt);
	if (IS_ENABLED(CONFIG_CIPHERLANE_ETHERNET_EARLY)) {
		cl_early_spend(cl_soc_cycles(NULL) - start);
	}
}

/**
 * Zeroizes one slot. Of the slots that are marked `stale`, the function chooses the slot in which a
 * frame arrived last. It stops as soon as a new frame has arrived.
 *
 * The function does not zeroize the slot that the Ethernet MAC writes next. After a stop, a later
 * call zeroizes the remaining bytes of the slot. When the function stops, a later frame can already
 * be arriving in the half-zeroized slot. The function zeroizes the first bytes of a slot last. If
 * it stops among these first bytes, it can have zeroized bytes of that later frame. So it marks the
 * slot `suspect`, and the driver will drop that frame. The next call of the function removes the
 * mark.
 *
 * @return false if no slot has to be zeroized
 */
static bool erase_stale(void)
{
	const uint32_t next = (rx_slot + 1) % RX_SLOTS;
	uint32_t slot = rx_slot;

	suspect = 0;
	if ((stale & ~BIT(next)) == 0) {
		return false;
	}
	while ((stale & BIT(slot)) == 0) {
		slot = (slot + RX_SLOTS - 1) % RX_SLOTS;
	}
	if (erasing != slot) {
		erasing = slot;
		erasing_left = SLOT_BYTES;
	}
	suspect = BIT(slot);
	while (erasing_left != 0) {
		const unsigned int key = irq_lock();

		if (is_pending()) {
			irq_unlock(key);
			suspect = erasing_left < ARRIVED_MAX ? BIT(slot) : 0;
			return true;
		}
		erasing_left -= ERASE_STEP;
		cl_zeroize(slot_memory(slot) + erasing_left, ERASE_STEP);
		irq_unlock(key);
	}
	stale &= ~BIT(slot);
	erasing = RX_SLOTS;
	return true;
}

static void forget(void)
{
	const uint32_t start = cl_soc_cycles(NULL);

	stale = BIT_MASK(RX_SLOTS);
	erasing = RX_SLOTS;
	cl_tx_erase();
	cl_frame_parts_forget();
	if (IS_ENABLED(CONFIG_CIPHERLANE_ETHERNET_EARLY)) {
		cl_early_forget();
	}
	cl_soc_forget();
	if (IS_ENABLED(CONFIG_CIPHERLANE_ETHERNET_EARLY)) {
		cl_early_owe(cl_soc_cycles(NULL) - start);
	}
}

void cl_ethernet_forget(void)
{
	atomic_set(&forgets, true);
	k_sem_give(&received);
}

static void empty_slots(void *unused1, void *unused2, void *unused3)
{
	ARG_UNUSED(unused1);
	ARG_UNUSED(unused2);
	ARG_UNUSED(unused3);
	for (;;) {
		if (atomic_set(&forgets, false)) {
			forget();
		}
		if (is_pending()) {
			receive();
			continue;
		}
		if (IS_ENABLED(CONFIG_CIPHERLANE_ETHERNET_EARLY)) {
			cl_early_pause();
		}
		if (!erase_stale()) {
			/*
			 * Enable the interrupt. If a frame has arrived since the last check, the
			 * MAC raises the interrupt at once.
			 */
			sys_write32(EVENT, REG(rx_ev_enable));
			(void)k_sem_take(&received, K_FOREVER);
		}
	}
}

/**
 * The interrupt handler. The receive event stays pending as long as a frame waits. So the handler
 * disables the interrupt until the driver's thread has emptied the slots.
 */
static void isr(const void *unused)
{
	ARG_UNUSED(unused);
	sys_write32(0, REG(rx_ev_enable));
	k_sem_give(&received);
}

static int transmit(struct net_pkt *pkt)
{
	uint8_t *slot;

	if (net_pkt_get_len(pkt) > CL_FRAME_MAX) {
		return -EMSGSIZE;
	}
	slot = cl_tx_begin();
	if (slot == NULL) {
		return -EIO;
	}
	cl_tx_end(cl_frame_parts_assemble(slot, pkt, &counts), false);
	return 0;
}

static int send(const struct device *device, struct net_pkt *pkt)
{
	const uint32_t start = cl_soc_cycles(NULL);
	const int result = transmit(pkt);

	ARG_UNUSED(device);
	counts.frame_driver_cycles += cl_soc_cycles(NULL) - start;
	return result;
}

static void start_interface(struct net_if *interface)
{
	iface = interface;
	ethernet_init(iface);
	(void)net_if_set_link_addr(iface, mac_address, sizeof(mac_address), NET_LINK_ETHERNET);
	k_thread_create(&thread, stack, K_THREAD_STACK_SIZEOF(stack), empty_slots, NULL, NULL, NULL,
			K_PRIO_PREEMPT(CONFIG_CIPHERLANE_ETHERNET_PRIORITY), 0, K_NO_WAIT);
	(void)k_thread_name_set(&thread, "ethernet");
}

static enum ethernet_hw_caps capabilities(const struct device *device)
{
	ARG_UNUSED(device);
	return SUMS_ALL ? ETHERNET_HW_RX_CHKSUM_OFFLOAD | ETHERNET_HW_TX_CHKSUM_OFFLOAD : 0;
}

void cl_ethernet_count(struct cl_ethernet_counters *counters)
{
	counts.overflows = sys_read32(REG(rx_errors));
	counts.fcs_errors = sys_read32(REG(crc_errors)) + sys_read32(REG(preamble_errors));
	*counters = counts;
}

static const struct ethernet_api api = {
	.iface_api.init = start_interface,
	.get_capabilities = capabilities,
	.send = send,
};

static int init(const struct device *device)
{
	ARG_UNUSED(device);
	sys_write32(0, REG(rx_ev_enable));
	sys_write32(0, REG(station_known));
	IRQ_CONNECT(DT_INST_IRQN(0), DT_INST_IRQ(0, priority), isr, NULL, 0);
	irq_enable(DT_INST_IRQN(0));
	return 0;
}

ETH_NET_DEVICE_DT_INST_DEFINE(0, init, NULL, NULL, NULL, CONFIG_ETH_INIT_PRIORITY, &api,
			      NET_ETH_MTU);
