"""Typed API of a board: identity, sessions, benchmark, self-test, counters."""

import secrets
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from .errors import (
    ArgumentError,
    BoardError,
    CipherlaneError,
    IvLengthError,
    KeyLengthError,
    NoReplyError,
    VersionMismatchError,
)
from .link import Link
from .protocol import layout
from .protocol.layout import BLOCK, Engine, ErrorCode, Record, RecordType
from .protocol.refusal import raise_refusal
from .results import Measurement
from .session import OPEN_FLAG_RESUME, FastPath, Session
from .transport.base import Pace, Transport

KEY_BITS = (128, 192, 256)
KINDS = ("board", "sim", "null")  # index: code on the wire
DIRECTIONS = ("encrypt", "decrypt")  # index: code on the wire
SIM_BENCH_BYTES = 4096  # of the C engines on a simulated board, where the whole buffer would take a minute
SLOWEST_CYCLES_PER_BYTE = 1000  # no engine is slower; bounds the wait for bench
_SIM_CYCLES_PER_SECOND = 300_000  # a simulated board on a busy machine


@dataclass(frozen=True)
class BoardInfo:
    """Who answers: identity, clock in Hz, limits in bytes, engines present."""

    kind: str
    board: str
    firmware: str
    firmware_version: str
    clock_hz: int
    max_sessions: int
    max_data: int
    rx_window: int
    bench_bytes: int
    engines: tuple[Engine, ...]

    @classmethod
    def from_reply(cls, reply: Any) -> "BoardInfo":
        """Translate the fields of an info reply."""
        version = reply.firmware_version
        return cls(
            kind=KINDS[min(reply.kind, len(KINDS) - 1)],
            board=_text(reply.board),
            firmware=_text(reply.firmware),
            firmware_version=f"{version >> 16}.{version >> 8 & 0xFF}.{version & 0xFF}",
            clock_hz=reply.clock_hz,
            max_sessions=reply.max_sessions,
            max_data=reply.max_data,
            rx_window=reply.rx_window,
            bench_bytes=reply.bench_bytes,
            engines=tuple(engine for engine in Engine if reply.engines >> engine & 1),
        )


@dataclass(frozen=True)
class SelfTest:
    """Outcome of the board's known-answer tests."""

    tests: int
    failed: int
    failed_engines: tuple[Engine, ...]


class Device:
    """A board reached through a transport; a context manager that connects and closes."""

    def __init__(self, transport: Transport, timeout: float | None = None):
        """Use `transport`, which the device then owns; `timeout` in seconds replaces its time-outs."""
        self._fixed_pace = Pace.fixed(timeout) if timeout else None
        self.link = Link(transport, self._fixed_pace)
        self._info: BoardInfo | None = None

    def connect(self) -> BoardInfo:
        """Discard what an earlier conversation left, reset the board's sessions and ask who answers.

        Raises:
            NoReplyError: nothing, or nothing sensible, answers.
            VersionMismatchError: the board speaks another version of the record layout.
        """
        self.link.transport.resync()
        self.link.drain(quiet=0.05, limit=2.0)
        try:
            self.request(RecordType.RESET, attempts=self.link.pace.calls, resync=True)
            info = self.request(RecordType.INFO, attempts=self.link.pace.calls)
        except NoReplyError as error:
            strays = self.link.transport.strays()
            if strays:
                raise NoReplyError(
                    f"the port sends data ({strays} bytes) that are no Cipherlane records: "
                    "flash the Cipherlane firmware, or check --baud"
                ) from error
            raise NoReplyError("no reply from the board: check its power, cable, --port and --baud") from error
        except BoardError as error:
            if error.code == ErrorCode.VERSION:
                raise VersionMismatchError(host=layout.VERSION, board=error.detail) from error
            raise
        if info.magic != layout.INFO_MAGIC:
            raise NoReplyError(f"the board's identity is 0x{info.magic:08X}, not Cipherlane's: flash the firmware")
        self._info = BoardInfo.from_reply(info)
        self.reset_window()
        self.link.set_pace(self._fixed_pace or self.link.transport.pace_of(self._info.kind))
        return self._info

    def info(self) -> BoardInfo:
        """Who answers; connects first if need be."""
        return self._info or self.connect()

    @property
    def record_bytes(self) -> int:
        """Data bytes of a full record: the most of which two fit the board's window, a multiple of 16.

        Raises:
            CipherlaneError: the board's limits leave no room for a block.
        """
        size = self.info().max_data // BLOCK * BLOCK
        wire_size = self.link.transport.wire_size
        while size > BLOCK and wire_size(layout.HEADER.size + size) > self.info().rx_window // 2:
            size -= BLOCK
        if size < BLOCK or wire_size(layout.HEADER.size + size) > self.info().rx_window:
            raise CipherlaneError(
                f"the board's limits (max_data {self.info().max_data}, rx_window {self.info().rx_window}) "
                "hold no block: flash current firmware"
            )
        return size

    def open_session(
        self, key: bytes, iv: bytes, engine: Engine, direction: str = "encrypt", resume: bool = False
    ) -> Session:
        """Open a session that encrypts or decrypts with AES-CTR; use it as a context manager.

        Args:
            key: 16, 24 or 32 bytes.
            iv: initial counter block, 16 bytes.
            engine: one of `info().engines`.
            direction: "encrypt" or "decrypt".
            resume: this continues an earlier stream of the same data under the same key and iv.

        Raises:
            KeyLengthError, IvLengthError: a size is wrong.
            BoardError: the board refuses, for instance because key and iv were used before.
        """
        if len(key) * 8 not in KEY_BITS:
            raise KeyLengthError(f"the key has {len(key) * 8} bits: give 128, 192 or 256")
        if len(iv) != BLOCK:
            raise IvLengthError(f"the IV has {len(iv)} bytes: give {BLOCK}")
        self.info()
        token = secrets.randbits(64)
        data = layout.REQUESTS[RecordType.OPEN].pack(
            key_bits=len(key) * 8,
            engine=engine,
            direction=_direction_code(direction),
            flags=OPEN_FLAG_RESUME if resume else 0,
            iv=iv,
            key=key.ljust(32, b"\0"),
        )
        fast_path = self.fast_path() if engine == Engine.FASTPATH and engine in self.info().engines else None
        number = self.exchange(Record(RecordType.OPEN, token=token, data=data)).session
        return Session(self, number, token, direction, fast_path)

    def bench(
        self,
        engine: Engine,
        key_bits: int,
        direction: str = "encrypt",
        record_bytes: int | None = None,
        total_bytes: int | None = None,
    ) -> Measurement:
        """Measure an engine from memory to memory on the board, with no transport in the way.

        Args:
            engine: one of `info().engines`.
            key_bits: 128, 192 or 256.
            direction: "encrypt" or "decrypt".
            record_bytes: bytes of each call of the engine; by default as many as there are.
            total_bytes: bytes in all; by default the board's buffer, less for C on a simulated board.
        """
        total = total_bytes or self.info().bench_bytes
        if not total_bytes and self.info().kind == "sim" and engine in (Engine.BYTE, Engine.TABLE):
            total = min(total, SIM_BENCH_BYTES)
        cycles_per_second = _SIM_CYCLES_PER_SECOND if self.info().kind == "sim" else self.info().clock_hz
        reply = self.request(
            RecordType.BENCH,
            timeout=self.link.pace.first + total * SLOWEST_CYCLES_PER_BYTE / cycles_per_second,
            attempts=2,
            engine=engine,
            direction=_direction_code(direction),
            key_bits=key_bits,
            record_bytes=record_bytes or min(total, self.info().bench_bytes),
            total_bytes=total,
        )
        return Measurement(
            engine=engine.name.lower(),
            key_bits=key_bits,
            direction=direction,
            bytes=reply.bytes,
            blocks=reply.blocks,
            cycles=reply.cycles,
            key_cycles=reply.key_cycles,
            kind=self.info().kind,
            clock_hz=self.info().clock_hz,
        )

    def selftest(self) -> SelfTest:
        """Run the board's known-answer tests on every engine."""
        reply = self.request(RecordType.SELFTEST, timeout=10 * self.link.pace.first, attempts=2)
        failed = tuple(engine for engine in Engine if reply.failed_engines >> engine & 1)
        return SelfTest(reply.tests, reply.failed, failed)

    def counters(self) -> dict[str, int]:
        """Return what the board's link has seen since power-on."""
        return self.request(RecordType.COUNTERS)._asdict()

    def network(self) -> dict[str, int]:
        """Return what the board's Ethernet has seen since power-on, and the cycles that records cost there.

        Raises:
            BoardError: the link is none over Ethernet.
        """
        return self.request(RecordType.NETWORK)._asdict()

    def fast_path(self) -> FastPath:
        """Return where the board's fast path is, and what it has answered and dropped since power-on.

        Raises:
            BoardError: the board has none, or the link is none over Ethernet.
        """
        return FastPath.from_reply(self.request(RecordType.FASTPATH))

    def reset_window(self) -> None:
        """Keep no more in flight from now on than the board holds where control records go."""
        info = self.info()
        self.link.set_window(info.rx_window, layout.HEADER.size + info.max_data)

    def request(
        self,
        kind: RecordType,
        *,
        timeout: float | None = None,
        attempts: int | None = None,
        resync: bool = False,
        **values: int | bytes,
    ) -> Any:
        """Send a request outside any session; return the fields of the reply. See `exchange`."""
        request = Record(kind, token=secrets.randbits(64), data=layout.REQUESTS[kind].pack(**values))
        return self.unpack(self.exchange(request, timeout=timeout, attempts=attempts, resync=resync))

    def exchange(
        self, request: Record, *, timeout: float | None = None, attempts: int | None = None, resync: bool = False
    ) -> Record:
        """Send `request` until it is answered; return the reply.

        Args:
            request: the record.
            timeout: seconds to wait each time; by default what the link has learnt.
            attempts: times to send it; by default the link's.
            resync: end half a frame before each time.

        Raises:
            BoardError: the board refused.
            NoReplyError: no answer to any attempt.
            VersionMismatchError: before the board is known, a record of another version came.
        """
        link = self.link
        attempts = attempts or link.pace.attempts
        for _ in range(attempts):
            link.await_room(request)
            if resync:
                link.transport.resync()
            key = link.send(request, timeout)
            deadline = time.monotonic() + (timeout or link.timeout)
            while (left := deadline - time.monotonic()) > 0:
                arrival = link.receive(left, strict_version=self._info is None)
                if arrival is None:
                    break
                if arrival.key == key:
                    raise_refusal(arrival.record)
                    return arrival.record
            link.expire()
        name = RecordType(request.type).name.lower()
        raise NoReplyError(f"no reply to {name} after {attempts} attempts: check the board and its cable")

    def unpack(self, reply: Record) -> Any:
        """Return the fields of a reply's data.

        Raises:
            CipherlaneError: the reply is shorter than its layout.
        """
        table = layout.REPLIES[reply.type & ~layout.REPLY]
        if len(reply.data) != table.size:
            raise CipherlaneError(
                f"{table.name} has {len(reply.data)} bytes instead of {table.size}: flash the matching firmware"
            )
        return table.unpack(reply.data)

    def close(self) -> None:
        """Release the port."""
        self.link.transport.close()

    def __enter__(self) -> Self:
        try:
            self.connect()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


def _direction_code(direction: str) -> int:
    if direction not in DIRECTIONS:
        raise ArgumentError(f"direction {direction!r} is neither encrypt nor decrypt")
    return DIRECTIONS.index(direction)


def _text(field: bytes) -> str:
    return field.rstrip(b"\0").decode("ascii", "replace")
