"""The link to a board: which records are in flight, how many bytes they hold, and when to stop waiting for them.

The board can hold `limit` bytes (its rx_window). A copy of a record counts as in flight from when it is sent until
it is answered or given up; a record sent again is one more copy. On an ordered link an answer also shows that every
copy sent before the answered one has left the board's buffer: those without an answer are lost.
"""

import time
from dataclasses import dataclass
from typing import NamedTuple

from .errors import CipherlaneError, VersionMismatchError
from .protocol.layout import ERROR, ERROR_TYPE, REPLY, Record, RecordType, decode
from .transport.base import Pace, Transport

INITIAL_LIMIT = 64  # bytes in flight until the board has said what it can hold: one control record
_GHOST_LIFE = 4  # time-outs for which a copy that was given up may still be answered


class Key(NamedTuple):
    """What a reply has in common with its request."""

    type: int
    session: int
    offset: int
    token: int


class Arrival(NamedTuple):
    """A reply, the request it answers, and the requests now known to be lost."""

    key: Key
    record: Record
    lost: list[Key]


@dataclass
class _Copy:
    """One sending of a record; a ghost was given up, but may still be answered."""

    key: Key
    size: int
    sent: float
    timeout: float
    measured: bool
    ghost: bool = False


class Flights:
    """Accounts for copies of records in flight; knows no clock of its own."""

    def __init__(self, limit: int, ordered: bool):
        """Allow `limit` bytes in flight on a link that is `ordered` or not."""
        self.limit = limit
        self.ordered = ordered
        self.bytes = 0
        self._copies: list[_Copy] = []

    def room(self, size: int) -> bool:
        """Return whether `size` more bytes may be sent."""
        return self.bytes + size <= self.limit

    def add(self, key: Key, size: int, now: float, timeout: float, measured: bool = True) -> None:
        """Note that a record was sent; its round trip says something about the link if `measured`."""
        self._copies.append(_Copy(key, size, now, timeout, measured))
        self.bytes += size

    def answer(self, key: Key, now: float) -> tuple[float | None, list[Key]]:
        """Note an answer; return the round trip if it is certain, and the records now known to be lost."""
        copies = [index for index, copy in enumerate(self._copies) if copy.key == key]
        if not copies:
            return None, []
        copy = self._copies[copies[0]]  # the oldest: assume no more than is certain
        certain = len(copies) == 1 and copy.measured and not copy.ghost
        overtaken = self._copies[: copies[0]] if self.ordered else []
        self._drop([*overtaken, copy])
        return now - copy.sent if certain else None, [other.key for other in overtaken if not other.ghost]

    def expire(self, now: float) -> list[Key]:
        """Give up the copies whose time is over; return their records."""
        given_up = [copy for copy in self._copies if not copy.ghost and now >= copy.sent + copy.timeout]
        for copy in given_up:
            copy.ghost = True
            self.bytes -= copy.size
        self._drop([copy for copy in self._copies if copy.ghost and now >= copy.sent + _GHOST_LIFE * copy.timeout])
        return [copy.key for copy in given_up]

    def next_deadline(self) -> float | None:
        """Return when the next copy is to be given up."""
        return min((copy.sent + copy.timeout for copy in self._copies if not copy.ghost), default=None)

    def _drop(self, copies: list[_Copy]) -> None:
        self.bytes -= sum(copy.size for copy in copies if not copy.ghost)
        gone = {id(copy) for copy in copies}
        self._copies = [copy for copy in self._copies if id(copy) not in gone]


@dataclass
class LinkCounters:
    """What the link has seen: records sent and received, and those received that answered nothing."""

    sent: int = 0
    received: int = 0
    ignored: int = 0


class Link:
    """Sends requests within the window and matches replies to them."""

    def __init__(self, transport: Transport, pace: Pace | None = None):
        """Use `transport`; `pace` overrides the transport's time-outs."""
        self.transport = transport
        self.flights = Flights(INITIAL_LIMIT, transport.ordered)
        self.counters = LinkCounters()
        self._mean: float | None = None
        self._deviation = 0.0
        self.set_pace(pace or transport.pace)

    def set_pace(self, pace: Pace) -> None:
        """Use the time-outs of `pace` from now on."""
        self.pace = pace
        self.timeout = pace.first if self._mean is None else self._bounded(self._mean + 4 * self._deviation)

    def wire_size(self, record: Record) -> int:
        """Return the most bytes that `record` takes on the link."""
        return self.transport.wire_size(len(record.encode()))

    def room(self, record: Record) -> bool:
        """Return whether `record` may be sent now."""
        return self.flights.room(self.wire_size(record))

    def await_room(self, record: Record) -> None:
        """Wait until `record` may be sent; what arrives meanwhile is dropped.

        Raises:
            CipherlaneError: the board's window is smaller than the record.
        """
        size = self.wire_size(record)
        if size > self.flights.limit:
            raise CipherlaneError(
                f"the board's window of {self.flights.limit} bytes holds no record of {size}: flash current firmware"
            )
        while not self.flights.room(size):
            self.receive(self.patience())
            self.expire()

    def send(self, record: Record, timeout: float | None = None) -> Key:
        """Send a request, for which there must be room; wait for its answer `timeout` seconds at most."""
        key = Key(record.type, record.session, record.offset, record.token)
        raw = record.encode()
        size = self.transport.wire_size(len(raw))
        self.flights.add(key, size, time.monotonic(), timeout or self.timeout, measured=timeout is None)
        self.counters.sent += 1
        self.transport.send(raw)
        return key

    def receive(self, timeout: float, strict_version: bool = False) -> Arrival | None:
        """Return the next reply to a request, or None after `timeout` seconds; ignore everything else.

        Raises:
            VersionMismatchError: with `strict_version`, a record of another version came.
        """
        deadline = time.monotonic() + timeout
        while True:
            raw = self.transport.receive(max(0.0, deadline - time.monotonic()))
            if raw is None:
                return None
            self.counters.received += 1
            try:
                record = decode(raw)
                key = _request_key(record)
            except VersionMismatchError:
                if strict_version:
                    raise
                key = None
            except ValueError:
                key = None
            if key is None:
                self.counters.ignored += 1
                if time.monotonic() >= deadline:
                    return None
                continue
            round_trip, lost = self.flights.answer(key, time.monotonic())
            if round_trip is not None:
                self._measure(round_trip)
            return Arrival(key, record, lost)

    def expire(self) -> list[Key]:
        """Return the requests whose time is over, and be more patient from now on if there are any."""
        keys = self.flights.expire(time.monotonic())
        if keys:
            self.timeout = self._bounded(2 * self.timeout)
        return keys

    def patience(self) -> float:
        """Return the seconds until the next request is given up; a short time if none is in flight."""
        deadline = self.flights.next_deadline()
        return self.pace.minimum if deadline is None else max(0.0, deadline - time.monotonic())

    def drain(self, quiet: float, limit: float) -> None:
        """Discard what arrives until nothing did for `quiet` seconds, `limit` seconds at most."""
        deadline = time.monotonic() + limit
        before = self.transport.strays()
        while time.monotonic() < deadline:
            arrived = self.transport.receive(quiet) is not None
            strays, before = self.transport.strays() - before, self.transport.strays()
            if not arrived and not strays:
                return

    def _measure(self, round_trip: float) -> None:
        """Follow the round trips as RFC 6298 does for TCP."""
        if self._mean is None:
            self._mean, self._deviation = round_trip, round_trip / 2
        else:
            self._deviation += (abs(self._mean - round_trip) - self._deviation) / 4
            self._mean += (round_trip - self._mean) / 8
        self.timeout = self._bounded(self._mean + 4 * self._deviation)

    def _bounded(self, timeout: float) -> float:
        return min(max(timeout, self.pace.minimum), self.pace.maximum)


def _request_key(record: Record) -> Key:
    """Return the key of the request that `record` answers; ValueError if it is no reply."""
    if record.type == ERROR_TYPE:
        if len(record.data) != ERROR.size:
            raise ValueError("error record of the wrong size")
        return Key(ERROR.unpack(record.data).request, record.session, record.offset, record.token)
    if not record.type & REPLY:
        raise ValueError("not a reply")
    request = record.type & ~REPLY
    session = 0 if request == RecordType.OPEN else record.session  # the reply to open brings a new number
    return Key(request, session, record.offset, record.token)
