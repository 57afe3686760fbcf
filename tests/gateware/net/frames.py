# SPDX-License-Identifier: BSD-2-Clause
"""Builds network frames in plain Python (IEEE 802.3, RFC 791, 768, 792, 826), and computes expected replies."""

import struct
import zlib
from dataclasses import dataclass

from cipherlane_base.wire.layout import HEADER, REPLY, VERSION, RecordType
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

PREAMBLE = bytes([0x55] * 7 + [0xD5])
GAP_BYTES = 12
FRAME_MIN = 60
IPV4, ARP = 0x0800, 0x0806
UDP, ICMP = 17, 1
BROADCAST = 0xFFFF_FFFF_FFFF
# Bytes that a datagram takes on the wire in addition to its payload: preamble, Ethernet header, IPv4 header, UDP
# header, frame check sequence and interframe gap.
WIRE_OVERHEAD = len(PREAMBLE) + 14 + 20 + 8 + 4 + GAP_BYTES


def checksum(data: bytes) -> int:
    """Return the Internet checksum of data (RFC 1071)."""
    data += bytes(len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def ethernet(target: int, sender: int, kind: int, payload: bytes) -> bytes:
    """Return an Ethernet frame, padded to the minimum length, without check sequence."""
    frame = target.to_bytes(6, "big") + sender.to_bytes(6, "big") + struct.pack(">H", kind) + payload
    return frame.ljust(FRAME_MIN, b"\0")


def with_fcs(frame: bytes) -> bytes:
    """Return the frame with its check sequence (FCS) appended."""
    return frame + struct.pack("<I", zlib.crc32(frame))


def ipv4(
    sender: int, target: int, protocol: int, payload: bytes, *, fragment: int = 0, total: int | None = None
) -> bytes:
    """Return an IPv4 packet. `total`, if given, replaces the correct value of the length field."""
    length = 20 + len(payload) if total is None else total
    header = struct.pack(">BBHHHBBHII", 0x45, 0, length, 0, fragment, 64, protocol, 0, sender, target)
    return header[:10] + struct.pack(">H", checksum(header)) + header[12:] + payload


def udp(source: int, target: int, payload: bytes, *, length: int | None = None) -> bytes:
    """Return a UDP datagram without checksum. `length`, if given, replaces the correct value of the length field."""
    return struct.pack(">HHHH", source, target, 8 + len(payload) if length is None else length, 0) + payload


def summed(sender: int, target: int, datagram: bytes) -> bytes:
    """Return a UDP datagram between two IPv4 addresses with the right checksum (RFC 768) in its checksum field."""
    datagram = datagram[:6] + bytes(2) + datagram[8:]
    pseudo = struct.pack(">IIBBH", sender, target, 0, UDP, len(datagram))
    return datagram[:6] + struct.pack(">H", checksum(pseudo + datagram) or 0xFFFF) + datagram[8:]


def arp(operation: int, sender_mac: int, sender_ip: int, target_mac: int, target_ip: int) -> bytes:
    """Return an ARP packet for IPv4 over Ethernet."""
    addresses = sender_mac.to_bytes(6, "big") + struct.pack(">I", sender_ip)
    return (
        struct.pack(">HHBBH", 1, IPV4, 6, 4, operation)
        + addresses
        + target_mac.to_bytes(6, "big")
        + struct.pack(">I", target_ip)
    )


def echo(kind: int, identity: int, sequence: int, data: bytes) -> bytes:
    """Return an ICMP echo message; `kind` is 8 for a request, 0 for a reply."""
    body = struct.pack(">BBHHH", kind, 0, 0, identity, sequence) + data
    return body[:2] + struct.pack(">H", checksum(body)) + body[4:]


def ctr(key: bytes, counter: int, data: bytes) -> bytes:
    """Encrypt with the AES-CTR of `cryptography`; `counter` is the initial counter block as a number."""
    block = (counter % 2**128).to_bytes(16, "big")
    return Cipher(algorithms.AES(key), modes.CTR(block)).encryptor().update(data)


@dataclass
class Peer:
    """The addresses of a host on the network."""

    mac: int = 0x02_00_00_00_00_01
    ip: int = 0xC0A8_0164
    port: int = 40000


@dataclass
class Session:
    """A session of the fast path, with the fields that the hardware stores."""

    number: int
    peer: Peer
    token: int
    key: bytes
    initial: int
    row: int
    slot: int
    limit: int = 2**64 - 1
    record_bytes: int = 1456
    first: int = 0  # number of the first record in the session's window
    placed: int = 0

    def place(self) -> int:
        """Reserve the session's next record; return the record's offset in the stream, in bytes."""
        self.placed += 1
        return (self.first + self.placed - 1) * self.record_bytes

    def request(self, offset: int, data: bytes, **changes) -> bytes:
        """Return a data record of this session; `changes` replace fields of its header."""
        fields = {
            "version": VERSION,
            "type": RecordType.DATA,
            "length": len(data),
            "session": self.number,
            "offset": offset,
            "token": self.token,
            **changes,
        }
        return HEADER.pack(**fields) + data

    def reply(self, offset: int, data: bytes) -> bytes:
        """Return the reply that the board must send to a data record with this offset and data."""
        encrypted = ctr(self.key, self.initial + offset // 16, data)
        return self.request(offset, encrypted, type=RecordType.DATA | REPLY)
