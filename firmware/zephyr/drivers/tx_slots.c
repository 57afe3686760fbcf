/* SPDX-License-Identifier: BSD-2-Clause */
#define DT_DRV_COMPAT cipherlane_ethernet

#include "tx_slots.h"

#include <zephyr/kernel.h>
#include <zephyr/sys/sys_io.h>

#include <cipherlane/soc.h>

#include "zeroize.h"

#define REG(name)  DT_INST_REG_ADDR_BY_NAME(0, name)
#define SLOT_BYTES DT_INST_PROP(0, slot_bytes)
#define SLOTS      (DT_INST_REG_SIZE_BY_NAME(0, tx_slots) / SLOT_BYTES)
/*
 * Longest wait for free slots: one millisecond, in clock cycles. In this time, the Ethernet MAC can
 * send the frames of all slots.
 */
#define TIMEOUT_CYCLES (DT_PROP(DT_NODELABEL(cipherlane0), clock_frequency) / 1000)

static K_MUTEX_DEFINE(turn);
/** Number of the slot from which the Ethernet MAC will send the next frame. */
static uint32_t next;

static bool is_free(void)
{
	const uint32_t start = cl_soc_cycles(NULL);

	while (sys_read32(REG(tx_ready)) == 0 || sys_read32(REG(tx_level)) >= SLOTS) {
		if (cl_soc_cycles(NULL) - start > TIMEOUT_CYCLES) {
			return false;
		}
	}
	return true;
}

uint8_t *cl_tx_begin(void)
{
	(void)k_mutex_lock(&turn, K_FOREVER);
	if (!is_free()) {
		(void)k_mutex_unlock(&turn);
		return NULL;
	}
	return (uint8_t *)REG(tx_slots) + next * SLOT_BYTES;
}

void cl_tx_end(size_t len, bool with_udp_checksum)
{
	if (len != 0) {
		/*
		 * Complete all writes to the slot before the writes to the registers, which start
		 * the transmission.
		 */
		compiler_barrier();
		sys_write32(with_udp_checksum, REG(tx_checksum));
		sys_write32(next, REG(tx_slot));
		sys_write32(len, REG(tx_length));
		sys_write32(1, REG(tx_start));
		next = (next + 1) % SLOTS;
	}
	(void)k_mutex_unlock(&turn);
}

void cl_tx_erase(void)
{
	const uint32_t start = cl_soc_cycles(NULL);

	(void)k_mutex_lock(&turn, K_FOREVER);
	while (sys_read32(REG(tx_level)) != 0 && cl_soc_cycles(NULL) - start <= TIMEOUT_CYCLES) {
	}
	/*
	 * After a time-out, do not zeroize the slots, because the Ethernet MAC is still sending
	 * frames. Later frames will overwrite these slots.
	 */
	if (sys_read32(REG(tx_level)) == 0) {
		cl_zeroize((void *)REG(tx_slots), SLOTS * SLOT_BYTES);
	}
	(void)k_mutex_unlock(&turn);
}
