# SPDX-License-Identifier: BSD-2-Clause
"""A model of MACsec, from IEEE 802.1AE-2018 and `cryptography`: computes what a SecY must send and deliver."""

from collections import Counter
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

STRICT, CHECK, DISABLED = range(3)
PLACES = 64


def big(value: int, size: int) -> bytes:
    return value.to_bytes(size, "big")


@dataclass
class Association:
    """A secure association: a key, an SCI, the next packet number, and for XPN also an SSCI and a salt."""

    key: bytes
    sci: bytes
    pn: int = 1
    ssci: bytes | None = None
    salt: bytes = bytes(12)
    seen: set = field(default_factory=set)
    first: int = 0

    def __post_init__(self):
        self.first = self.pn

    @property
    def xpn(self) -> bool:
        return self.ssci is not None

    def iv(self, pn: int) -> bytes:
        if self.xpn:
            return bytes(a ^ b for a, b in zip(self.salt, self.ssci + big(pn, 8), strict=True))
        return self.sci + big(pn, 4)


def tag(tci: int, sl: int, pn: int, sci: bytes) -> bytes:
    return bytes.fromhex("88e5") + bytes([tci, sl]) + big(pn % 2**32, 4) + (sci if tci & 0x20 else b"")


def seal(frame: bytes, sa: Association, pn: int, tci: int, sl: int | None = None) -> bytes:
    """Return the protected frame, with SecTAG and ICV. `tci` becomes the SecTAG byte that contains the TCI and the AN.
    The caller may pass an invalid value.
    """
    data = frame[12:]
    sl = (len(data) if len(data) < 48 else 0) if sl is None else sl
    header = frame[:12] + tag(tci, sl, pn, sa.sci)
    if tci & 0x08:
        return header + AESGCM(sa.key).encrypt(sa.iv(pn), data, header)
    return header + data + AESGCM(sa.key).encrypt(sa.iv(pn), b"", header + data)


def protect(frame: bytes, sa: Association, an: int, *, encrypt=True, include_sci=True, end_station=False) -> bytes:
    """Return the protected frame that a SecY must send. Uses and increments the next packet number."""
    tci = an | 0x0C * encrypt | 0x20 * include_sci | 0x40 * (end_station and not include_sci)
    sent = seal(frame, sa, sa.pn, tci)
    sa.pn += 1
    return sent


def padded(frame: bytes) -> bytes:
    """Return the frame, padded to at least 60 bytes as a MAC pads it."""
    return frame.ljust(60, b"\0")


def tag_is_valid(frame: bytes, *, xpn: bool) -> bool:
    """Return whether a frame's SecTAG is valid (IEEE 802.1AE, 9.12). The frame must have at least 17 bytes, and can
    contain padding.
    """
    data, body = frame[12:].ljust(8, b"\0"), len(frame) - 12
    tci, sl, pn = data[2], data[3], data[4:8]
    icv_and_tag = (16 if tci & 0x20 else 8) + 16
    short = sl & 0x3F
    if tci & 0x80 or sl & 0xC0 or (tci & 0x50 and tci & 0x20):
        return False
    if tci & 0x0C == 0x08 or (not any(pn) and not xpn):
        return False
    if sl:
        return body == icv_and_tag + short or (len(frame) == 60 and body > icv_and_tag + short)
    return body >= icv_and_tag + 48


@dataclass
class Receiver:
    """A model of a SecY's receive direction. The method `take` returns the delivered frame and updates `counters`."""

    sci: bytes
    associations: dict[int, Association] = field(default_factory=dict)
    in_use: int = 15
    validate: int = STRICT
    replay_protect: bool = True
    window: int = 0
    counters: Counter = field(default_factory=Counter)

    def take(self, frame: bytes) -> tuple[bytes, bool] | None:
        """Receive a frame. Return None if the frame is dropped. Otherwise return a pair: the delivered frame, and true
        if the frame is for the uncontrolled port.
        """
        kind = frame[12:14]
        if kind == bytes.fromhex("888e"):
            return frame, True
        count, delivered = self._controlled(frame, kind)
        self.counters[count] += 1
        return (delivered, False) if delivered else None

    def _controlled(self, frame: bytes, kind: bytes) -> tuple[str, bytes | None]:
        strict = self.validate == STRICT
        if kind != bytes.fromhex("88e5"):
            return ("InPktsNoTag", None) if strict else ("InPktsUntagged", frame)
        tci, sl = frame[14], frame[15]
        an, changed = tci & 3, tci & 4
        sa = self.associations.get(an)
        if not tag_is_valid(frame, xpn=bool(sa and sa.xpn)):
            return "InPktsBadTag", None
        start = 28 if tci & 0x20 else 20
        length = sl or len(frame) - start - 16
        header, data, icv = frame[:start], frame[start : start + length], frame[start + length : start + length + 16]
        bare = frame[:12] + data
        if tci & 0x20:
            sci = frame[20:28]
        elif tci & 0x40:
            sci = frame[6:12] + b"\0\1"
        else:
            sci = None if tci & 0x10 else self.sci
        keep = not strict and not changed
        if sa is None or sci != self.sci or not self.in_use >> an & 1:
            return ("InPktsNoSA", bare) if keep else ("InPktsNoSAError", None)
        low = int.from_bytes(frame[16:20], "big")
        lowest = max(0, sa.pn - self.window)
        pn = low
        if sa.xpn:
            carries = low < lowest % 2**32 and lowest >> 31 & 1 and not low >> 31
            pn = low | ((lowest >> 32) + carries) % 2**32 << 32
        late = pn < lowest
        if late and self.replay_protect:
            return "InPktsLate", None
        if self.validate == DISABLED:
            return ("InPktsNotValid", None) if changed else ("InPktsDelayed" if late else "InPktsUnchecked", bare)
        try:
            if tci & 0x08:
                bare = frame[:12] + AESGCM(sa.key).decrypt(sa.iv(pn), data + icv, header)
            else:
                AESGCM(sa.key).decrypt(sa.iv(pn), icv, header + data)
        except InvalidTag:
            return ("InPktsInvalid", bare) if keep else ("InPktsNotValid", None)
        repeated = pn < sa.pn and (pn in sa.seen or pn < sa.first)
        if repeated and self.replay_protect and sa.pn - pn <= PLACES:
            return "InPktsLate", None
        if pn >= sa.pn or sa.pn - pn <= PLACES:
            sa.seen.add(pn)
        sa.pn = max(sa.pn, pn + 1)
        return ("InPktsDelayed" if late else "InPktsOK"), bare
