# SPDX-License-Identifier: BSD-2-Clause
"""MACsec (IEEE 802.1AE-2018): a SecY that protects the frames between an Ethernet MAC and its users with AES-GCM.

::

    user ─► FrameWriter ─► RowRing ─► decision ─► GCMFeeder ─► BlockGCM ─► RowRing ─► FrameSender ─► MAC   (Transmit)
    user ◄─ FrameSender ◄─ RowRing ◄─ verdict ◄─ BlockGCM ◄─ GCMFeeder ◄─ decision ◄─ FrameWriter ◄─ MAC   (Receive)

A frame is stored whole, encrypted or decrypted in place, and only then sent on. Words are those of `gateware.net`.
Numbers on the wire are big-endian; a signal "in wire order" has the first byte in bits 7:0.
"""

from ...aes.standard import BLOCK_BITS, BLOCK_BYTES

ROW_BITS, ROW_BYTES = BLOCK_BITS, BLOCK_BYTES
LENGTH_BITS = 11
ADDRESS_BYTES = 12  # destination and source address, which precede the EtherType
FRAME_BYTES_MIN = 60  # minimum length of a frame without its check sequence; the MAC pads shorter frames
# Maximum length of a frame without SecTAG, ICV and check sequence. It includes a VLAN tag and 1,500 bytes of payload.
FRAME_BYTES_MAX = 1518
SHORTEST = ADDRESS_BYTES + 5  # shortest accepted frame: five bytes follow the addresses (IEEE 802.1AE, 9.12 a)
ASSOCIATIONS = 4
