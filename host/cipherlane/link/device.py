# SPDX-License-Identifier: BSD-2-Clause
"""Typed API of a board: identity, sessions, benchmark, self-test and counters."""

import contextlib
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

from cipherlane_base.figures import Measurement
from cipherlane_base.wire import layout
from cipherlane_base.wire.layout import BLOCK, Engine, ErrorCode, Kind, Mode, OpenFlag, RecordType, Suite

from ..errors import (
    ArgumentError,
    BoardError,
    CipherlaneError,
    IvLengthError,
    KeyLengthError,
    NoReplyError,
    ReplyError,
    VersionMismatchError,
)
from ..files.authenticated import RECORD_BYTES, TAG_BYTES
from ..protocol.records import Record
from ..transport import open_transport
from ..transport.base import Pace, Transport
from ..transport.serial import DEFAULT_BAUD
from .calls import Calls
from .counterblocks import MOST_STREAM
from .link import Link
from .recordlog import RecordLog
from .replies import BenchPart, BoardInfo, FastPath, MACsecState, Opened, SelfTestPart
from .session import Session
from .transfer import Progress, Stream

KEY_BITS = (128, 192, 256)
DIRECTIONS = ("encrypt", "decrypt")  # in a record, 0 stands for encrypt, 1 for decrypt
# Default size in bytes of a benchmark with an engine in C on a simulated board. With the whole buffer, the simulation
# would take a minute.
SIM_BENCH_BYTES = 4096
_MOST_BENCH_PARTS = 1 << 16
# Mask of the bits that must be 0 in a counter block of 128-EEA1: all bits after DIRECTION, except the lowest 16, which
# hold the block number.
_NOT_OF_A_MESSAGE = (1 << 74) - 1 << 16
_DRAIN_QUIET, _DRAIN_LIMIT = 0.05, 2.0  # seconds


def key_bits_of(engine: Engine) -> tuple[int, ...]:
    """Return the key lengths, in bits, that an engine supports."""
    return KEY_BITS if engine.traits.cipher == "aes" else KEY_BITS[:1]


@dataclass(frozen=True)
class SelfTest:
    """Outcome of the board's known-answer tests."""

    tests: int
    failed: int
    failed_engines: tuple[Engine, ...]

    @property
    def passed(self) -> bool:
        """True if the board ran at least one test, and none failed."""
        return self.tests > 0 and not self.failed


class Device(Calls):
    """A board reached through a transport. As a context manager, it connects at the start and closes at the end."""

    def __init__(self, transport: Transport, timeout: float | None = None, log: RecordLog | None = None):
        """Reach the board through `transport`. The method `close` also closes `transport` and `log`.

        Args:
            transport: the connection to the board.
            timeout: seconds to wait for each reply, instead of the transport's time-outs.
            log: where to write the records sent and received.
        """
        self.timeout = timeout
        self._fixed_pace = Pace.fixed(timeout) if timeout else None
        if timeout:
            transport.write_timeout = timeout
        super().__init__(Link(transport, self._fixed_pace, log))
        self._log = log
        self._info: BoardInfo | None = None

    def connect(self) -> BoardInfo:
        """Discard data that an earlier connection left, and request the board's identity."""
        link = self.link
        link.transport.resync()
        link.drain(_DRAIN_QUIET, min(_DRAIN_LIMIT, link.pace.first))
        try:
            info = self.request(RecordType.INFO, attempts=link.pace.calls, resync=True)
        except NoReplyError as error:
            strays = link.transport.strays()
            if strays:
                raise NoReplyError(
                    f"the port sends data ({strays} bytes) but no Cipherlane records: flash the Cipherlane "
                    f"firmware; {link.transport.advice}"
                ) from error
            raise NoReplyError(f"no reply from the board: {link.transport.advice}") from error
        except BoardError as error:
            if error.code == ErrorCode.VERSION:
                raise VersionMismatchError(host=layout.VERSION, board=error.detail) from error
            raise
        if info.magic != layout.INFO_MAGIC:
            raise NoReplyError(f"the board's identity is 0x{info.magic:08X}, not Cipherlane's: flash the firmware")
        self._info = BoardInfo.from_reply(info, link.transport.wire_size)
        if link.transport.simulated:  # a simulated netlist reports the kind `board`: store `sim` instead
            self._info = replace(self._info, kind=Kind.SIM.name.lower())
        self._info = replace(self._info, max_data=min(self._info.max_data, self._most_on_the_way()))
        self.strict_version = False
        self.reset_window(self._info)
        link.set_pace(self._fixed_pace or link.transport.pace_of(self._info.kind))
        return self._info

    def info(self) -> BoardInfo:
        """Return the board's identity; connect first if necessary."""
        return self._info or self.connect()

    @property
    def record_bytes(self) -> int:
        """Number of data bytes in a full record that the board's CPU processes. It is the largest multiple of 16 for
        which the board's buffer holds two records.
        """
        info, wire_size = self.info(), self.link.transport.wire_size
        size = info.max_data
        while size > BLOCK and wire_size(layout.HEADER.size + size) > info.rx_window // 2:
            size -= BLOCK
        return size

    def open_session(
        self,
        key: bytes,
        iv: bytes | None,
        engine: Engine,
        direction: str = "encrypt",
        *,
        length: int | None = None,
        record_bytes: int | None = None,
        ticket: int | None = None,
        begin: int = 0,
        gcm: bool = False,
    ) -> Session:
        """Open a session that encrypts or decrypts with AES-CTR, or with AES-GCM; use it as a context manager.

        The session owns a range of ceil(length / 16) counter blocks under its key, starting at the initial counter
        block. The board refuses a range if one of its blocks was used before or belongs to another session. It
        remembers used blocks until its power is cycled.

        Args:
            key: 16, 24 or 32 bytes.
            iv: initial counter block, 16 bytes; with None the board draws one, which becomes the session's `iv`.
            engine: one of `info().engines`. A SNOW 3G engine takes keys of 16 bytes and counter blocks of 128-EEA2.
            direction: "encrypt" or "decrypt".
            length: bytes of the whole stream, at most 2^36; None if unknown, which declares 2^36.
            record_bytes: data bytes of a full record, a multiple of 16; by default the largest size possible.
            ticket: resumes the range of an earlier session that had this ticket, key, iv and record_bytes.
            begin: byte of a longer stream at which this range begins; transfer offsets count from the stream's start.
            gcm: AES-GCM: each record gets a tag, or is checked by its tag. `iv` is then the nonce prefix, 8 bytes, and
                8 zeros; `record_bytes` and `length` count plaintext.

        Raises:
            KeyLengthError, IvLengthError, ArgumentError: an argument is invalid.
            BoardError: the board refuses; for example ReusedError, because counter blocks were used before.
            ReplyError: the board's answer is invalid.
        """
        if len(key) * 8 not in KEY_BITS:
            raise KeyLengthError(f"the key has {len(key) * 8} bits: give 128, 192 or 256")
        if iv is not None and len(iv) != BLOCK:
            raise IvLengthError(f"the IV has {len(iv)} bytes: give {BLOCK}")
        if len(key) * 8 not in key_bits_of(engine):
            raise KeyLengthError(f"the key has {len(key) * 8} bits: engine {engine.name.lower()} needs a key of 128")
        if engine.traits.cipher == "snow3g" and (iv is None or int.from_bytes(iv, "big") & _NOT_OF_A_MESSAGE):
            raise ArgumentError(
                f"engine {engine.name.lower()} takes a counter block COUNT || BEARER || DIRECTION || 26 zeros || a "
                "number below 65536: give such an IV"
            )
        if iv is None and ticket is not None:
            raise ArgumentError("a ticket resumes a range whose initial counter block is known: give the IV")
        length = MOST_STREAM if length is None else length
        if not 0 <= length <= MOST_STREAM:
            raise ArgumentError(f"a stream cannot have {length} bytes: give 0 to {MOST_STREAM}")
        if gcm:
            self._check_gcm(engine)
        self.info()
        fast_path = self.fast_path() if engine.traits.serves and engine in self.info().engines else None
        record_bytes = RECORD_BYTES if gcm and record_bytes is None else record_bytes
        record_bytes = self._checked_record_bytes(record_bytes, fast_path, TAG_BYTES if gcm else 0)
        fields = {
            "key_bits": len(key) * 8,
            "engine": engine,
            "direction": _direction_code(direction),
            "flags": (OpenFlag.RESUME if ticket is not None else 0)
            | (OpenFlag.DRAW if iv is None else 0)
            | (OpenFlag.GCM if gcm else 0),
            "length": max(1, length),
            "record_bytes": record_bytes,
            "reserved": 0,
            "ticket": ticket or 0,
            "iv": secrets.token_bytes(BLOCK) if iv is None else iv,
            "key": key.ljust(32, b"\0"),
        }
        opened, token = self._open(fields)
        stream = Stream(
            **vars(opened),
            token=token,
            direction=direction,
            length=length,
            record_bytes=record_bytes,
            begin=begin,
            fast_path=fast_path,
            gcm=gcm,
        )
        return Session(self, self.info(), stream)

    def _check_gcm(self, engine: Engine) -> None:
        if engine not in self.info().gcm_engines:
            raise ArgumentError(f"engine {engine.name.lower()} has no AES-GCM, unlike info().gcm_engines")

    def _checked_record_bytes(self, record_bytes: int | None, fast_path: FastPath | None, tag: int) -> int:
        """Check that a full record can hold `record_bytes` bytes of data and a tag of `tag` bytes. Return
        `record_bytes`.

        If `record_bytes` is None, return the maximum for the fast path, or for the CPU if there is no fast path.
        """
        where = fast_path or self.info()
        if record_bytes is None:
            return fast_path.max_data if fast_path else self.record_bytes
        fits = self.link.transport.wire_size(layout.HEADER.size + record_bytes + tag) <= where.rx_window
        if record_bytes % BLOCK or not 0 < record_bytes <= where.max_data - tag or not fits:
            most = (fast_path.max_data if fast_path else self.record_bytes) - tag
            raise ArgumentError(f"records of {record_bytes} bytes: give a multiple of {BLOCK} up to {most}")
        return record_bytes

    def _open(self, fields: dict[str, Any]) -> tuple[Opened, int]:
        """Send an open request with `fields`; return the values that the board assigned and the session's token."""
        table, token = layout.REQUESTS[RecordType.OPEN], secrets.randbits(64)
        data = table.pack(**fields)
        try:
            reply = self.exchange(Record(RecordType.OPEN, token=token, data=data))
            return Opened.from_reply(reply, table.unpack(data)), token
        except BoardError:
            raise
        except BaseException:  # close the session that the board might have opened
            with contextlib.suppress(CipherlaneError):
                self.exchange(Record(RecordType.RESET, token=token), attempts=1, resync=True)
            raise

    def bench(
        self,
        engine: Engine,
        key_bits: int,
        direction: str = "encrypt",
        record_bytes: int | None = None,
        total_bytes: int | None = None,
        *,
        mode: str = "ctr",
        seconds: float | None = None,
        progress: Progress | None = None,
        keep: Callable[[Measurement], None] | None = None,
    ) -> Measurement:
        """Measure an engine on data in the board's memory; the data do not cross the link.

        The board answers each request after some milliseconds, with the part that it has processed. The host then
        requests the rest.

        Args:
            engine: one of `info().engines`.
            key_bits: 128, 192 or 256.
            direction: "encrypt" or "decrypt".
            record_bytes: bytes of each call of the engine; by default the maximum.
            total_bytes: bytes in all; by default the board's buffer, or less for C engines on a simulated board.
            mode: "ctr" or "gcm". In GCM, each call of the engine is one message without additional data.
            seconds: time by the host's clock during which `total_bytes` are processed repeatedly, at least once.
            progress: called with the bytes done so far.
            keep: called with the measurement so far, if there is any, when an exception ends it early.

        Raises:
            ArgumentError: the board has no buffer for this size, or the engine lacks the mode.
            BoardError: the board refuses, for example because it is busy.
            ReplyError: the board's figures are invalid, or each reply reports too few bytes.
        """
        if key_bits in KEY_BITS and key_bits not in key_bits_of(engine):
            raise ArgumentError(f"engine {engine.name.lower()} takes keys of 128 bits: give --key-bits 128")
        if not self.info().bench_bytes:
            raise ArgumentError("the board has no buffer for benchmarks: measure with bench --link")
        code = Mode[mode.upper()]
        if code == Mode.GCM:
            self._check_gcm(engine)
        total = total_bytes or self.info().bench_bytes
        if not total_bytes and self.info().kind == "sim" and engine.traits.software:
            total = min(total, SIM_BENCH_BYTES)
        request = {
            "engine": engine,
            "direction": _direction_code(direction),
            "key_bits": key_bits,
            "record_bytes": record_bytes or min(total, self.info().bench_bytes),
            "mode": code,
        }
        parts: list[BenchPart] = []

        def measured(interrupted: bool | None = None) -> Measurement:
            return Measurement(
                engine=engine.name.lower(),
                key_bits=key_bits,
                direction=direction,
                bytes=sum(part.bytes for part in parts),
                blocks=sum(part.blocks for part in parts),
                cycles=sum(part.cycles for part in parts),
                key_cycles=parts[0].key_cycles,
                kind=self.info().kind,
                clock_hz=self.info().clock_hz,
                interrupted=interrupted,
                mode=mode,
            )

        done = 0
        end = self.clock.now() + (seconds or 0)
        try:
            while not parts or self.clock.now() < end:
                for part in self._bench_parts(total, request):
                    parts.append(part)
                    done += part.bytes
                    if progress:
                        progress(done)
        except (KeyboardInterrupt, CipherlaneError):
            if keep and parts:
                keep(measured(interrupted=True))
            raise
        return measured()

    def _bench_parts(self, total: int, request: dict[str, Any]) -> Iterator[BenchPart]:
        """Send benchmark requests with the fields `request` until `total` bytes are processed; yield each request's
        result.
        """
        left = total
        for _ in range(_MOST_BENCH_PARTS):
            reply = self.request(RecordType.BENCH, timeout=self.link.pace.first, total_bytes=left, **request)
            part = BenchPart.from_reply(reply, left)
            yield part
            left -= part.bytes
            if not left:
                return
        raise ReplyError("bench", f"{total - left} of {total} bytes after {_MOST_BENCH_PARTS} requests, too few")

    def selftest(self) -> SelfTest:
        """Run the known-answer tests of every engine that processes data in memory, in each mode of the engine."""
        engines, gcm = self.info().memory_engines, self.info().gcm_engines
        asked = [(engine, mode) for engine in engines for mode in Mode if mode == Mode.CTR or engine in gcm]
        parts = [
            SelfTestPart.from_reply(
                self.request(RecordType.SELFTEST, timeout=self.link.pace.first, engine=engine, mode=mode)
            )
            for engine, mode in asked
        ]
        tests, failed = (sum(getattr(part, what) for part in parts) for what in ("tests", "failed"))
        bad = {engine: None for (engine, _), part in zip(asked, parts, strict=True) if part.failed}
        return SelfTest(tests, failed, tuple(bad))

    def counters(self, attempts: int | None = None) -> dict[str, int]:
        """Return the board's link counters since power-on.

        Send at most `attempts` requests, by default the link's own maximum.
        """
        counters: dict[str, int] = self.request(RecordType.COUNTERS, attempts=attempts)._asdict()
        return counters

    def network(self) -> dict[str, int]:
        """Return the board's Ethernet counters since power-on. The board counts cycles only for
        sessions (see `Session.network`), so the cycle counters are 0 here.

        Raises:
            BoardError: the board is not reached over Ethernet.
        """
        counters: dict[str, int] = self.request(RecordType.NETWORK)._asdict()
        return counters

    def fast_path(self) -> FastPath:
        """Return the address of the board's fast path, and its counters of answered and dropped records since power-on.

        Raises:
            BoardError: the board has no fast path, or is not reached over Ethernet.
        """
        found = FastPath.from_reply(self.request(RecordType.FASTPATH), self.link.transport.wire_size)
        return replace(found, max_data=min(found.max_data, self._most_on_the_way()))

    def _most_on_the_way(self) -> int:
        """Return how many data bytes a record on this connection can have at most; this number is a multiple of 16."""
        return max(BLOCK, (self.link.transport.largest_record - layout.HEADER.size) // BLOCK * BLOCK)

    def macsec(self) -> MACsecState | None:
        """Return the state of the board's MACsec; None if the board does not support MACsec."""
        try:
            return MACsecState.from_reply(self.request(RecordType.MACSEC))
        except BoardError as error:
            if error.code == ErrorCode.TYPE:
                return None
            raise

    def protect(
        self,
        suite: Suite,
        transmit_key: bytes,
        receive_key: bytes,
        peer_sci: bytes,
        *,
        an: int = 0,
        encrypt: bool = True,
        replay_window: int = 0,
    ) -> None:
        """Send static MACsec keys to the board over the UART. From then on, the board answers only frames with MACsec.

        Args:
            suite: the cipher suite.
            transmit_key: SAK with which the board transmits, 16 or 32 bytes; never give one twice.
            receive_key: SAK with which the peer transmits.
            peer_sci: SCI of the peer, 8 bytes: its MAC address and the port number, usually 1.
            an: number of the association, 0 to 3. Another number than before keeps the older keys to receive.
            encrypt: encrypt frames, instead of only protecting their integrity.
            replay_window: packet numbers below the next one that are accepted too, 0 to 64.

        Raises:
            KeyLengthError: a key does not fit the suite.
            ArgumentError: the board is reached over a network; nothing was sent.
            BoardError: the board has no MACsec, or refuses a value or a repeated key.
        """
        size = 32 if suite == Suite.GCM_AES_256 else 16
        for key in (transmit_key, receive_key):
            if len(key) != size:
                raise KeyLengthError(f"the key has {len(key)} bytes: give {size}")
        self._require_uart()
        self.request(
            RecordType.PROTECT,
            state=1,
            suite=suite,
            encrypt=encrypt,
            an=an,
            replay_window=replay_window,
            peer_sci=peer_sci,
            transmit_key=transmit_key,
            receive_key=receive_key,
        )

    def agree(
        self,
        suite: Suite,
        cak: bytes,
        ckn: bytes,
        *,
        priority: int = 16,
        encrypt: bool = True,
        replay_window: int = 0,
    ) -> None:
        """Make the board agree on MACsec keys with its peer, by MKA (IEEE 802.1X). Raises the same errors as `protect`.

        Until then, and whenever the peer is gone, no frame passes.

        Args:
            suite: the cipher suite, if the board becomes key server.
            cak: the pre-shared key, 16 or 32 bytes.
            ckn: its name, 1 to 32 bytes.
            priority: 0 to 255; the participant with the lower number becomes key server, 255 never.
            encrypt: encrypt frames, instead of only protecting their integrity.
            replay_window: packet numbers below the next one that are accepted too, 0 to 64.
        """
        if len(cak) not in (16, 32) or not 1 <= len(ckn) <= 32:
            raise KeyLengthError(f"a CAK of {len(cak)} bytes with a name of {len(ckn)}: give 16 or 32, and 1 to 32")
        self._require_uart()
        self.request(
            RecordType.AGREE,
            suite=suite,
            encrypt=encrypt,
            priority=priority,
            ckn_bytes=len(ckn),
            cak_bits=8 * len(cak),
            replay_window=replay_window,
            cak=cak,
            ckn=ckn,
        )

    def unprotect(self) -> None:
        """Turn the board's MACsec off and zeroize its keys, over the UART. Raises the same errors as `protect`."""
        self._require_uart()
        self.request(
            RecordType.PROTECT,
            state=0,
            suite=0,
            encrypt=0,
            an=0,
            replay_window=0,
            peer_sci=b"",
            transmit_key=b"",
            receive_key=b"",
        )

    def _require_uart(self) -> None:
        """Raise ArgumentError if the board is reached over a network, because MACsec keys must not cross a network."""
        if self.link.transport.shared:
            raise ArgumentError("MACsec keys do not go over a network: name the UART with --port")

    def close(self) -> None:
        """Close the port to the board, and the log of records if there is one."""
        try:
            self.link.transport.close()
        finally:
            if self._log:
                self._log.close()

    def __enter__(self) -> Self:
        try:
            self.info()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


def connect(port: str, baud: int = DEFAULT_BAUD, timeout: float | None = None) -> Device:
    """Return the connected board at `port`; use it as a context manager.

    Args:
        port: a serial device, udp://host[:port], socket://host:port, sim or sim+udp.
        baud: bits a second of a serial device.
        timeout: seconds to wait for each reply; by default a value that suits the link.

    Raises:
        PortError: the port cannot be opened.
        NoReplyError, VersionMismatchError, ReplyError: no board answers, or the board does not fit this package.
    """
    device = Device(open_transport(port, baud), timeout)
    try:
        device.connect()
    except BaseException:
        device.close()
        raise
    return device


def _direction_code(direction: str) -> int:
    if direction not in DIRECTIONS:
        raise ArgumentError(f"direction {direction!r} is neither encrypt nor decrypt")
    return DIRECTIONS.index(direction)
