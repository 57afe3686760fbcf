# SPDX-License-Identifier: BSD-2-Clause
"""The UDP fast path: encrypts record datagrams with AES-CTR and sends them back, with no CPU in the data path.

Words are 32 bits. Byte i of a frame, datagram or record is bits ``8*(i%4)+7 : 8*(i%4)`` of word ``i//4``, as in LiteEth
and in the rest of the gateware. Lengths are in bytes unless stated otherwise.
"""

WORD_BITS = 32
WORD_BYTES = WORD_BITS // 8
