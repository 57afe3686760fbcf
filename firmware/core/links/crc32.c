/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * With one table of 256 words, each byte takes nine instructions and one table load on RV32. A
 * table of sixteen words would save 960 bytes of ROM, but need two dependent loads per byte.
 */
#include "links/crc32.h"

/*
 * The CRC is linear: the table entry of a byte is the XOR of the entries of the byte's set bits.
 * ENTRY contains the entries of the eight single bits. The entry of bit 7 (0x80) is the polynomial.
 * One CRC step on the entry of bit n gives the entry of bit n - 1.
 */
#define BIT(byte, bit, entry) (((byte) >> (bit)&1) * (entry))
#define ENTRY(byte)                                                                                \
	(BIT(byte, 0, 0x77073096u) ^ BIT(byte, 1, 0xee0e612cu) ^ BIT(byte, 2, 0x076dc419u) ^       \
	 BIT(byte, 3, 0x0edb8832u) ^ BIT(byte, 4, 0x1db71064u) ^ BIT(byte, 5, 0x3b6e20c8u) ^       \
	 BIT(byte, 6, 0x76dc4190u) ^ BIT(byte, 7, 0xedb88320u))
#define ENTRIES_4(byte) ENTRY(byte), ENTRY((byte) + 1), ENTRY((byte) + 2), ENTRY((byte) + 3)
#define ENTRIES_16(byte)                                                                           \
	ENTRIES_4(byte), ENTRIES_4((byte) + 4), ENTRIES_4((byte) + 8), ENTRIES_4((byte) + 12)
#define ENTRIES_64(byte)                                                                           \
	ENTRIES_16(byte), ENTRIES_16((byte) + 16), ENTRIES_16((byte) + 32), ENTRIES_16((byte) + 48)

static const uint32_t table[256] = {ENTRIES_64(0), ENTRIES_64(64), ENTRIES_64(128),
				    ENTRIES_64(192)};

uint32_t cl_crc32(uint32_t crc, const uint8_t *data, size_t size)
{
	const uint8_t *const end = data + size;

	crc = ~crc;
	while (data != end) {
		crc = crc >> 8 ^ table[(crc ^ *data++) & 0xff];
	}
	return ~crc;
}
