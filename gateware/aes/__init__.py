# SPDX-License-Identifier: BSD-2-Clause
"""AES in gateware (FIPS-197): S-boxes, round transformations, key expansion, ciphers, and cores with the same ports.

Byte and bit order, everywhere in the gateware: a 128-bit block or state is one signal. Its bits ``8*i+7 : 8*i`` are
byte ``i`` of the block, as FIPS-197 counts the input bytes ``in_i`` (3.4). Column ``c`` of the state is bits
``32*c+31 : 32*c``, and row ``r`` of a column is its bits ``8*r+7 : 8*r``. So a block in little-endian memory maps onto
the signal word by word, without swapping.
"""
