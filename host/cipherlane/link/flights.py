# SPDX-License-Identifier: BSD-2-Clause
"""Tracks each transmission of a record (a copy): how many bytes all copies occupy in the board, and which are lost.

The board can hold `limit` bytes (its rx_window). Each transmission of a record is a copy. A copy is in flight until it
is answered or given up. On an ordered link, an answer also shows that every copy sent before the answered one has left
the board's buffer; those without an answer are lost.

A shared link may reorder records. There, a copy is assumed lost once several later copies are answered (as in RFC
8985); the number of later copies grows if the answer arrives after all. One answer settles every copy of its record,
and the window adapts to losses.
"""

from collections.abc import Iterable
from typing import NamedTuple

_GHOST_LIFE = 4  # how long to wait for a late answer, in time-outs since its record was sent
_FIRST_REORDERING, _MOST_REORDERING = 3, 256
_DOUBTS = 1024


class Key(NamedTuple):
    """The fields by which a reply is matched to its request: request and reply have equal values in these fields."""

    type: int
    session: int
    offset: int
    token: int


AnyKey = Key | tuple[int, int, int, int]


class _Flight(NamedTuple):
    """Facts about records that were sent together: bytes of one record, time of sending, time-out, and whether the
    round trips of these records are measured.
    """

    size: int
    sent: float
    timeout: float
    measured: bool

    @property
    def end(self) -> float:
        """Time at which a record without an answer counts as lost."""
        return self.sent + self.timeout

    @property
    def ghosts_end(self) -> float:
        """Time at which the wait for a late answer ends. The record has counted as lost since the time `end`."""
        return self.sent + self.timeout * _GHOST_LIFE


_Copy = tuple[AnyKey, _Flight]


class Answered(NamedTuple):
    """Results of processing answers: round-trip times in seconds, and the keys of records that are now known to be
    lost. Only a record that was sent once has a round-trip time.
    """

    round_trips: list[float]
    lost: list[Key]


class Window:
    """Maximum number of bytes in flight: the board's limit, or fewer after losses on a shared link (AIMD, RFC 5681)."""

    # The window has room for at least `_LEAST` records, because answers to several later records reveal a loss. Each
    # loss multiplies the window by `_DECREASE`.
    _LEAST, _DECREASE = 4, 0.7

    def __init__(self, limit: int, adapts: bool):
        """Allow at most `limit` bytes in flight. If `adapts` is true, the method `start` allows fewer at first."""
        self.bytes = limit  # maximum bytes in flight
        self._limit = limit
        self._adapts = adapts
        self._learnt = float(limit)
        self._grows_fast = True
        self._deaf_until = 0.0

    def start(self, limit: int, size: int) -> None:
        """Restart the window for records of `size` bytes. A window that adapts starts small and grows to `limit`."""
        self._limit = limit
        self._grows_fast = True
        self._learn(float(self._LEAST * size))

    def answered(self, size: int, total: int) -> None:
        """Enlarge the window after answers to records that together have `total` bytes.

        The window doubles in each round trip until the first loss; then it grows by one record of `size` per round
        trip.
        """
        if self._learnt < self._limit:
            self._learn(self._learnt + (total if self._grows_fast else size * total / self._learnt))

    def lost(self, now: float, size: int, round_trip: float) -> None:
        """Shrink the window after a loss, at most once per `round_trip`; keep room for `_LEAST` records."""
        if now >= self._deaf_until:
            self._learn(max(float(self._LEAST * size), min(self._learnt, self._limit) * self._DECREASE))
            self._grows_fast = False
            self._deaf_until = now + round_trip

    def _learn(self, learnt: float) -> None:
        self._learnt = learnt
        self.bytes = min(self._limit, int(learnt)) if self._adapts else self._limit


class Flights:
    """Tracks the copies in flight: each transmission of a record is one copy. Callers pass the current time."""

    def __init__(self, limit: int, ordered: bool, shared: bool = False):
        """Allow `limit` bytes in flight. `ordered` and `shared` have the same meaning as in the class `Transport`."""
        self.window = Window(limit, adapts=shared)
        self.ordered = ordered
        self.shared = shared
        self.bytes = 0
        self.lost = 0
        self._number = self._latest = 0
        self._live: dict[int, _Copy] = {}  # copies in flight; the key is the copy's number in the order of sending
        self._ghosts: dict[int, _Copy] = {}  # copies given up (counted as lost), whose answers can still arrive
        self._overtaken: set[int] = set()  # numbers of copies given up because later copies were answered
        self._of_key: dict[AnyKey, list[int]] = {}
        self._deadline = float("inf")  # no copy times out before this time
        self._reordering = _FIRST_REORDERING
        self._doubts: dict[AnyKey, None] = {}

    @property
    def count(self) -> int:
        """Number of record copies in flight."""
        return len(self._live)

    def room(self, size: int) -> int:
        """Return how many records of `size` bytes can be sent now. An idle shared link always allows at least one."""
        return max((self.window.bytes - self.bytes) // size, int(self.shared and not self._live))

    def add(self, keys: Iterable[AnyKey], size: int, now: float, timeout: float, measured: bool = True) -> None:
        """Count one record of `size` bytes in flight for each of `keys`. The records were sent together.

        Their round trips adjust the link's time-outs only if `measured` is true.
        """
        flight = _Flight(size, now, timeout, measured)
        for key in keys:
            self._number += 1
            self._live[self._number] = key, flight
            self._of_key.setdefault(key, []).append(self._number)
            self.bytes += size
        self._deadline = min(self._deadline, flight.end)

    def answer(self, keys: Iterable[AnyKey], now: float) -> Answered:
        """Process answers that arrived together at time `now`; return round-trip times and lost records."""
        answered = Answered([], [])
        live, of_key = self._live, self._of_key
        size = total = 0
        for key in keys:
            numbers = of_key.get(key)
            if not numbers:
                if key in self._doubts:  # second answer to a record: the copy counted as lost was only late
                    del self._doubts[key]
                    self._reordering = min(2 * self._reordering, _MOST_REORDERING)
                continue
            number = numbers[0]  # the answer does not tell which copy it answers: assume the oldest
            certain = len(numbers) == 1 and number in live
            size, sent, _, measured = (live.get(number) or self._ghosts[number])[1]
            total += size
            if certain and measured:
                answered.round_trips.append(now - sent)
            if not self.shared:
                answered.lost.extend(self._pass(number))
            elif not certain:
                self._settle(key, numbers)
            else:  # the usual case
                if number > self._latest:
                    self._latest = number
                self.bytes -= size
                del live[number], of_key[key]
        if total and self.shared:
            self.window.answered(size, total)
            answered.lost.extend(self._overtake())
        self.lost += len(answered.lost)
        return answered

    def expire(self, now: float) -> list[Key]:
        """Give up the copies that have timed out; return the keys of their records."""
        if now < self._deadline:
            return []
        given_up = [number for number, (_, flight) in self._live.items() if now >= flight.end]
        keys = [self._give_up(number) for number in given_up]
        for number in [number for number, (_, flight) in self._ghosts.items() if now >= flight.ghosts_end]:
            self._drop(number)
        ends = [flight.end for _, flight in self._live.values()]
        ends += [flight.ghosts_end for _, flight in self._ghosts.values()]
        self._deadline = min(ends, default=float("inf"))
        self.lost += len(keys)
        return keys

    def next_deadline(self) -> float | None:
        """Return the time at which to call `expire` next; None if nothing is in flight."""
        return self._deadline if self._live else None

    def _settle(self, key: AnyKey, numbers: list[int]) -> None:
        """Stop tracking the copies of an answered record."""
        if len(numbers) == 1:
            self._latest = max(self._latest, numbers[0])
        for number in tuple(numbers):
            if number in self._overtaken:
                if len(self._doubts) == _DOUBTS:
                    self._doubts.clear()
                self._doubts[key] = None
            self._drop(number)

    def _overtake(self) -> list[Key]:
        """Give up each copy with a number at least `_reordering` below the number of the latest answered copy.

        Return the keys of their records.
        """
        lost = []
        while self._live:
            number = next(iter(self._live))
            if number + self._reordering > self._latest:
                break
            self._overtaken.add(number)
            lost.append(self._give_up(number))
            self._deadline = min(self._deadline, self._ghosts[number][1].ghosts_end)
        return lost

    def _pass(self, answered: int) -> list[Key]:
        """Stop tracking an answered copy and, on an ordered link, all earlier copies.

        Return the keys of the records that are lost for this reason.
        """
        lost = []
        if self.ordered:
            lost = [Key._make(key) for number, (key, _) in self._live.items() if number < answered]
            for number in [number for number in (*self._ghosts, *self._live) if number < answered]:
                self._drop(number)
        self._drop(answered)
        return lost

    def _give_up(self, number: int) -> Key:
        """Give up a copy, but keep it in `_ghosts`, because its answer can still arrive; return the record's key."""
        key, flight = self._ghosts[number] = self._live.pop(number)
        self.bytes -= flight.size
        return Key._make(key)

    def _drop(self, number: int) -> None:
        copy = self._live.pop(number, None)
        if copy:
            self.bytes -= copy[1].size
        else:
            copy = self._ghosts.pop(number)
            self._overtaken.discard(number)
        numbers = self._of_key[copy[0]]
        numbers.remove(number)
        if not numbers:
            del self._of_key[copy[0]]
