/* SPDX-License-Identifier: BSD-2-Clause */
#include <generated/csr.h>

#ifdef CSR_ETHMAC_BASE

#include <generated/mem.h>
#include <generated/soc.h>

#include <stdbool.h>
#include <string.h>

#include "ethernet.h"
#include "links/copy_sum.h"
#include "port.h"
#include "zeroize.h"

/* Number of receive slots that are not part of `rx_window`, the buffer size reported to a host. */
#define SPARE_SLOTS   4u
#define EVENT         1u
#define TX_SLOTS_BASE (ETHMAC_BASE + ETHMAC_RX_SLOTS * ETHMAC_SLOT_SIZE)
/*
 * ERASE_STEP: number of bytes that are zeroized before the next check for a new frame. ARRIVED_MAX:
 * upper bound of the bytes that the network delivers while ERASE_STEP bytes are zeroized.
 */
#define ERASE_STEP  32u
#define ARRIVED_MAX 256u
/*
 * Time limit for sending: one millisecond, in clock cycles. Sending the frames of all transmit
 * slots takes less.
 */
#define TX_TIMEOUT_CYCLES (CONFIG_CLOCK_FREQUENCY / 1000)
#define LOCAL_MAC                                                                                  \
	{                                                                                          \
		MACADDR1, MACADDR2, MACADDR3, MACADDR4, MACADDR5, MACADDR6                         \
	}
#define LOCAL_ADDRESS                                                                              \
	{                                                                                          \
		LOCALIP1, LOCALIP2, LOCALIP3, LOCALIP4                                             \
	}

/*
 * Attribute of functions that run rarely. They are not inlined, so that the code that handles most
 * records occupies few cache lines.
 */
#define APART __attribute__((noinline))

static void refresh(struct cl_link *link)
{
	/* `link` is the first member of struct ethernet, so both have the same address. */
	struct ethernet *const ethernet = (struct ethernet *)link;
	struct cl_wire_network_reply *const network = &ethernet->network;

	network->overflows = ethmac_sram_writer_errors_read();
	network->fcs_errors =
		ethmac_rx_datapath_crc_errors_read() + ethmac_rx_datapath_preamble_errors_read();
}

_Static_assert(CL_SESSIONS <= ETHMAC_STATION_ROWS, "a row for every session");

/**
 * Updates row @p place of the Ethernet MAC's table of known stations. The Ethernet MAC reserves
 * receive slots for frames of known stations. If @p open is true, writes the addresses of the
 * current frame's sender to the row. If @p open is false, marks the row as unused.
 */
static APART void reserve(struct cl_link *link, uint32_t place, bool open)
{
	const struct ethernet *const ethernet = (const struct ethernet *)link;
	const uint32_t bit = 1u << place;

	if (!open) {
		ethmac_stations_known_write(ethmac_stations_known_read() & ~bit);
		return;
	}
	const struct cl_station station = cl_frame_station(&ethernet->frame);

	ethmac_stations_row_write(place);
	ethmac_stations_mac0_write(station.mac[0]);
	ethmac_stations_mac1_write(station.mac[1]);
	ethmac_stations_address_write(station.address);
	ethmac_stations_known_write(ethmac_stations_known_read() | bit);
}

static void describe_fast_path(const struct cl_link *link, struct cl_wire_fastpath_reply *reply)
{
	const struct ethernet *const ethernet = (const struct ethernet *)link;

	reply->max_data = CL_LINK_UDP_MAX_DATA;
	reply->rx_window = CL_FASTPATH_RX_WINDOW(CIPHERLANE_SIMULATED);
	cl_fastpath_describe(&ethernet->fast_path, reply);
}

void ethernet_init(struct ethernet *ethernet, struct cl_service *service, uint8_t *staging)
{
	*ethernet = (struct ethernet){
		.link =
			{
				.rx_window = (ETHMAC_RX_SLOTS - SPARE_SLOTS) * ETHMAC_SLOT_SIZE,
				.max_data = CL_LINK_UDP_MAX_DATA,
				.staging = staging,
				.network = &ethernet->network,
				.refresh = refresh,
				.reserve = reserve,
				.fast_path = describe_fast_path,
			},
		.fast_path = {.regs = (volatile uint32_t *)CSR_FASTPATH_BASE},
		.udp =
			{
				.link = &ethernet->link,
				.mac = LOCAL_MAC,
				.address = LOCAL_ADDRESS,
				.port = CL_WIRE_UDP_PORT,
			},
		.service = service,
	};
	cl_fastpath_zeroize(&ethernet->fast_path);
	ethmac_stations_known_write(0);
	cl_zeroize((void *)ETHMAC_BASE, (ETHMAC_RX_SLOTS + ETHMAC_TX_SLOTS) * ETHMAC_SLOT_SIZE);
}

/** Waits until a transmit slot is free, and returns its address. Returns NULL after a time-out. */
static uint8_t *next_slot(const struct ethernet *ethernet)
{
	const uint32_t start = port_cycles(NULL);

	while (ethmac_sram_reader_level_read() >= ETHMAC_TX_SLOTS) {
		if (port_cycles(NULL) - start > TX_TIMEOUT_CYCLES) {
			return NULL;
		}
	}
	return (uint8_t *)(TX_SLOTS_BASE + ethernet->tx_slot * ETHMAC_SLOT_SIZE);
}

void ethernet_forget(struct ethernet *ethernet)
{
	const uint32_t start = port_cycles(NULL);

	ethernet->stale = (1u << ETHMAC_RX_SLOTS) - 1;
	ethernet->erasing = ETHMAC_RX_SLOTS;
	cl_zeroize(ethernet->link.staging, CL_LINK_UDP_MAX_DATA);
	while (ethmac_sram_reader_level_read() != 0) {
		if (port_cycles(NULL) - start > TX_TIMEOUT_CYCLES) {
			/*
			 * Time-out: do not zeroize the transmit slots, because some frames in them
			 * are not sent yet. Later responses will overwrite these frames.
			 */
			return;
		}
	}
	cl_zeroize((void *)TX_SLOTS_BASE, ETHMAC_TX_SLOTS * ETHMAC_SLOT_SIZE);
}

static bool is_pending(void)
{
	return (ethmac_sram_writer_ev_pending_read() & EVENT) != 0;
}

static uint8_t *rx_slot(uint32_t number)
{
	return (uint8_t *)(ETHMAC_BASE + number * ETHMAC_SLOT_SIZE);
}

/**
 * Zeroizes one stale receive slot. Stops early if a new frame arrives. A slot is stale if it can
 * still contain a key or data from an old frame. If several slots are stale, the function zeroizes
 * the slot whose frame arrived last.
 *
 * The function does not touch the slot to which the Ethernet MAC will write the next frame.
 * erase_handled zeroizes that slot when the next frame has been handled. If a frame arrives during
 * the erasure, a later call erases the rest of the slot, when no frame is pending. Meanwhile the
 * Ethernet MAC can begin to write a second frame to the half-erased slot. The start of a slot is
 * erased last. If the start was being erased when the second frame began, the erasure can have
 * damaged that frame. The function therefore marks the slot as suspect: the next frame in it is
 * dropped and zeroized. The mark disappears at the next poll that finds no frame.
 */
static APART void erase_stale(struct ethernet *ethernet)
{
	const uint32_t next = (ethernet->rx_slot + 1) % ETHMAC_RX_SLOTS;
	uint32_t slot = ethernet->rx_slot;

	ethernet->suspect = 0;
	if (ethernet->erasing < ETHMAC_RX_SLOTS && ethernet->left == 0) {
		ethernet->stale &= ~(1u << ethernet->erasing);
		ethernet->erasing = ETHMAC_RX_SLOTS;
	}
	if ((ethernet->stale & ~(1u << next)) == 0) {
		return;
	}
	while ((ethernet->stale >> slot & 1) == 0) {
		slot = (slot + ETHMAC_RX_SLOTS - 1) % ETHMAC_RX_SLOTS;
	}
	if (ethernet->erasing != slot) {
		ethernet->erasing = slot;
		ethernet->left = ETHMAC_SLOT_SIZE;
	}
	ethernet->suspect = 1u << slot;
	while (ethernet->left != 0) {
		if (is_pending()) {
			ethernet->suspect = ethernet->left < ARRIVED_MAX ? 1u << slot : 0;
			return;
		}
		ethernet->left -= ERASE_STEP;
		cl_zeroize(rx_slot(slot) + ethernet->left, ERASE_STEP);
	}
}

static void transmit(struct ethernet *ethernet, size_t len, bool with_udp_checksum)
{
	/*
	 * The compiler must complete all stores to the slot before the Ethernet MAC is told to send
	 * the slot's frame.
	 */
	__asm__ volatile("" : : : "memory");
	ethmac_tx_checksum_write(with_udp_checksum);
	ethmac_sram_reader_slot_write(ethernet->tx_slot);
	ethmac_sram_reader_length_write(len);
	ethmac_sram_reader_start_write(1);
	ethernet->tx_slot = (ethernet->tx_slot + 1) % ETHMAC_TX_SLOTS;
}

/** Zeroizes the slot of a frame that was handled or dropped: the frame can contain a key. */
static APART void erase_handled(struct ethernet *ethernet, uint32_t number)
{
	const uint32_t begin = port_cycles(NULL);

	ethernet->suspect &= ~(1u << number);
	ethernet->stale &= ~(1u << number);
	ethernet->erasing = ethernet->erasing == number ? ETHMAC_RX_SLOTS : ethernet->erasing;
	cl_zeroize(rx_slot(number), ETHMAC_SLOT_SIZE);
	cl_service_owe(ethernet->service, port_cycles(NULL) - begin);
}

/**
 * Returns the slot of the handled frame to the Ethernet MAC, which then writes new frames to it.
 */
static void release(struct ethernet *ethernet)
{
	const uint32_t number = ethernet->rx_slot;

	if ((ethernet->stale >> number & 1) != 0) {
		erase_handled(ethernet, number);
	}
	ethmac_sram_writer_ev_pending_write(EVENT);
}

/**
 * Sends the answer to an ARP or ICMP request. The answer begins with the headers in @p frame. Its
 * remaining bytes are copied from the received frame. If the answer is longer than CL_LINK_UDP_HEAD
 * bytes and cl_service_admits returns false, drops the answer.
 */
static APART void respond(struct ethernet *ethernet, const struct cl_frame *frame, size_t len,
			  uint8_t *tx_slot)
{
	const uint32_t begin = port_cycles(NULL);

	if (len > CL_LINK_UDP_HEAD) {
		cl_sessions_tick(&ethernet->service->sessions, ethernet->service->platform);
		if (!cl_service_admits(ethernet->service, 0)) {
			ethernet->network.responses--;
			ethernet->network.ignored++;
			return;
		}
		(void)cl_copy_sum(tx_slot + CL_LINK_UDP_HEAD, frame->slot + CL_LINK_UDP_HEAD,
				  len - CL_LINK_UDP_HEAD);
	}
	cl_frame_put_head(frame, tx_slot);
	transmit(ethernet, len, false);
	cl_service_spend(ethernet->service, port_cycles(NULL) - begin);
}

/**
 * Processes the record of @p len bytes that a frame contains. Sends the answer if there is one.
 */
static void carry_out(struct ethernet *ethernet, struct cl_frame *frame, size_t len,
		      uint8_t *tx_slot, struct cl_session_cost *cost)
{
	len = cl_frame_carry_out(frame, &ethernet->udp, ethernet->service, len, tx_slot, cost);
	if (len != 0) {
		const uint32_t ready = port_cycles(NULL);

		transmit(ethernet, len, true);
		cost->driver += port_cycles(NULL) - ready;
	}
}

/**
 * Handles the frame in a slot. During this time, the Ethernet MAC does not write this slot.
 * @p begin is the value of the cycle counter at the start of ethernet_poll.
 */
static void handle(struct ethernet *ethernet, uint8_t *slot, uint32_t begin)
{
	struct cl_frame *const frame = &ethernet->frame;
	uint8_t *const head = (uint8_t *)frame->head;
	size_t len = ethmac_sram_writer_length_read();
	const uint32_t found = port_cycles(NULL);

	cl_frame_take(frame, slot, len, slot + ETHMAC_SLOT_SUMS);
	const uint32_t taken = port_cycles(NULL);
	const enum cl_link_udp_kind kind =
		cl_link_udp_receive(&ethernet->udp, head, slot, &len, frame->sum);
	const uint32_t judged = port_cycles(NULL);
	uint8_t *const tx_slot = kind == CL_LINK_UDP_NOTHING ? NULL : next_slot(ethernet);

	if (tx_slot == NULL) {
		cl_frame_drop(frame);
		return;
	}
	if (kind == CL_LINK_UDP_RESPONSE) {
		respond(ethernet, frame, len, tx_slot);
		return;
	}
	struct cl_session_cost cost = {
		.driver = (found - begin) + (port_cycles(NULL) - judged),
		.copy = taken - found,
		.stack = judged - taken,
	};

	carry_out(ethernet, frame, len, tx_slot, &cost);
	cl_service_account(ethernet->service, &ethernet->link, &cost);
}

#ifdef CSR_MACSEC_BASE
void ethernet_send(struct ethernet *ethernet, const uint8_t *frame, size_t size)
{
	uint8_t *const slot = next_slot(ethernet);

	if (slot != NULL && size <= ETHMAC_SLOT_SIZE) {
		memcpy(slot, frame, size);
		transmit(ethernet, size, false);
	}
}

/**
 * Passes a frame of EtherType 0x888e (EAPOL) to the handler `eapol`, and returns true. Returns
 * false if the frame has another type or is too long, or if there is no handler.
 */
static APART bool take_eapol(struct ethernet *ethernet, const uint8_t *slot)
{
	const size_t size = ethmac_sram_writer_length_read();

	if (slot[12] != 0x88 || slot[13] != 0x8e || ethernet->eapol == NULL ||
	    size > ETHMAC_SLOT_SIZE) {
		return false;
	}
	ethernet->eapol(ethernet->context, slot, size);
	return true;
}
#else
static inline bool take_eapol(struct ethernet *ethernet, const uint8_t *slot)
{
	(void)ethernet;
	(void)slot;
	return false;
}
#endif

void ethernet_poll(struct ethernet *ethernet)
{
	const uint32_t begin = port_cycles(NULL);

	if (!is_pending()) {
		ethernet->link.pauses++;
		erase_stale(ethernet);
		return;
	}
	ethernet->rx_slot = ethmac_sram_writer_slot_read();
	if ((ethernet->suspect >> ethernet->rx_slot & 1) == 0 &&
	    !take_eapol(ethernet, rx_slot(ethernet->rx_slot))) {
		handle(ethernet, rx_slot(ethernet->rx_slot), begin);
	}
	release(ethernet);
}

#endif
