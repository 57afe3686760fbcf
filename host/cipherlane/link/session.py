# SPDX-License-Identifier: BSD-2-Clause
"""A session: streams data through the board and returns the session's counters."""

import contextlib
from types import TracebackType
from typing import Any, Self

from cipherlane_base.figures import Measurement
from cipherlane_base.wire.layout import HEADER, Engine, RecordType

from ..errors import ArgumentError, CipherlaneError
from ..protocol.records import Record
from .calls import Calls
from .replies import BoardInfo, SessionStat, fields_of
from .transfer import Job, Progress, Reader, Stream, Transfer, TransferReport, Watch, Writer

_CLOSE_ATTEMPTS = 2  # used after an error


class Session:
    """An open session. As a context manager, it closes the session at the end, even after an error."""

    def __init__(self, calls: Calls, info: BoardInfo, stream: Stream):
        """Represent an open session of the board that `info` describes. `Device.open_session` opens sessions."""
        self.calls = calls
        self._info = info
        self.stream = stream
        self.closed = False

    @property
    def iv(self) -> bytes:
        """The initial counter block of the session's range, 16 bytes. In GCM: the nonce prefix and 8 zeros."""
        return self.stream.iv

    @property
    def ticket(self) -> int:
        """The number that a client sends to resume this session's range of counter blocks in a later session."""
        return self.stream.ticket

    @property
    def record_bytes(self) -> int:
        """Number of bytes of plaintext in a full record."""
        return self.stream.record_bytes

    @property
    def first(self) -> int:
        """Lowest offset in the stream, in bytes, at which the board answers records."""
        return self.stream.begin + self.stream.first

    @property
    def rx_window(self) -> int:
        """Maximum number of bytes in flight: the board has room for this many bytes of the session's data records."""
        return (self.stream.fast_path or self._info).rx_window

    def transfer(
        self,
        reader: Reader,
        writer: Writer,
        *,
        offset: int = 0,
        length: int | None = None,
        progress: Progress | None = None,
        in_flight: int | None = None,
        watch: Watch | None = None,
    ) -> TransferReport:
        """Stream `reader` to its end through the board; write the results to `writer`, strictly in order.

        Args:
            reader: has `read(n)`; its first byte is byte `offset` of the stream. In GCM, one of reader and writer has
                the records with their tags.
            writer: has `write(data)`.
            offset: where in the stream to begin; a multiple of `record_bytes`, not below `first`.
            length: bytes expected in all from `offset`, if known; errors then list the missing bytes up to the end.
            progress: called with the bytes written so far, including `offset`.
            in_flight: maximum bytes in flight, at least one record; by default as many as the board holds.
            watch: called repeatedly with the counters so far; returns the longest time in seconds until its next call.

        Raises:
            ArgumentError: `offset` or `in_flight` is invalid.
            TransferError: it cannot be completed; the error lists the missing bytes and where to resume.
            TamperedError: a record to decrypt has a wrong tag; nothing of it was written.
        """
        link, stream = self.calls.link, self.stream
        request_bytes = HEADER.size + stream.record_bytes + stream.input_tag
        size = link.transport.wire_size(request_bytes)
        if in_flight is not None and in_flight < size:
            raise ArgumentError(f"{in_flight} bytes in flight are too few for a record: give at least {size}")
        transfer = Transfer(link, stream, Job(reader, writer, offset, length, progress, watch), self.stat)
        if in_flight is None and stream.fast_path is None:
            return transfer.run()
        link.set_window(min(in_flight or self.rx_window, self.rx_window), request_bytes)
        try:
            return transfer.run()
        finally:
            self.calls.reset_window(self._info)

    def stat(self) -> SessionStat:
        """Return the board's counters for this session."""
        return SessionStat.from_reply(fields_of(self._exchange(RecordType.STAT)))

    def network(self) -> dict[str, int]:
        """Return the board's Ethernet counters since power-on, and its cycles for the records of this session.

        If another client had a session at the same time, all cycles are 0 from then on.

        Raises:
            BoardError: the board is not reached over Ethernet.
        """
        counters: dict[str, int] = fields_of(self._exchange(RecordType.NETWORK))._asdict()
        return counters

    def measurement(self, engine: Engine, key: bytes, report: TransferReport, verified: bool | None) -> Measurement:
        """Return a measurement that combines the board's counters with the host's report of the transfer."""
        stat = self.stat()
        return Measurement(
            engine=engine.name.lower(),
            key_bits=len(key) * 8,
            direction=self.stream.direction,
            bytes=report.bytes,
            blocks=stat.blocks,
            cycles=stat.cycles,
            key_cycles=stat.key_cycles,
            kind=self._info.kind,
            clock_hz=self._info.clock_hz,
            processed_bytes=stat.bytes,
            verified=verified,
            link_seconds=report.seconds,
            retransmissions=report.retransmissions,
            mode="gcm" if self.stream.gcm else "ctr",
        )

    def close(self, attempts: int | None = None) -> None:
        """End the session and let the board zeroize its keys; closing twice is allowed."""
        if not self.closed:
            self._exchange(RecordType.CLOSE, attempts=attempts, resync=True)
            self.closed = True

    def _exchange(self, kind: RecordType, **options: Any) -> Record:
        return self.calls.exchange(Record(kind, session=self.stream.number, token=self.stream.token), **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        if value is None:
            self.close()
        else:  # ignore errors in closing, so that the earlier error is reported
            with contextlib.suppress(CipherlaneError):
                self.close(_CLOSE_ATTEMPTS)
