# SPDX-License-Identifier: BSD-2-Clause
"""Checks every reply of a board on arrival. A valid reply becomes a typed value; otherwise, ReplyError names the fault.

Nothing that a board sends is used before this check. Afterwards, all text is printable ASCII.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cipherlane_base import build_id
from cipherlane_base.wire.layout import (
    BLOCK,
    HEADER,
    REPLIES,
    REPLY,
    REQUESTS,
    Engine,
    Kind,
    Mode,
    OpenFlag,
    RecordType,
    Suite,
)

from ..errors import ReplyError
from ..protocol.records import Record
from ..transport.base import Address

MOST_WINDOW = 4096  # maximum window in records: the host stores up to this many results that follow a missing result
MOST_BENCH_BYTES = 1 << 24
# If the firmware stores records in external memory, the firmware's name ends in a comma and a short name of the memory.
# The table maps this short name to the type of the memory.
_MEMORIES = {"SDR": "SDR SDRAM", "DDR3": "DDR3 SDRAM"}
_CONTROL = HEADER.size + max(table.size for table in REQUESTS.values())  # size of the largest control record in bytes


def fields_of(reply: Record) -> Any:
    """Decode the data of a board's `reply` and return its fields.

    Raises:
        ReplyError: the data do not have the length of the layout.
    """
    table = REPLIES[reply.type & ~REPLY]
    name = RecordType(reply.type & ~REPLY).name.lower()
    if len(reply.data) != table.size:
        raise ReplyError(name, f"{len(reply.data)} bytes where its layout has {table.size}")
    return table.unpack(reply.data)


class _Checker:
    """Checks the fields of one reply."""

    def __init__(self, kind: RecordType):
        self._name = kind.name.lower()

    def __call__(self, holds: bool, name: str, value: Any, expected: str) -> None:
        """Raise ReplyError if `holds` is false; the message gives the field's `name`, `value` and `expected` range."""
        if not holds:
            raise ReplyError(self._name, f"{name} {value} (must be {expected})")

    def limits(self, max_data: int, rx_window: int, wire_size: Callable[[int], int], least: int) -> None:
        """Check that `max_data` is a multiple of 16 above 0, and that a record of `least` bytes fits in `rx_window`."""
        self(max_data > 0 and max_data % BLOCK == 0, "max_data", max_data, f"a multiple of {BLOCK} above 0")
        size = wire_size(least)
        self(rx_window >= size, "rx_window", rx_window, f"at least {size}: it holds no record otherwise")


@dataclass(frozen=True)
class BoardInfo:
    """The board's identity: clock in Hz, limits in bytes, engines, and the number of counter-block ranges it can store.

    `gcm_engines` are the engines that AES-GCM can use.
    `build_id` identifies the build: two hexadecimal digests, of gateware and of firmware, with a hyphen between them.
    It is empty if no build flow has made the board.
    """

    kind: str
    board: str
    firmware: str
    firmware_version: str
    clock_hz: int
    max_sessions: int
    max_data: int
    rx_window: int
    bench_bytes: int
    ranges: int
    ranges_free: int
    engines: tuple[Engine, ...]
    build_id: str
    gcm_engines: tuple[Engine, ...] = ()

    @property
    def memory_engines(self) -> list[Engine]:
        """Engines that process data in memory, as `bench` and `selftest` need. Engines that process only records are
        not in this list.
        """
        return [engine for engine in self.engines if not engine.traits.serves]

    def engines_of(self, cipher: str) -> list[Engine]:
        """Return the engines that implement `cipher`, which is "aes" or "snow3g"."""
        return [engine for engine in self.engines if engine.traits.cipher == cipher]

    @property
    def memory(self) -> str:
        """Name of the external memory that stores the data of records; empty if on-chip memory stores them."""
        return _MEMORIES.get(self.firmware.partition(", ")[2], "")

    @property
    def broken_memory(self) -> str:
        """The firmware's message that the SDRAM failed, or an empty text. After a failure, data are stored on chip."""
        return self.firmware if self.firmware.startswith("SDRAM: ") else ""

    @classmethod
    def from_reply(cls, reply: Any, wire_size: Callable[[int], int]) -> BoardInfo:
        """Check a board's reply to the request `info` and return its fields. The function `wire_size` maps the size of
        a record to the number of bytes that the record occupies in the board's buffer.
        """
        check = _Checker(RecordType.INFO)
        check(reply.kind < len(Kind), "kind", reply.kind, f"below {len(Kind)}")
        check(reply.clock_hz > 0, "clock_hz", reply.clock_hz, "above 0")
        check(reply.max_sessions > 0, "max_sessions", reply.max_sessions, "above 0")
        check.limits(reply.max_data, reply.rx_window, wire_size, _CONTROL)
        most = MOST_BENCH_BYTES
        check(reply.bench_bytes <= most, "bench_bytes", reply.bench_bytes, f"at most {most}")
        check(reply.ranges_free <= reply.ranges, "ranges_free", reply.ranges_free, f"at most ranges, {reply.ranges}")
        gcm = reply.engines & reply.gcm_engines if reply.modes >> Mode.GCM & 1 else 0
        version = reply.firmware_version
        return cls(
            kind=Kind(reply.kind).name.lower(),
            board=printable(reply.board),
            firmware=printable(reply.firmware),
            firmware_version=f"{version >> 16}.{version >> 8 & 0xFF}.{version & 0xFF}",
            clock_hz=reply.clock_hz,
            max_sessions=reply.max_sessions,
            max_data=reply.max_data,
            rx_window=reply.rx_window,
            bench_bytes=reply.bench_bytes,
            ranges=reply.ranges,
            ranges_free=reply.ranges_free,
            engines=tuple(engine for engine in Engine if reply.engines >> engine & 1),
            build_id=build_id.text(reply.build_id),
            gcm_engines=tuple(engine for engine in Engine if gcm >> engine & 1),
        )


@dataclass(frozen=True)
class FastPath:
    """The board's fast path: address for data records, limits in bytes, counters of answered and dropped records."""

    address: Address
    max_data: int
    rx_window: int
    counters: dict[str, int]

    @classmethod
    def from_reply(cls, reply: Any, wire_size: Callable[[int], int]) -> FastPath:
        """Check a board's reply to the request `fastpath` and return its fields."""
        check = _Checker(RecordType.FASTPATH)
        fields = reply._asdict()
        address, port = ipaddress.IPv4Address(fields.pop("address")), fields.pop("port")
        max_data, rx_window = fields.pop("max_data"), fields.pop("rx_window")
        unicast = not (address.is_multicast or address.is_unspecified or address.is_reserved)
        check(unicast, "address", address, "that of one board")
        check(port > 0, "port", port, "above 0")
        check.limits(max_data, rx_window, wire_size, HEADER.size + max_data)
        return cls((str(address), port), max_data, rx_window, fields)


@dataclass(frozen=True)
class MACsecState:
    """The state of the board's MACsec.

    `suite` belongs to the keys that protect all frames; None if there are none. If MKA makes the keys, `agrees` is set.
    No frame passes while the port is `closed`: MKA has not agreed yet, the board requires MACsec and has no keys, or
    its hardware failed when keys changed. Frames are encrypted if `encrypt` is set. SCIs have 8 bytes. `counters` have
    their names in record macsec.
    """

    suite: Suite | None
    agrees: bool
    closed: bool
    encrypt: bool
    an: int
    sci: bytes
    peer_sci: bytes
    next_pn: int
    counters: dict[str, int]

    @classmethod
    def from_reply(cls, reply: Any) -> MACsecState:
        """Check a board's reply to the request `macsec` and return its fields."""
        check = _Checker(RecordType.MACSEC)
        check(reply.state <= 3, "state", reply.state, "0 to 3")
        check(reply.suite in list(Suite), "suite", reply.suite, "the code of a suite")
        check(reply.an <= 3, "an", reply.an, "0 to 3")
        check(reply.receives <= 15, "receives", reply.receives, "0 to 15")
        fields = reply._asdict()
        start = list(fields).index("untagged_in")
        counters = {name: fields[name] for name in list(fields)[start:] if name != "reserved"}
        closed = reply.state == 2 or (reply.state == 1 and not reply.receives)
        return cls(
            suite=Suite(reply.suite) if reply.state and not closed else None,
            agrees=reply.state >= 2,
            closed=closed,
            encrypt=bool(reply.encrypt),
            an=reply.an,
            sci=reply.sci,
            peer_sci=reply.peer_sci,
            next_pn=reply.next_pn,
            counters=counters,
        )

    def failed(self) -> int:
        """Return the number of received frames that MACsec dropped."""
        names = ("no_tag", "bad_tag", "no_sa_error", "late", "not_valid")
        return sum(self.counters[name] for name in names)


@dataclass(frozen=True)
class Opened:
    """The values that the board assigned to a new session (see `open` in cipherlane_base/wire/README.md)."""

    number: int
    iv: bytes
    ticket: int
    first: int
    window: int

    @classmethod
    def from_reply(cls, record: Record, asked: Any) -> Opened:
        """Check a board's reply to the request `open` and return its fields; `asked` are the fields of the request."""
        check, reply = _Checker(RecordType.OPEN), fields_of(record)
        check(record.session > 0, "session", record.session, "above 0")
        resumed = asked.flags & OpenFlag.RESUME
        if asked.flags & OpenFlag.DRAW:
            size = 8 if asked.flags & OpenFlag.GCM else 12
            zeros = f"{8 * size} random bits before {128 - 8 * size} zeros"
            check(not any(reply.iv[size:]), "iv", reply.iv.hex(), zeros)
        else:
            check(reply.iv == asked.iv, "iv", reply.iv.hex(), f"that of the request, {asked.iv.hex()}")
        check(0 < reply.window <= MOST_WINDOW, "window", reply.window, f"1 to {MOST_WINDOW}")
        check(bool(resumed) or not reply.first, "first", reply.first, "0")
        check(reply.first % asked.record_bytes == 0, "first", reply.first, f"a multiple of {asked.record_bytes}")
        check(reply.first <= asked.length, "first", reply.first, f"within the stream of {asked.length}")
        return cls(record.session, reply.iv, reply.ticket, reply.first, reply.window)


@dataclass(frozen=True)
class SessionStat:
    """The counters of a session. A repeated record counts each time the board processes it."""

    bytes: int
    blocks: int
    cycles: int
    key_cycles: int
    records: int

    @classmethod
    def from_reply(cls, reply: Any) -> SessionStat:
        """Check a board's reply to the request `stat` and return its fields."""
        _check_work(_Checker(RecordType.STAT), reply)
        return cls(reply.bytes, reply.blocks, reply.cycles, reply.key_cycles, reply.records)


@dataclass(frozen=True)
class BenchPart:
    """Result of one benchmark request. The board may process fewer bytes than the request asks for."""

    bytes: int
    blocks: int
    cycles: int
    key_cycles: int

    @classmethod
    def from_reply(cls, reply: Any, asked: int) -> BenchPart:
        """Check a board's reply to the request `bench` and return its fields.

        The reply must report at least one block and at most `asked` bytes.
        """
        check = _Checker(RecordType.BENCH)
        check(min(asked, BLOCK) <= reply.bytes <= asked, "bytes", reply.bytes, f"{min(asked, BLOCK)} to {asked}")
        _check_work(check, reply)
        check(reply.cycles > 0, "cycles", reply.cycles, "above 0")
        return cls(*reply)


@dataclass(frozen=True)
class SelfTestPart:
    """Result of one engine's known-answer tests in one mode, CTR or GCM."""

    tests: int
    failed: int

    @classmethod
    def from_reply(cls, reply: Any) -> SelfTestPart:
        """Check a board's reply to the request `selftest` and return its fields."""
        check = _Checker(RecordType.SELFTEST)
        check(reply.failed <= reply.tests, "failed", reply.failed, f"at most tests, {reply.tests}")
        return cls(reply.tests, reply.failed)


def printable(field: bytes) -> str:
    """Return text from the board without trailing zero bytes. A ? replaces each byte that is not printable ASCII."""
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "?" for byte in field.rstrip(b"\0"))


def _check_work(check: _Checker, reply: Any) -> None:
    blocks, size = reply.blocks, reply.bytes
    check(-(-size // BLOCK) <= blocks <= size, "blocks", blocks, f"those of {size} bytes")
