# SPDX-License-Identifier: BSD-2-Clause
"""The link to a board: limits the bytes in flight, matches replies to requests, and adapts time-outs to round trips."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cipherlane_base.wire.layout import ERROR, ERROR_TYPE, HEADER, REPLY, RecordType

from ..errors import CipherlaneError, NoReplyError, VersionMismatchError
from ..protocol.datarun import DataCodec, Result, Run
from ..protocol.records import Record, decode
from ..transport.base import Address, Pace, Transport
from .flights import AnyKey, Flights, Key
from .recordlog import RecordLog

_SLICE = 0.25  # maximum time in seconds between two calls of `given_up` while the link waits


class Arrival(NamedTuple):
    """A reply, and the key of the request that it answers."""

    key: Key
    record: Record


class Arrivals(NamedTuple):
    """Replies that arrived together: results of one stream, and other replies. `lost` holds keys of lost requests."""

    results: list[Result]
    others: list[Arrival]
    lost: list[Key]


@dataclass
class LinkCounters:
    """Counters of the link: records sent, records received, received data that are no valid reply, round-trip times.

    `round_trips` are in seconds, for records that were sent only once; the last 65536 are kept.
    """

    sent: int = 0
    received: int = 0
    ignored: int = 0
    round_trips: deque[float] = field(default_factory=lambda: deque(maxlen=65536))


class Link:
    """Sends requests, limits the bytes in flight, and matches replies to requests.

    `given_up` is a function that may be set. Once it returns true, every wait ends and raises NoReplyError.
    """

    def __init__(self, transport: Transport, pace: Pace | None = None, log: RecordLog | None = None):
        """Send and receive through `transport`. `pace` replaces the transport's time-outs. `log` gets all records."""
        self.transport = transport
        self.clock = transport.clock
        self._log = log
        # Until the board reports its buffer size, assume room for one control record.
        self.flights = Flights(transport.wire_size(2 * HEADER.size), transport.ordered, transport.shared)
        self.counters = LinkCounters()
        self._outbox: list[bytes] = []
        self._outbox_to: Address | None = None
        self._inbox: deque[bytes] = deque()
        self._mean: float | None = None
        self._deviation = 0.0
        self.given_up: Callable[[], bool] = lambda: False
        # True if the board counts its Ethernet traffic. On a network, the value is true until the board refuses a
        # request for its Ethernet counters.
        self.counts_network = transport.shared
        self.set_pace(pace or transport.pace)

    def set_pace(self, pace: Pace) -> None:
        """Use the time-outs in `pace` from now on."""
        self.pace = pace
        self.timeout = pace.first if self._mean is None else self._bounded(self._mean + 4 * self._deviation)

    def set_window(self, limit: int, size: int) -> None:
        """Allow up to `limit` bytes in flight from now on, in records of `size` bytes including the header."""
        self.flights.window.start(limit, self.transport.wire_size(size))

    def forget_round_trips(self) -> None:
        """Discard the measured round trips, because the next requests differ in size or processing time."""
        self._mean = None
        self.timeout = self.pace.first

    def wire_size(self, record: Record) -> int:
        """Return the maximum number of bytes that `record` occupies in the board's receive window."""
        return self.transport.wire_size(HEADER.size + len(record.data))

    def room(self, data_bytes: int) -> int:
        """Return how many records with `data_bytes` bytes of data can be sent now."""
        return self.flights.room(self.transport.wire_size(HEADER.size + data_bytes))

    def await_room(self, record: Record) -> None:
        """Wait until there is room to send `record`; drop records that arrive during the wait.

        Raises:
            CipherlaneError: the board's window is smaller than the record.
        """
        size = self.wire_size(record)
        if not self.transport.shared and size > self.flights.window.bytes:
            raise CipherlaneError(
                f"the board's window of {self.flights.window.bytes} bytes holds no record of {size}: "
                "flash current firmware"
            )
        while not self.flights.room(size):
            self.receive(self.patience())
            self.expire()

    def send(self, record: Record, timeout: float | None = None) -> Key:
        """Send a request, for which the window must have room; the answer is due within `timeout` seconds."""
        key = self.post(record, timeout)
        self.flush()
        return key

    def post(self, record: Record, timeout: float | None = None, to: Address | None = None) -> Key:
        """Put a request into the queue that `flush` sends; the window must have room for it. The answer is due within
        `timeout` seconds.

        If `to` is given, the record goes to this other address of the board.
        """
        if to != self._outbox_to:
            self.flush()
            self._outbox_to = to
        key = Key(record.type, record.session, record.offset, record.token)
        raw = record.encode()
        size = self.transport.wire_size(len(raw))
        self.flights.add((key,), size, self.clock.now(), timeout or self.timeout, measured=timeout is None)
        self.counters.sent += 1
        self._outbox.append(raw)
        return key

    def send_parts(self, stream: DataCodec, offset: int, parts: Sequence[memoryview], to: Address | None) -> None:
        """Send consecutive `parts` of a `stream` together, each part as one record. The first part begins at byte
        `offset`. The window must have room for all records.

        All parts have one size, except that the last may be shorter. If `to` is given, they go to this other address.
        """
        self.flush()
        run = stream.encode(offset, parts)
        keys = stream.keys(range(offset, offset + stream.record_bytes * len(parts), stream.record_bytes))
        self.flights.add(keys, self.transport.wire_size(run.size), self.clock.now(), self.timeout)
        self.counters.sent += len(parts)
        self.transport.send_run(run, to)
        if self._log:
            self._log.sent(run.records())

    def flush(self) -> None:
        """Send the queued requests."""
        if self._outbox:
            records, self._outbox = self._outbox, []
            self.transport.send_many(records, self._outbox_to)
            if self._log:
                self._log.sent(records)

    def receive(self, timeout: float, strict_version: bool = False) -> Arrival | None:
        """Return the next reply to a request, or None after `timeout` seconds; ignore other records.

        Raises:
            VersionMismatchError: a record of another version arrived, and `strict_version` is set.
        """
        deadline = self.clock.now() + timeout
        while True:
            if not self._inbox:
                run = self._arrived(max(0.0, deadline - self.clock.now()))
                if run is None:
                    return None
                self._inbox.extend(run.records())
            arrival = self._decode(self._inbox.popleft(), strict_version)
            if arrival:
                self._answered((arrival.key,), len(arrival.record.data))
                return arrival
            if self.clock.now() >= deadline:
                return None

    def receive_results(self, stream: DataCodec, timeout: float) -> Arrivals | None:
        """Return replies that arrived together. The results of `stream` are in a list of their own. Return None if
        nothing arrives within `timeout` seconds.
        """
        if self._inbox:
            raw = self._inbox.popleft()
            run: Run | None = Run(raw, len(raw))
        else:
            run = self._arrived(timeout)
        if run is None:
            return None
        results, others = stream.results(run), []
        if results is None:
            results = []
            for arrival in filter(None, map(self._decode, run.records())):
                key, record = arrival
                if record.type != ERROR_TYPE and stream.owns(key):
                    results.append((key.offset, record.data))
                else:
                    others.append(arrival)
        else:
            self.counters.received += len(results)
        keys = stream.keys([offset for offset, _ in results])
        lost = self._answered((*keys, *(other.key for other in others)), stream.reply_bytes)
        return Arrivals(results, others, lost)

    def expire(self) -> list[Key]:
        """Return the keys of the requests that timed out. If there are any, double the time-out up to its maximum."""
        now = self.clock.now()
        keys = self.flights.expire(now)
        if keys:
            self.timeout = self._bounded(2 * self.timeout)
            self._shrink(now)
        return keys

    def patience(self) -> float:
        """Return the seconds until the next request times out. If none is in flight, return the minimum time-out."""
        deadline = self.flights.next_deadline()
        return self.pace.minimum if deadline is None else max(0.0, deadline - self.clock.now())

    def drain(self, quiet: float, limit: float) -> None:
        """Discard arriving data until the link is silent for `quiet` seconds, but for at most `limit` seconds."""
        deadline = self.clock.now() + limit
        before = self.transport.strays()
        self._inbox.clear()
        while (left := deadline - self.clock.now()) > 0:
            arrived = self.transport.receive(min(quiet, left)) is not None
            strays, before = self.transport.strays() - before, self.transport.strays()
            if not arrived and not strays:
                return

    def _arrived(self, timeout: float) -> Run | None:
        run = None
        while run is None:
            if self.given_up():
                raise NoReplyError("the board is no longer waited for")
            run = self.transport.receive_run(min(timeout, _SLICE), self.flights.count)
            timeout -= _SLICE
            if timeout <= 0:
                break
        if run and self._log:
            self._log.received(run.records())
        return run

    def _decode(self, raw: bytes, strict_version: bool = False) -> Arrival | None:
        """Decode the received bytes `raw` and return the reply; None if the bytes are not a valid reply."""
        self.counters.received += 1
        try:
            record = decode(raw)
            return Arrival(_request_key(record), record)
        except VersionMismatchError:
            if strict_version:
                raise
        except ValueError:
            pass
        self.counters.ignored += 1
        return None

    def _answered(self, keys: Iterable[AnyKey], data_bytes: int) -> list[Key]:
        """Process answers with up to `data_bytes` bytes of data each. Return the keys of requests found to be lost."""
        now = self.clock.now()
        round_trips, lost = self.flights.answer(keys, now)
        self.counters.round_trips.extend(round_trips)
        # records that were sent and answered together have equal round-trip times: use each time only once
        for round_trip in dict.fromkeys(round_trips):
            self._measure(round_trip)
        if lost:
            self._shrink(now, data_bytes)
        return lost

    def _shrink(self, now: float, data_bytes: int = 0) -> None:
        size = self.transport.wire_size(HEADER.size + data_bytes)
        self.flights.window.lost(now, size, self._mean or self.timeout)

    def _measure(self, round_trip: float) -> None:
        """Adapt the time-out to a round trip, as RFC 6298 does for TCP."""
        if self._mean is None:
            self._mean, self._deviation = round_trip, round_trip / 2
        else:
            self._deviation += (abs(self._mean - round_trip) - self._deviation) / 4
            self._mean += (round_trip - self._mean) / 8
        self.timeout = self._bounded(self._mean + 4 * self._deviation)

    def _bounded(self, timeout: float) -> float:
        return min(max(timeout, self.pace.minimum), self.pace.maximum)


def _request_key(record: Record) -> Key:
    """Return the key of the request that `record` answers; raise ValueError if `record` is not a reply."""
    if record.type == ERROR_TYPE:
        if len(record.data) != ERROR.size:
            raise ValueError("error record of the wrong size")
        return Key(ERROR.unpack(record.data).request, record.session, record.offset, record.token)
    if not record.type & REPLY:
        raise ValueError("not a reply")
    request = record.type & ~REPLY
    # The reply to an open request contains the new session's number; the request contains 0.
    session = 0 if request == RecordType.OPEN else record.session
    return Key(request, session, record.offset, record.token)
