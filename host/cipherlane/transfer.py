"""One transfer through a session: a window of records in flight, repeated until each has its result.

Every byte read is in exactly one record, and every record is either written or named as missing.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from .errors import ArgumentError, BoardError, NoReplyError, PortError, TransferError
from .flights import Key
from .link import Arrival, Link
from .protocol.layout import Record, RecordType
from .protocol.refusal import raise_refusal
from .transport.base import Address

Progress = Callable[[int], None]
_BURST = 256  # replies taken in a row before time-outs are looked at
_PROBE_TIMEOUTS = 3  # of silence


class Reader(Protocol):
    """Where the data come from."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes; none at the end."""


class Writer(Protocol):
    """Where the results go."""

    def write(self, data: bytes, /) -> object:
        """Take `data`, which follows what was written before."""


@dataclass(frozen=True)
class Stream:
    """The stream of a session, as `Session` describes it; `address` is where its records go, if not to the CPU."""

    number: int
    token: int
    record_bytes: int
    length: int
    begin: int
    first: int
    window: int
    address: Address | None


@dataclass(frozen=True)
class TransferReport:
    """What a complete transfer took: bytes, records, copies sent beyond one a record, wall-clock seconds."""

    bytes: int
    records: int
    retransmissions: int
    seconds: float

    @property
    def link_wall_mbps(self) -> float:
        """Data bits a second over the link, by the host's clock, in millions."""
        return self.bytes * 8 / self.seconds / 1e6 if self.seconds else 0.0


@dataclass
class _Pending:
    """A record that was read and not yet written."""

    record: Record
    attempts: int = 0
    result: bytes | None = None


class Transfer:
    """The state of one transfer; `run` carries it out."""

    def __init__(
        self,
        link: Link,
        stream: Stream,
        probe: Callable[[], object],
        reader: Reader,
        writer: Writer,
        offset: int,
        length: int | None,
        progress: Progress | None,
    ):
        """Prepare the transfer; for the arguments see `Session.transfer`.

        `probe` asks for the session, and raises BoardError if it is gone.
        """
        record_bytes = stream.record_bytes
        self._begin = stream.begin  # the wire's offsets are from there on, and so are those kept here
        offset -= self._begin
        if offset % record_bytes or offset < stream.first:
            raise ArgumentError(
                f"offset {self._begin + offset}: give a multiple of record_bytes, {record_bytes}, from "
                f"{self._begin + stream.first} on"
            )
        self._stream = stream
        self._ask = probe
        self._clock = link.clock
        self._link = link
        self._reader = reader
        self._writer = writer
        self._progress = progress
        self._record_bytes = record_bytes
        self._start = self._written = self._read = offset
        self._end = None if length is None else offset + length
        self._at_end = False
        self._pending: dict[int, _Pending] = {}
        self._to_send: deque[int] = deque()
        self._records = self._retransmissions = 0

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
        return TransferReport(count, self._records, self._retransmissions, self._clock.now() - started)

    def _send(self) -> None:
        """Send what is due while the window has room."""
        while True:
            if not self._to_send and not self._read_record():
                break
            pending = self._pending.get(self._to_send[0])
            if pending is None or pending.result is not None:
                self._to_send.popleft()
                continue
            if not self._link.room(pending.record):
                break
            if pending.attempts >= self._link.pace.attempts:
                raise self._failure(f"no reply to {pending.attempts} attempts")
            self._to_send.popleft()
            pending.attempts += 1
            self._retransmissions += pending.attempts > 1
            self._link.post(pending.record, to=self._stream.address)
        self._link.flush()

    def _read_record(self) -> bool:
        """Queue the next record of the input; return whether there is one."""
        # The board remembers the last `window` records: whatever is sent must leave those not answered among them.
        if self._at_end or self._read >= self._written + self._stream.window * self._record_bytes:
            return False
        data = self._reader.read(self._record_bytes)
        while len(data) < self._record_bytes:
            piece = self._reader.read(self._record_bytes - len(data)) if data else b""
            if not piece:
                self._at_end = True
                break
            data += piece
        if not data:
            return False
        if self._read + len(data) > self._stream.length:
            raise self._failure(f"the input is longer than the {self._stream.length} bytes that were declared for it")
        record = Record(RecordType.DATA, self._stream.number, self._read, self._stream.token, data)
        self._pending[self._read] = _Pending(record)
        self._to_send.append(self._read)
        self._read += len(data)
        self._records += 1
        return True

    def _receive(self) -> None:
        """Wait for a reply or a time-out, then take all results that have arrived."""
        timeout = self._link.patience()
        for _ in range(_BURST):
            arrival = self._link.receive(timeout)
            if arrival is None or not self._accept(arrival):  # who sends others must not keep ours from going on
                break
            timeout = 0.0
        self._repeat(self._link.expire())
        if self._stream.address and self._clock.now() - self._heard > _PROBE_TIMEOUTS * self._link.timeout:
            self._probe()

    def _probe(self) -> None:
        """Ask for a session whose records are not answered: the fast path drops those of one that is gone."""
        self._ask()  # what arrives meanwhile is lost
        self._heard = self._clock.now()
        self._repeat([self._link.key_of(pending.record) for pending in self._pending.values()])

    def _accept(self, arrival: Arrival) -> bool:
        """Take what may be a result; return whether it is one that was awaited."""
        self._repeat(arrival.lost)
        key, reply = arrival.key, arrival.record
        pending = self._pending.get(key.offset)
        if key[:2] != (RecordType.DATA, self._stream.number) or key.token != self._stream.token or pending is None:
            return False
        raise_refusal(reply)
        if pending.result is not None:
            return False
        if len(reply.data) != len(pending.record.data):
            self._repeat([key])  # it took the place of the answer, which will not come
            return False
        self._heard = self._clock.now()
        pending.result = reply.data
        while (first := self._pending.get(self._written)) is not None and first.result is not None:
            self._writer.write(first.result)
            del self._pending[self._written]
            self._written += len(first.result)
            if self._progress:
                self._progress(self._begin + self._written)
        return True

    def _repeat(self, keys: list[Key]) -> None:
        """Queue records again, before those not yet sent."""
        for key in keys:
            pending = self._pending.get(key.offset)
            mine = key.type == RecordType.DATA and key.token == self._stream.token
            if mine and pending and pending.result is None and key.offset not in self._to_send:
                self._to_send.appendleft(key.offset)

    def _failure(self, reason: str) -> TransferError:
        """Return the error that names the byte ranges without a result."""
        missing: list[tuple[int, int | None]] = []
        for offset in sorted(self._pending):
            pending = self._pending[offset]
            if pending.result is not None:
                continue
            if missing and missing[-1][1] == offset:
                missing[-1] = (missing[-1][0], offset + len(pending.record.data))
            else:
                missing.append((offset, offset + len(pending.record.data)))
        if not self._at_end or (self._end or 0) > self._read:
            if missing and missing[-1][1] == self._read:
                missing[-1] = (missing[-1][0], self._end)
            else:
                missing.append((self._read, self._end))
        begin = self._begin
        named = [(begin + start, None if end is None else begin + end) for start, end in missing]
        return TransferError(reason, named, begin + self._written, self._record_bytes)
