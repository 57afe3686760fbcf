#include <generated/csr.h>

#ifdef CSR_ETHMAC_BASE

#include <generated/mem.h>
#include <generated/soc.h>

#include <stdbool.h>

#include "links/copy_sum.h"
#include "ethernet.h"
#include "port.h"
#include "zeroize.h"

/* Slots that the host does not count on: for what else is on the network. */
#define SPARE_SLOTS   4u
#define EVENT         1u
#define TX_SLOTS_BASE (ETHMAC_BASE + ETHMAC_RX_SLOTS * ETHMAC_SLOT_SIZE)
/* Bytes of a slot that are erased between two looks at whether a frame has come, and more bytes
 * than a frame that begins meanwhile has brought by the end of them. */
#define ERASE_STEP  32u
#define ARRIVED_MAX 256u
/* Longer than the transmission of all slots. */
#define TX_TIMEOUT_CYCLES (CONFIG_CLOCK_FREQUENCY / 1000)
#define LOCAL_MAC                                                                                  \
	{                                                                                          \
		MACADDR1, MACADDR2, MACADDR3, MACADDR4, MACADDR5, MACADDR6                         \
	}
#define LOCAL_ADDRESS                                                                              \
	{                                                                                          \
		LOCALIP1, LOCALIP2, LOCALIP3, LOCALIP4                                             \
	}

static void update_cycles(struct ethernet *ethernet)
{
	const uint32_t now = port_cycles(NULL);

	ethernet->network.cycles += now - ethernet->cycles;
	ethernet->cycles = now;
}

static void refresh(struct cl_link *link)
{
	struct ethernet *const ethernet = (struct ethernet *)link; /* its first member */
	struct cl_wire_network_reply *const network = &ethernet->network;

	update_cycles(ethernet);
	network->overflows = ethmac_sram_writer_errors_read();
	network->fcs_errors =
		ethmac_rx_datapath_crc_errors_read() + ethmac_rx_datapath_preamble_errors_read();
}

static void describe_fast_path(const struct cl_link *link, struct cl_wire_fastpath_reply *reply)
{
	const struct ethernet *const ethernet = (const struct ethernet *)link;

	reply->max_data = CL_LINK_UDP_MAX_DATA;
	reply->rx_window = CL_FASTPATH_RX_WINDOW(CIPHERLANE_SIMULATED);
	cl_fastpath_describe(&ethernet->fast_path, reply);
}

void ethernet_init(struct ethernet *ethernet, struct cl_service *service,
		   struct ethernet_frame *frame)
{
	*ethernet = (struct ethernet){
		.link =
			{
				.rx_window = (ETHMAC_RX_SLOTS - SPARE_SLOTS) * ETHMAC_SLOT_SIZE,
				.max_data = CL_LINK_UDP_MAX_DATA,
				.network = &ethernet->network,
				.refresh = refresh,
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
		.frame = frame->bytes,
		.cycles = port_cycles(NULL),
	};
	cl_fastpath_zeroize(&ethernet->fast_path);
	cl_zeroize((void *)ETHMAC_BASE, (ETHMAC_RX_SLOTS + ETHMAC_TX_SLOTS) * ETHMAC_SLOT_SIZE);
}

/** The slot that the next frame is transmitted from, when the MAC has sent what was in it. */
static uint8_t *next_slot(const struct ethernet *ethernet)
{
	const uint32_t start = port_cycles(NULL);

	while (ethmac_sram_reader_ready_read() == 0 ||
	       ethmac_sram_reader_level_read() >= ETHMAC_TX_SLOTS) {
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
	while (ethmac_sram_reader_level_read() != 0) {
		if (port_cycles(NULL) - start > TX_TIMEOUT_CYCLES) {
			return; /* it sends them yet: the next responses take their place */
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
 * Erases one received frame that is to be forgotten, while none waits: the latest first. The slot
 * that the MAC writes next is left to the frame that comes there; when it has come, what is left of
 * the slot at hand waits for another moment. The frame after that one may have begun in it before
 * this was seen: if the slot's first bytes, erased last, were being erased then, it is dropped,
 * unless it comes only after a moment without any.
 */
static void erase_stale(struct ethernet *ethernet)
{
	const uint32_t next = (ethernet->rx_slot + 1) % ETHMAC_RX_SLOTS;
	uint32_t slot = ethernet->rx_slot;

	ethernet->suspect = 0;
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
	ethernet->stale &= ~(1u << slot);
	ethernet->erasing = ETHMAC_RX_SLOTS;
}

static void transmit(struct ethernet *ethernet, size_t len)
{
	__asm__ volatile("" : : : "memory"); /* the slot is written before the MAC is told */
	ethmac_sram_reader_slot_write(ethernet->tx_slot);
	ethmac_sram_reader_length_write(len);
	ethmac_sram_reader_start_write(1);
	ethernet->tx_slot = (ethernet->tx_slot + 1) % ETHMAC_TX_SLOTS;
}

/** Copies the received frame out of its slot: bytes of it, 0 if it is to be dropped. */
static size_t take(struct ethernet *ethernet, uint32_t *sum, uint32_t *copied)
{
	const uint32_t number = ethmac_sram_writer_slot_read();
	const uint32_t bit = 1u << number;
	uint8_t *const slot = rx_slot(number);
	size_t len = ethmac_sram_writer_length_read();
	const uint32_t start = port_cycles(NULL);

	ethernet->rx_slot = number;
	if ((ethernet->suspect & bit) != 0) {
		ethernet->suspect = 0;
		len = 0;
	} else if (len <= CL_LINK_UDP_FRAME_MAX) { /* another will be refused for its length */
		*sum = cl_copy_sum(ethernet->frame, slot, len);
		/* The slot waits for another frame: a key does not stay in it. */
		if (len > CL_LINK_UDP_HEADERS + CL_WIRE_HEADER_TYPE &&
		    ethernet->frame[CL_LINK_UDP_HEADERS + CL_WIRE_HEADER_TYPE] ==
			    CL_WIRE_TYPE_OPEN) {
			cl_zeroize(slot, len);
		}
	}
	*copied = port_cycles(NULL) - start;
	return len;
}

/** Gives the slot of the frame that was taken back to the MAC. */
static void release(struct ethernet *ethernet)
{
	const uint32_t number = ethernet->rx_slot;

	if ((ethernet->stale >> number & 1) != 0) {
		ethernet->stale &= ~(1u << number);
		ethernet->erasing =
			ethernet->erasing == number ? ETHMAC_RX_SLOTS : ethernet->erasing;
		cl_zeroize(rx_slot(number), ETHMAC_SLOT_SIZE);
	}
	ethmac_sram_writer_ev_pending_write(EVENT);
}

/** Sends the answer to the record in the frame, and adds what that costs. */
static void answer(struct ethernet *ethernet, size_t len, struct cl_session_cost *cost)
{
	uint32_t seed;
	const uint32_t begin = port_cycles(NULL);

	len = cl_link_udp_answer(&ethernet->udp, ethernet->frame, len, &seed);
	const uint32_t answered = port_cycles(NULL);
	uint8_t *const slot = next_slot(ethernet);

	if (slot == NULL) {
		return;
	}
	const uint32_t ready = port_cycles(NULL);
	const uint32_t sum = cl_copy_sum(slot, ethernet->frame, len);

	*(volatile uint16_t *)(slot + CL_LINK_UDP_CHECKSUM) = cl_link_udp_checksum(sum, seed);
	const uint32_t sent = port_cycles(NULL);

	transmit(ethernet, len);
	cost->stack += answered - begin;
	cost->copy += sent - ready;
	cost->driver += (ready - answered) + (port_cycles(NULL) - sent);
}

void ethernet_poll(struct ethernet *ethernet)
{
	const uint32_t begin = port_cycles(NULL);
	uint32_t sum = 0;
	uint32_t copied;

	update_cycles(ethernet);
	if (!is_pending()) {
		erase_stale(ethernet);
		return;
	}
	size_t len = take(ethernet, &sum, &copied);
	const uint32_t taken = port_cycles(NULL);

	release(ethernet);
	if (len == 0) {
		return;
	}
	const uint32_t released = port_cycles(NULL);
	const enum cl_link_udp_kind kind =
		cl_link_udp_receive(&ethernet->udp, ethernet->frame, &len, sum);

	if (kind == CL_LINK_UDP_RESPONSE) {
		uint8_t *const slot = next_slot(ethernet);

		if (slot != NULL) {
			(void)cl_copy_sum(slot, ethernet->frame, len);
			transmit(ethernet, len);
		}
	}
	if (kind != CL_LINK_UDP_RECORD) {
		/* It may have been a record with a key, damaged on its way. */
		cl_zeroize(ethernet->frame,
			   len < CL_LINK_UDP_FRAME_MAX ? len : CL_LINK_UDP_FRAME_MAX);
		return;
	}
	uint8_t *const record = ethernet->frame + CL_LINK_UDP_HEADERS;
	const uint32_t received = port_cycles(NULL);

	len = cl_service_handle(ethernet->service, &ethernet->link, record, len, record,
				CL_SERVICE_RECORD_MAX(CIPHERLANE_MAX_DATA));
	const uint32_t handled = port_cycles(NULL);

	struct cl_session_cost cost = {
		.driver = taken - begin - copied,
		.copy = copied,
		.stack = received - released,
		.record = handled - received - ethernet->link.engine_cycles,
	};

	if (len != 0) {
		answer(ethernet, len, &cost);
	}
	cl_service_account(ethernet->service, &ethernet->link, &cost);
}

#endif
