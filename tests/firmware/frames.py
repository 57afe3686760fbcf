# SPDX-License-Identifier: BSD-2-Clause
"""Build and read Ethernet frames as a host does. The code follows RFC 768, 791, 792, 826 and 894, without a library."""

import struct
from dataclasses import dataclass

BOARD_MAC, HOST_MAC = bytes.fromhex("02434c4e4501"), bytes.fromhex("0a0b0c0d0e0f")
BOARD, HOST = bytes((192, 168, 1, 50)), bytes((192, 168, 1, 100))
PORT = 20197
IPV4, ARP, UDP, ICMP = 0x0800, 0x0806, 17, 1


def checksum(data: bytes) -> int:
    """Return the checksum of RFC 1071: the ones' complement of the ones' complement sum of big-endian 16-bit words."""
    data += bytes(len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ethernet(payload: bytes, ethertype=IPV4, *, to=BOARD_MAC, sender=HOST_MAC) -> bytes:
    frame = to + sender + struct.pack(">H", ethertype) + payload
    return frame + bytes(max(0, 60 - len(frame)))


def ipv4(payload, protocol, *, to=BOARD, sender=HOST, length=None, fragment=0x4000, version=0x45, good=True) -> bytes:
    length = 20 + len(payload) if length is None else length
    head = struct.pack(">BBHHHBBH", version, 0, length, 0x1234, fragment, 64, protocol, 0) + sender + to
    value = checksum(head) if good else checksum(head) ^ 0x0100
    return head[:10] + struct.pack(">H", value) + head[12:] + payload


def udp(data, *, to=BOARD, sender=HOST, to_port=PORT, from_port=40000, length=None, summed=True, damage=0) -> bytes:
    length = 8 + len(data) if length is None else length
    head = struct.pack(">HHHH", from_port, to_port, length, 0)
    value = 0
    if summed:
        pseudo = sender + to + struct.pack(">BBH", 0, UDP, 8 + len(data))
        value = (checksum(pseudo + head + data) or 0xFFFF) ^ damage
    return head[:6] + struct.pack(">H", value) + data


def datagram(data: bytes, **options) -> bytes:
    """Return the frame that carries a datagram from the host to the board's record service."""
    return ethernet(ipv4(udp(data, **options), UDP))


def arp_request(target=BOARD, *, operation=1, sender=HOST, sender_mac=HOST_MAC) -> bytes:
    body = struct.pack(">HHBBH", 1, IPV4, 6, 4, operation) + sender_mac + sender + bytes(6) + target
    return ethernet(body, ARP, to=b"\xff" * 6, sender=sender_mac)


def echo_request(data: bytes, *, damage=0) -> bytes:
    head = struct.pack(">BBHHH", 8, 0, 0, 77, 5)
    value = checksum(head + data) ^ damage
    return ethernet(ipv4(head[:2] + struct.pack(">H", value) + head[4:] + data, ICMP))


def slot_sums(frame: bytes) -> tuple[int, int, int]:
    """Return the sums that the Ethernet MAC stores in a slot, after the bytes of a received frame.

    They are the ones' complement sum of its 16-bit halfwords, and the running sums a and b over the 32-bit words of its
    record (an incomplete last word is left out).
    """
    a = b = 0
    for (word,) in struct.iter_unpack("<I", frame[66 : 66 + max(0, len(frame) - 66) // 4 * 4]):
        a = (a + word) % 2**32
        b = (b + a) % 2**32
    return int.from_bytes((~checksum(frame) & 0xFFFF).to_bytes(2, "big"), "little") or 0xFFFF, a, b


def transmitted(frame: bytes) -> bytes:
    """Complete the UDP checksum of a frame that the firmware has built. On a board, the Ethernet MAC does this before
    it transmits the frame. The firmware writes only the sum of the pseudo header into the checksum field.
    """
    if frame[12:14] != struct.pack(">H", IPV4) or frame[23] != UDP:
        return frame
    return frame[:40] + struct.pack(">H", checksum(frame[34:]) or 0xFFFF) + frame[42:]


@dataclass(frozen=True)
class Answer:
    """The fields of an IPv4 frame from the board. The function `parse` has checked the checksums and lengths of this
    frame.
    """

    to_mac: bytes
    to: bytes
    protocol: int
    payload: bytes
    to_port: int = 0
    data: bytes = b""


def parse(frame: bytes) -> Answer:
    to_mac, from_mac, ethertype = frame[:6], frame[6:12], struct.unpack(">H", frame[12:14])[0]
    assert (from_mac, ethertype) == (BOARD_MAC, IPV4)
    head, payload = frame[14:34], frame[34:]
    version, _, length, _, fragment, ttl, protocol, _ = struct.unpack(">BBHHHBBH", head[:12])
    assert (version, length, ttl) == (0x45, 20 + len(payload), 64)
    assert fragment & 0x3FFF == 0
    assert checksum(head) == 0
    assert head[12:16] == BOARD
    if protocol != UDP:
        assert checksum(payload) == 0
        return Answer(to_mac, head[16:20], protocol, payload)
    from_port, to_port, size, value = struct.unpack(">HHHH", payload[:8])
    assert (from_port, size) == (PORT, len(payload))
    assert value != 0
    assert checksum(head[12:20] + struct.pack(">BBH", 0, UDP, size) + payload) == 0
    return Answer(to_mac, head[16:20], protocol, payload, to_port, payload[8:])
