# SPDX-License-Identifier: BSD-2-Clause
"""The stream cipher SNOW 3G and the LTE cipher 128-EEA1 (3GPP TS 35.215, 35.216; TS 33.401, B.1.2).

Word order: the standard's words are signals of 32 bits, the standard's first byte in bits 31:24. Streams of data have
the byte order of `gateware.aes`: the first byte is in bits 7:0, as little-endian memory has it.
"""
