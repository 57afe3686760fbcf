# SPDX-License-Identifier: BSD-2-Clause
"""Compute MKA's keys and MKPDUs (IEEE 802.1X-2020, 6.2, 9.3, 9.8, 11.11) with the library `cryptography`, to check the
firmware's results.

It shares no code with the firmware. It writes what a test asks for, wrong MKPDUs included.
"""

import struct
from dataclasses import dataclass, field, replace

from cryptography.hazmat.primitives import keywrap
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

GROUP = bytes.fromhex("0180c2000003")
GCM_AES_128 = bytes.fromhex("0080c20001000001")
GCM_AES_256 = bytes.fromhex("0080c20001000002")
ALGORITHM = 0x0080C201
ICV_BYTES = 16
LIVE, POTENTIAL, USE, SAK, ICV_INDICATOR = 1, 2, 3, 4, 255


def cmac(key: bytes, data: bytes) -> bytes:
    mac = CMAC(AES(key))
    mac.update(data)
    return mac.finalize()


def kdf(key: bytes, label: bytes, context: bytes, bits: int) -> bytes:
    """Derive a key of `bits` bits with the key derivation function of IEEE 802.1X-2020, 6.2.1."""
    blocks = (
        cmac(key, bytes([n]) + label + b"\0" + context + bits.to_bytes(2)) for n in range(1, (bits + 127) // 128 + 1)
    )
    return b"".join(blocks)[: bits // 8]


@dataclass(frozen=True)
class KeyUse:
    """A key in the parameter set "MACsec SAK Use": member identifier of the key server (`mi`), key number, AN, and
    lowest acceptable packet number. `tx` and `rx` tell whether the key is used to transmit and to receive.
    """

    mi: bytes = bytes(12)
    number: int = 0
    an: int = 0
    tx: bool = False
    rx: bool = False
    lowest_pn: int = 0

    def body(self) -> bytes:
        return self.mi + struct.pack(">II", self.number, self.lowest_pn)

    def flags(self) -> int:
        return self.an << 2 | self.tx << 1 | self.rx


@dataclass(frozen=True)
class Mkpdu:
    """The fields of an MKPDU. `use` contains the two keys of the parameter set "MACsec SAK Use": the latest key and the
    old key. `sak` is the body of the parameter set "Distributed SAK".
    """

    mac: bytes
    sci: bytes
    mi: bytes
    mn: int
    ckn: bytes
    priority: int = 16
    server: bool = True
    desired: bool = True
    capability: int = 2
    version: int = 1
    live: tuple[tuple[bytes, int], ...] = ()
    potential: tuple[tuple[bytes, int], ...] = ()
    use: tuple[KeyUse, KeyUse] | None = None
    delay_protect: bool = False
    sak: bytes | None = None
    sak_an: int = 0
    confidentiality: int = 1
    more: bytes = b""  # further parameter sets
    indicator: bool = False

    def without_icv(self) -> bytes:
        body = self._basic()
        for kind, members in ((LIVE, self.live), (POTENTIAL, self.potential)):
            if members:
                body += parameter_set(kind, b"".join(mi + mn.to_bytes(4) for mi, mn in members))
        if self.use is not None:
            latest, old = self.use
            body += parameter_set(
                USE,
                latest.body() + old.body(),
                latest.flags() << 4 | old.flags(),
                self.delay_protect << 4,
            )
        if self.sak is not None:
            body += parameter_set(SAK, self.sak, self.sak_an << 6 | self.confidentiality << 4)
        body += self.more
        if self.indicator:
            body += struct.pack(">BBH", ICV_INDICATOR, 0, ICV_BYTES)
        return GROUP + self.mac + struct.pack(">HBBH", 0x888E, 3, 5, len(body) + ICV_BYTES) + body

    def _basic(self) -> bytes:
        flags = self.server << 7 | self.desired << 6 | self.capability << 4
        fields = self.sci + self.mi + struct.pack(">II", self.mn, ALGORITHM) + self.ckn
        head = struct.pack(">BBH", self.version, self.priority, flags << 8 | len(fields))
        return head + padded(fields)


def padded(body: bytes) -> bytes:
    return body + bytes(-len(body) % 4)


def parameter_set(kind: int, body: bytes, flags1: int = 0, flags2: int = 0) -> bytes:
    return struct.pack(">BBH", kind, flags1, flags2 << 8 | len(body)) + padded(body)


def read(frame: bytes) -> Mkpdu:
    """Return the fields of a well-formed MKPDU."""
    ethertype, version, kind, size = struct.unpack_from(">HBBH", frame, 12)
    assert (frame[:6], ethertype, version, kind) == (GROUP, 0x888E, 3, 5)
    assert len(frame) == 18 + size
    body = frame[18:-ICV_BYTES]
    version, priority, flags, length = body[0], body[1], body[2] >> 4, int.from_bytes(body[2:4]) & 0xFFF
    mn, algorithm = struct.unpack_from(">II", body, 24)
    assert algorithm == ALGORITHM
    found = Mkpdu(
        mac=frame[6:12], sci=body[4:12], mi=body[12:24], mn=mn, ckn=body[32 : 4 + length], priority=priority,
        server=bool(flags & 8), desired=bool(flags & 4), capability=flags & 3, version=version,
    )  # fmt: skip
    at = 4 + len(padded(body[4 : 4 + length]))
    while at < len(body):
        kind, flags1, length = body[at], body[at + 1], int.from_bytes(body[at + 2 : at + 4])
        flags2, length = length >> 8 & 0xF0, length & 0xFFF
        data = body[at + 4 : at + 4 + length]
        found = replace(found, **_fields(kind, flags1, flags2, data))
        at += 4 + len(padded(data))
    return found


def _fields(kind: int, flags1: int, flags2: int, data: bytes) -> dict:
    if kind in {LIVE, POTENTIAL}:
        members = tuple((data[n : n + 12], int.from_bytes(data[n + 12 : n + 16])) for n in range(0, len(data), 16))
        return {"live" if kind == LIVE else "potential": members}
    if kind == USE:
        keys = []
        for bits, part in ((flags1 >> 4, data[:20]), (flags1 & 15, data[20:])):
            number, lowest = struct.unpack(">II", part[12:])
            keys.append(KeyUse(part[:12], number, bits >> 2, bool(bits & 2), bool(bits & 1), lowest))
        return {"use": tuple(keys), "delay_protect": bool(flags2 & 16)}
    assert kind == SAK
    return {"sak": data, "sak_an": flags1 >> 6, "confidentiality": flags1 >> 4 & 3}


@dataclass
class Member:
    """A member of the MKA group, with the group's CAK. The member makes authentic MKPDUs and SAKs, and reads the MKPDUs
    and SAKs of other members.
    """

    cak: bytes
    ckn: bytes
    mac: bytes = bytes.fromhex("0200000000f2")
    mi: bytes = b"peer member\x01"
    mn: int = 0
    priority: int = 16
    server: bool = True
    ick: bytes = field(init=False)
    kek: bytes = field(init=False)

    def __post_init__(self):
        context = self.ckn[:16].ljust(16, b"\0")
        self.ick = kdf(self.cak, b"IEEE8021 ICK", context, 8 * len(self.cak))
        self.kek = kdf(self.cak, b"IEEE8021 KEK", context, 8 * len(self.cak))

    @property
    def sci(self) -> bytes:
        return self.mac + b"\0\1"

    def mkpdu(self, **fields) -> Mkpdu:
        """Return the member's next MKPDU. Its message number increases by one, unless `mn` is given."""
        if "mn" not in fields:
            self.mn += 1
        given = {
            "mac": self.mac, "sci": self.sci, "mi": self.mi, "mn": self.mn, "ckn": self.ckn,
            "priority": self.priority, "server": self.server,
        }  # fmt: skip
        return Mkpdu(**given | fields)

    def frame(self, **fields) -> bytes:
        return self.sealed(self.mkpdu(**fields))

    def sealed(self, mkpdu: Mkpdu) -> bytes:
        text = mkpdu.without_icv()
        return text + cmac(self.ick, text)

    def read(self, frame: bytes) -> Mkpdu:
        assert frame[-ICV_BYTES:] == cmac(self.ick, frame[:-ICV_BYTES])
        return read(frame)

    def wrapped(self, number: int, sak: bytes) -> bytes:
        """Return the body of the parameter set "Distributed SAK": the key number and the wrapped SAK."""
        suite = b"" if len(sak) == 16 else GCM_AES_256
        return number.to_bytes(4) + suite + keywrap.aes_key_wrap(self.kek, sak)

    def unwrapped(self, body: bytes) -> tuple[int, bytes]:
        """Return the key number and the unwrapped SAK from the body of a parameter set "Distributed SAK"."""
        wrapped = body[4:] if len(body) == 28 else body[12:]
        assert len(body) == 28 or body[4:12] == GCM_AES_256
        return int.from_bytes(body[:4]), keywrap.aes_key_unwrap(self.kek, wrapped)
