/* SPDX-License-Identifier: BSD-2-Clause */
#include "frames.h"

static unsigned int sent;

uint32_t checksum(uint32_t sum, const uint8_t *from, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		sum += (uint32_t)from[i] << (i % 2 == 0 ? 8 : 0);
	}
	while (sum >> 16 != 0) {
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return ~sum & 0xffff;
}

uint32_t udp_checksum(const uint8_t *frame, size_t len)
{
	return checksum(17 + len + (~checksum(0, frame + UDP - 8, 8) & 0xffff), frame + UDP, len);
}

const uint8_t *next_slot(void)
{
	return (const uint8_t *)DT_REG_ADDR_BY_NAME(MAC, tx_slots) + sent % TX_SLOTS * SLOT_BYTES;
}

void count_sent(void)
{
	sent++;
}
