# SPDX-License-Identifier: BSD-2-Clause
"""Converts Ethernet frames to scripts, and scripts to frames. A script is an array with one entry for each clock cycle
of a GMII. An entry contains a byte and a bit that tells whether the byte is valid.
"""

import struct
import zlib
from array import array
from dataclasses import dataclass

from cipherlane_base.wire.layout import UDP_PORT

from tests.gateware.net import frames
from tests.gateware.net.frames import PREAMBLE, Session

BOARD_MAC = 0x02_43_4C_4E_45_02
BOARD_IP = 0xC0A8_0133
BOARD_PORT = UDP_PORT
VALID = 0x100  # bit of a script's entry: 1 if the entry's byte is valid


@dataclass
class Sent:
    """A transmitted frame: the GMII cycle in which its preamble began, and its bytes without check sequence."""

    cycle: int
    frame: bytes


def datagram(session: Session, payload: bytes) -> bytes:
    """Return the Ethernet frame in which a session's host sends this payload to the board's UDP port."""
    peer = session.peer
    body = frames.summed(peer.ip, BOARD_IP, frames.udp(peer.port, BOARD_PORT, payload))
    packet = frames.ipv4(peer.ip, BOARD_IP, frames.UDP, body)
    return frames.ethernet(BOARD_MAC, peer.mac, frames.IPV4, packet)


def expected(session: Session, payload: bytes) -> bytes:
    """Return the Ethernet frame in which the board must send this payload to the session's host."""
    peer = session.peer
    body = frames.summed(BOARD_IP, peer.ip, frames.udp(BOARD_PORT, peer.port, payload))
    packet = bytearray(frames.ipv4(BOARD_IP, peer.ip, frames.UDP, body))
    packet[8] = 0x80  # time to live
    packet[10:12] = b"\0\0"
    packet[10:12] = struct.pack(">H", frames.checksum(bytes(packet[:20])))
    return frames.ethernet(peer.mac, BOARD_MAC, frames.IPV4, bytes(packet))


def on_wire(frame: bytes, *, gap: int = frames.GAP_BYTES, fcs: bool = True, preamble: bytes = PREAMBLE) -> array:
    """Return a script in which the board receives one frame, and then `gap` idle bytes."""
    body = preamble + (frames.with_fcs(frame) if fcs else frame)
    return array("H", [VALID | byte for byte in body]) + array("H", bytes(2 * gap))


def parse(sent: array) -> list[Sent]:
    """Return the frames in a script that the board sent. Check each preamble, check sequence, length and gap."""
    found = []
    raw = sent.tobytes()
    valid = bytes(raw[1::2])
    data = bytes(raw[0::2])
    position = valid.find(1)
    end = None
    while position >= 0:
        assert end is None or position - end >= frames.GAP_BYTES, f"a gap of {position - end} bytes"
        end = valid.find(0, position)
        assert end >= 0, "the last frame has no end"
        body = data[position:end]
        assert body.startswith(PREAMBLE), body[:16].hex()
        frame, fcs = body[len(PREAMBLE) : -4], body[-4:]
        assert len(frame) >= frames.FRAME_MIN, f"a frame of {len(frame)} bytes"
        assert fcs == struct.pack("<I", zlib.crc32(frame)), f"wrong check sequence after {frame.hex()}"
        found.append(Sent(position, frame))
        position = valid.find(1, end)
    return found
