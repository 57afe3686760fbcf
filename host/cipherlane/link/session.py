# SPDX-License-Identifier: BSD-2-Clause
"""A session: streams data through the board and returns the session's counters."""

import contextlib
from types import TracebackType
from typing import Any, Self

from cipherlane_base.figures import Measurement
from cipherlane_base.wire.layout import HEADER, Engine, RecordType

from ..errors import ArgumentError, CipherlaneError
from ..files.authenticated import TAG_BYTES
from ..protocol.records import Record
from .calls import Calls
from .replies import BoardInfo, FastPath, Opened, SessionStat, fields_of
from .transfer import Progress, Reader, Stream, Transfer, TransferReport, Watch, Writer

_CLOSE_ATTEMPTS = 2  # used after an error


class Session:
    """An open session. Leaving its context closes it, even after an error.

    `iv` is the initial counter block, and `ticket` resumes the session's range after it has ended. `first` is the byte
    offset of the lowest record that the board still answers, `window` the number of latest records whose checksums it
    remembers. Record N begins at byte N x `record_bytes`, and none ends after `length`. `fast_path` is set if data
    records go to another address than control records. If an earlier session had the beginning of the stream, this
    session's range begins at byte `begin`; `first` and `length` count from there. In `gcm`, `iv` is the nonce prefix
    and 8 zeros, and offsets and lengths count plaintext.
    """

    def __init__(
        self,
        calls: Calls,
        info: BoardInfo,
        opened: Opened,
        token: int,
        direction: str,
        length: int,
        record_bytes: int,
        fast_path: FastPath | None = None,
        begin: int = 0,
        gcm: bool = False,
    ):
        """Use a session that a board has opened; `info` describes the board. See `Device.open_session`."""
        self.calls = calls
        self._info = info
        self.number = opened.number
        self.iv = opened.iv
        self.ticket = opened.ticket
        self.first = opened.first
        self.window = opened.window
        self.token = token
        self.direction = direction
        self.length = length
        self.record_bytes = record_bytes
        self.fast_path = fast_path
        self.begin = begin
        self.gcm = gcm
        self.closed = False

    @property
    def rx_window(self) -> int:
        """Maximum number of bytes in flight: the board has room for this many bytes of the session's data records."""
        return (self.fast_path or self._info).rx_window

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
            offset: where in the stream to begin; a multiple of `record_bytes`, not below `begin` + `first`.
            length: bytes expected in all from `offset`, if known; errors then list the missing bytes up to the end.
            progress: called with the bytes written so far, including `offset`.
            in_flight: maximum bytes in flight, at least one record; by default as many as the board holds.
            watch: called repeatedly with the counters so far; returns the longest time in seconds until its next call.

        Raises:
            ArgumentError: `offset` or `in_flight` is invalid.
            TransferError: it cannot be completed; the error lists the missing bytes and where to resume.
            TamperedError: a record to decrypt has a wrong tag; nothing of it was written.
        """
        link = self.calls.link
        decrypts = self.direction == "decrypt"
        input_tag, result_tag = (TAG_BYTES * (self.gcm and side) for side in (decrypts, not decrypts))
        request_bytes = HEADER.size + self.record_bytes + input_tag
        size = link.transport.wire_size(request_bytes)
        if in_flight is not None and in_flight < size:
            raise ArgumentError(f"{in_flight} bytes in flight are too few for a record: give at least {size}")
        stream = Stream(
            number=self.number,
            token=self.token,
            record_bytes=self.record_bytes,
            length=self.length,
            begin=self.begin,
            first=self.first,
            window=self.window,
            address=self.fast_path.address if self.fast_path else None,
            input_tag=input_tag,
            result_tag=result_tag,
        )
        transfer = Transfer(link, stream, self.stat, reader, writer, offset, length, progress, watch)
        if in_flight is None and self.fast_path is None:
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
        """Return the board's Ethernet counters since power-on, and the cycles that this session's records took.

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
            direction=self.direction,
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
            mode="gcm" if self.gcm else "ctr",
        )

    def close(self, attempts: int | None = None) -> None:
        """End the session and let the board zeroize its keys; closing twice is allowed."""
        if not self.closed:
            self._exchange(RecordType.CLOSE, attempts=attempts, resync=True)
            self.closed = True

    def _exchange(self, kind: RecordType, **options: Any) -> Record:
        return self.calls.exchange(Record(kind, session=self.number, token=self.token), **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        if value is None:
            self.close()
        else:  # ignore errors in closing, so that the earlier error is reported
            with contextlib.suppress(CipherlaneError):
                self.close(_CLOSE_ATTEMPTS)
