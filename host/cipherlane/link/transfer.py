# SPDX-License-Identifier: BSD-2-Clause
"""One transfer through a session: sends records, and sends a record again if its result does not arrive in time.

Every byte read belongs to exactly one record. Every record is either written or reported as missing. In GCM, each
record has a tag, in the result or in the input; offsets count the bytes without tags.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from cipherlane_base.wire.layout import HEADER, ErrorCode

from ..errors import ArgumentError, BoardError, NoReplyError, PortError, TamperedError, TransferError
from ..files.authenticated import TAG_BYTES, RecordReader, check_size
from ..files.authenticated import Reader as Reader
from ..protocol.datarun import DataCodec, Result
from ..protocol.records import Record
from ..protocol.refusal import raise_refusal
from ..transport.base import Address
from .flights import Key
from .link import Arrival, Link
from .replies import FastPath, Opened

Progress = Callable[[int], None]
_BURST = 256  # maximum number of results to process before checking time-outs
_PROBE_TIMEOUTS = 3  # of silence


class Writer(Protocol):
    """Destination to which a transfer writes its results."""

    def write(self, data: bytes, /) -> object:
        """Write `data`, which follow the data of the previous call without a gap."""


@dataclass(frozen=True)
class Stream(Opened):
    """The stream of a session: the parameters that the board assigned, and the parameters that the host chose.

    This session's range begins at byte `begin` of the stream, which is above 0 if an earlier session had the beginning.
    `iv` is the counter block of this byte; `first` and `length` count from it. Record N begins at byte `begin` + N x
    `record_bytes`. `window` is the number of the latest records whose checksums the board remembers. `ticket` resumes
    the range after the session has ended. `fast_path` is set if the data records go to the fast path instead of the
    CPU. In `gcm`, `iv` is the nonce prefix and 8 zeros, and offsets and lengths count plaintext.
    """

    token: int = field(repr=False)
    direction: str
    length: int
    record_bytes: int
    begin: int = 0
    fast_path: FastPath | None = None
    gcm: bool = False

    @property
    def address(self) -> Address | None:
        """The fast path's address, to which the host sends data records; None if the CPU processes the data records."""
        return self.fast_path.address if self.fast_path else None

    @property
    def input_tag(self) -> int:
        """Number of bytes of the tag in a request: 16 when decrypting with GCM, otherwise 0."""
        return TAG_BYTES if self.gcm and self.direction == "decrypt" else 0

    @property
    def result_tag(self) -> int:
        """Number of bytes of the tag in a result: 16 when encrypting with GCM, otherwise 0."""
        return TAG_BYTES if self.gcm and self.direction == "encrypt" else 0


@dataclass
class Counts:
    """Counters of a transfer: data bytes sent (including retransmissions), result bytes written, and number of
    retransmissions.
    """

    sent: int = 0
    received: int = 0
    retransmissions: int = 0


Watch = Callable[[Counts], float]
"Called with the counters so far; returns the longest time in seconds until its next call."


@dataclass(frozen=True)
class Job:
    """The task of a transfer: the arguments of `Session.transfer`. The docstring of that method explains them."""

    reader: Reader
    writer: Writer
    offset: int = 0
    length: int | None = None
    progress: Progress | None = None
    watch: Watch | None = None


@dataclass(frozen=True)
class TransferReport:
    """Totals of a complete transfer: bytes, records, retransmissions, wall-clock seconds."""

    bytes: int
    records: int
    retransmissions: int
    seconds: float

    @property
    def link_wall_mbps(self) -> float:
        """Data rate over the link in Mbps, by the host's clock."""
        return self.bytes * 8 / self.seconds / 1e6 if self.seconds else 0.0


class Transfer:
    """The state of one transfer; `run` performs the transfer."""

    def __init__(self, link: Link, stream: Stream, job: Job, probe: Callable[[], object]):
        """Prepare the transfer. The function `probe` raises BoardError if the session no longer exists on the board.

        Raises:
            ArgumentError: no record of this session begins at the job's offset.
        """
        record_bytes = stream.record_bytes
        self._begin = stream.begin  # offsets in records and in this class are relative to this byte
        offset = job.offset - self._begin
        if offset % record_bytes or offset < stream.first:
            raise ArgumentError(
                f"offset {self._begin + offset}: give a multiple of record_bytes, {record_bytes}, from "
                f"{self._begin + stream.first} on"
            )
        self._stream = stream
        self._codec = DataCodec(stream.number, stream.token, record_bytes, record_bytes + stream.result_tag)
        self._ask = probe
        self._clock = link.clock
        self._link = link
        self._job = job
        self._record_bytes = record_bytes
        self._request_bytes = record_bytes + stream.input_tag
        self._longer = stream.result_tag - stream.input_tag  # bytes in a result minus bytes in its request
        self._records_ahead = RecordReader(job.reader, self._request_bytes) if self._longer else None
        self._start = self._written = self._read = offset
        self._end = None if job.length is None else offset + job.length
        self._at_end = False
        self._pending: dict[int, memoryview] = {}  # maps a sent record's offset to its data until the result is written
        self._results: dict[int, bytes] = {}  # maps a received result's offset to its data, until the result is written
        self._again: deque[int] = deque()  # offsets of records to send again
        self._attempts: dict[int, int] = {}  # maps a record's offset to the number of times that the record was sent
        self._records = 0
        self._counts = Counts()

    def run(self) -> TransferReport:
        """Transfer everything; raise TransferError if that is not possible."""
        started = self._heard = self._clock.now()
        self._link.forget_round_trips()
        try:
            while True:
                self._send()
                if self._at_end and not self._pending:
                    break
                self._receive()
        except (BoardError, NoReplyError, PortError) as error:
            raise self._failure(str(error)) from error
        if self._end is not None and self._written != self._end:
            ended, expected = self._begin + self._written, self._begin + self._end
            raise self._failure(f"the input ended at byte {ended} instead of {expected}")
        count = self._written - self._start
        return TransferReport(count, self._records, self._counts.retransmissions, self._clock.now() - started)

    def _send(self) -> None:
        """Send records while the window has room. Queued repetitions go first, then new records."""
        if not self._send_again():
            return
        most = self._link.transport.run_records(HEADER.size + self._request_bytes)
        while count := min(most, self._unread(), self._link.room(self._request_bytes)):
            parts = self._read_messages(count) if self._records_ahead else self._read_records(count)
            if not parts:
                break
            offset = self._read
            offsets = range(offset, offset + self._record_bytes * len(parts), self._record_bytes)
            self._pending.update(zip(offsets, parts, strict=True))
            self._read = offsets[-1] + len(parts[-1]) - self._stream.input_tag
            self._records += len(parts)
            self._counts.sent += self._read - offset
            self._link.send_parts(self._codec, offset, parts, self._stream.address)

    def _send_again(self) -> bool:
        """Repeat the queued records; return whether all of them were sent."""
        while self._again:
            offset = self._again[0]
            data = self._pending.get(offset)
            if data is not None and offset not in self._results:
                if not self._link.room(len(data)):
                    break
                attempts = self._attempts.get(offset, 1)
                if attempts >= self._link.pace.attempts:
                    raise self._failure(f"no reply to {attempts} attempts")
                self._attempts[offset] = attempts + 1
                self._counts.retransmissions += 1
                self._counts.sent += len(data)
                kind = self._codec.kind(offset)
                record = Record(kind, self._stream.number, offset, self._stream.token, bytes(data))
                self._link.post(record, to=self._stream.address)
            self._again.popleft()
        self._link.flush()
        return not self._again

    def _unread(self) -> int:
        """Return how many more records the host is allowed to read and send before further results arrive."""
        # The board remembers only the `window` records up to the highest one received. So the host must not send a
        # record that would push an unanswered record out of this window.
        ahead = -(-(self._read - self._written) // self._record_bytes)
        return 0 if self._at_end else max(0, self._stream.window - ahead)

    def _read_records(self, count: int) -> list[memoryview]:
        """Return the data of up to `count` further records. Only the last record of the input can be short.

        If the input returns fewer bytes at a time, there are fewer records.
        """
        size = self._record_bytes
        data = self._job.reader.read(count * size)
        while not data or len(data) % size:
            piece = self._job.reader.read(size - len(data) % size) if data else b""
            if not piece:
                self._at_end = True
                break
            data += piece
        if self._read + len(data) > self._stream.length:
            raise self._failure(f"the input is longer than the {self._stream.length} bytes that were declared for it")
        whole = memoryview(data)
        return [whole[start : start + size] for start in range(0, len(data), size)]

    def _read_messages(self, count: int) -> list[memoryview]:
        """Return the data of up to `count` further records of a GCM stream; remember which record is the last one.

        Raises:
            TamperedError: the input to decrypt ends inside a record.
        """
        assert self._records_ahead
        parts = self._records_ahead.read(count)
        if self._records_ahead.at_end:
            self._at_end = True
            self._codec.last = last = self._read + (len(parts) - 1) * self._record_bytes
            if self._stream.input_tag:
                check_size(self._number(last), len(parts[-1]))
            elif last + self._begin and not parts[-1]:
                raise self._failure("the input ended before its last record")
        text = sum(map(len, parts)) - len(parts) * self._stream.input_tag
        if self._read + text > self._stream.length:
            raise self._failure(f"the input is longer than the {self._stream.length} bytes that were declared for it")
        return parts

    def _number(self, offset: int) -> int:
        """Return the number of the record at `offset`, counted from the start of the whole stream."""
        return (self._begin + offset) // self._record_bytes

    def _receive(self) -> None:
        """Wait for a reply or a time-out, then process the results that have arrived."""
        timeout = self._link.patience()
        if self._job.watch:
            timeout = min(timeout, self._job.watch(self._counts))
        taken = 0
        while taken < _BURST:
            arrivals = self._link.receive_results(self._codec, timeout)
            if arrivals is None:
                break
            self._repeat(arrivals.lost)
            new = self._take(arrivals.results)
            self._refused(arrivals.others)
            if not new:  # replies without new results must not prolong this loop
                break
            taken += new
            timeout = 0.0
        self._repeat(self._link.expire())
        if self._stream.address and self._clock.now() - self._heard > _PROBE_TIMEOUTS * self._link.timeout:
            self._probe()

    def _probe(self) -> None:
        """Ask the board whether the session still exists. If it is closed, the fast path drops its records silently."""
        # While `_ask` waits for its reply, it drops the results that arrive. So send the unanswered records again.
        self._ask()
        self._heard = self._clock.now()
        self._repeat([Key(*key) for key in self._codec.keys(self._pending)])

    def _take(self, results: list[Result]) -> int:
        """Store new results, and write the stored results that are next in order; return how many results are new."""
        pending, there = self._pending, self._results
        before = len(there)
        for offset, result in results:
            data = pending.get(offset)
            if data is None or offset in there:
                continue
            if len(result) == len(data) + self._longer:
                there[offset] = result
            else:  # wrong length: repeat the record now, because an answered record never times out
                self._repeat([Key(*key) for key in self._codec.keys((offset,))])
        new = len(there) - before
        if new:
            self._heard = self._clock.now()
            self._write()
        return new

    def _write(self) -> None:
        """Write all results that are next in order, in one call."""
        ready, end = [], self._written
        while (result := self._results.pop(end, None)) is not None:
            ready.append(result)
            del self._pending[end]
            end += len(result) - self._stream.result_tag
        if not ready:
            return
        self._job.writer.write(ready[0] if len(ready) == 1 else b"".join(ready))
        self._attempts = {offset: count for offset, count in self._attempts.items() if offset >= end}
        self._counts.received += end - self._written
        self._written = end
        if self._job.progress:
            self._job.progress(self._begin + end)

    def _refused(self, arrivals: list[Arrival]) -> None:
        """If a reply refuses a record of this transfer, raise the matching exception."""
        for key, reply in arrivals:
            if self._codec.owns(key) and key.offset in self._pending:
                try:
                    raise_refusal(reply)
                except BoardError as error:
                    if error.code == ErrorCode.TAG and self._stream.input_tag:
                        raise TamperedError.of_record(self._number(key.offset)) from error
                    raise

    def _repeat(self, keys: list[Key]) -> None:
        """Queue the records with these `keys`, to send them again before any new records."""
        for key in keys:
            mine = self._codec.owns(key) and key.offset in self._pending
            if mine and key.offset not in self._again:
                self._again.appendleft(key.offset)

    def _failure(self, reason: str) -> TransferError:
        """Return the error that names the byte ranges without a result."""
        missing: list[tuple[int, int | None]] = []
        for offset in sorted(self._pending):
            end = offset + len(self._pending[offset]) - self._stream.input_tag
            if offset in self._results:
                continue
            if missing and missing[-1][1] == offset:
                missing[-1] = (missing[-1][0], end)
            else:
                missing.append((offset, end))
        if not self._at_end or (self._end or 0) > self._read:
            if missing and missing[-1][1] == self._read:
                missing[-1] = (missing[-1][0], self._end)
            else:
                missing.append((self._read, self._end))
        begin = self._begin
        named = [(begin + start, None if end is None else begin + end) for start, end in missing]
        return TransferError(reason, named, begin + self._written, self._record_bytes)
