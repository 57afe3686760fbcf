"""Which copies of records are in flight, how many bytes they hold, and which are known to be lost.

The board can hold `limit` bytes (its rx_window). A copy of a record counts as in flight from when it is sent until
it is answered or given up; a record sent again is one more copy. On an ordered link an answer also shows that every
copy sent before the answered one has left the board's buffer: those without an answer are lost. On a shared link a
copy is taken for lost once several that were sent later are answered (as in RFC 8985); how many, grows when an
answer comes after all. There, one answer settles every copy of its record, and the window adapts.
"""

from dataclasses import dataclass
from typing import NamedTuple

_GHOST_LIFE = 4  # time-outs for which a copy that was given up may still be answered
_FIRST_REORDERING, _MOST_REORDERING = 3, 256
_DOUBTS = 1024


class Key(NamedTuple):
    """What a reply has in common with its request."""

    type: int
    session: int
    offset: int
    token: int


@dataclass(slots=True)
class _Copy:
    """One sending of a record; a ghost was given up, but may still be answered."""

    number: int
    key: Key
    size: int
    sent: float
    timeout: float
    measured: bool
    ghost: bool = False
    overtaken: bool = False

    @property
    def end(self) -> float:
        """When it is given up; of a ghost, when it is forgotten."""
        return self.sent + self.timeout * (_GHOST_LIFE if self.ghost else 1)


class Window:
    """Bytes that may be in flight: all the board holds, or on a shared link what losses teach (AIMD, RFC 5681)."""

    _LEAST, _DECREASE = 4, 0.7  # records: so many that later answers show a loss

    def __init__(self, limit: int, adapts: bool):
        """Begin with `limit` bytes, or a few records if the window `adapts`."""
        self.bytes = limit  # that may be in flight
        self._limit = limit
        self._adapts = adapts
        self._learnt = float(limit)
        self._grows_fast = True
        self._deaf_until = 0.0

    def start(self, limit: int, size: int) -> None:
        """Allow `limit` bytes, in records of `size`."""
        self._limit = limit
        self._grows_fast = True
        self._learn(float(self._LEAST * size))

    def answered(self, size: int) -> None:
        """Grow: twofold in a round trip until the first loss, then by one record."""
        if self._learnt < self._limit:
            self._learn(self._learnt + (size if self._grows_fast else size * size / self._learnt))

    def lost(self, now: float, size: int, round_trip: float) -> None:
        """Shrink, once in a `round_trip`, to a few records of `size` at least."""
        if now >= self._deaf_until:
            self._learn(max(float(self._LEAST * size), min(self._learnt, self._limit) * self._DECREASE))
            self._grows_fast = False
            self._deaf_until = now + round_trip

    def _learn(self, learnt: float) -> None:
        self._learnt = learnt
        self.bytes = min(self._limit, int(learnt)) if self._adapts else self._limit


class Flights:
    """Accounts for copies of records in flight; knows no clock of its own."""

    def __init__(self, limit: int, ordered: bool, shared: bool = False):
        """Allow `limit` bytes in flight on a link that is `ordered` or not, `shared` or not."""
        self.window = Window(limit, adapts=shared)
        self.ordered = ordered
        self.shared = shared
        self.bytes = 0
        self.lost = 0
        self._number = self._latest = 0
        self._live: dict[int, _Copy] = {}
        self._ghosts: dict[int, _Copy] = {}
        self._of_key: dict[Key, list[_Copy]] = {}
        self._deadline = float("inf")  # nothing is to be given up or forgotten earlier
        self._reordering = _FIRST_REORDERING
        self._doubts: dict[Key, None] = {}

    def room(self, size: int) -> bool:
        """Return whether `size` more bytes may be sent; one record always may on a shared link."""
        return self.bytes + size <= self.window.bytes or (self.shared and not self._live)

    def add(self, key: Key, size: int, now: float, timeout: float, measured: bool = True) -> None:
        """Note that a record was sent; its round trip says something about the link if `measured`."""
        self._number = number = self._number + 1
        copy = self._live[number] = _Copy(number, key, size, now, timeout, measured)
        self._of_key.setdefault(key, []).append(copy)
        self.bytes += size
        if now + timeout < self._deadline:
            self._deadline = now + timeout

    def answer(self, key: Key, now: float) -> tuple[float | None, list[Key]]:
        """Note an answer; return the round trip if it is certain, and the records now known to be lost."""
        copies = self._of_key.get(key)
        if not copies:
            if key in self._doubts:  # it was late, not lost
                del self._doubts[key]
                self._reordering = min(2 * self._reordering, _MOST_REORDERING)
            return None, []
        copy = copies[0]  # the oldest: assume no more than is certain
        certain = len(copies) == 1 and copy.measured and not copy.ghost
        if self.shared:
            lost = self._settle(copies)
        else:
            overtaken = [other for other in self._all() if other.number < copy.number] if self.ordered else []
            lost = [other.key for other in overtaken if not other.ghost]
            for other in (*overtaken, copy):
                self._drop(other)
        self.lost += len(lost)
        return now - copy.sent if certain else None, lost

    def expire(self, now: float) -> list[Key]:
        """Give up the copies whose time is over; return their records."""
        if now < self._deadline:
            return []
        given_up = [copy for copy in self._live.values() if now >= copy.end]
        for copy in given_up:
            self._give_up(copy)
        for copy in [copy for copy in self._ghosts.values() if now >= copy.end]:
            self._drop(copy)
        self._deadline = min((copy.end for copy in self._all()), default=float("inf"))
        self.lost += len(given_up)
        return [copy.key for copy in given_up]

    def next_deadline(self) -> float | None:
        """Return when copies are to be looked at again; none is to be given up earlier."""
        return self._deadline if self._live else None

    def _all(self) -> list[_Copy]:
        return [*self._ghosts.values(), *self._live.values()]

    def _settle(self, copies: list[_Copy]) -> list[Key]:
        """Drop every copy of an answered record; give up those overtaken, and return their records."""
        size = copies[0].size
        if len(copies) == 1:
            self._latest = max(self._latest, copies[0].number)
        for copy in tuple(copies):
            if copy.overtaken:
                if len(self._doubts) == _DOUBTS:
                    self._doubts.clear()
                self._doubts[copy.key] = None
            self._drop(copy)
        self.window.answered(size)
        lost = []
        while self._live:
            first = next(iter(self._live.values()))
            if first.number + self._reordering > self._latest:
                break
            first.overtaken = True
            self._give_up(first)
            self._deadline = min(self._deadline, first.end)
            lost.append(first.key)
        return lost

    def _give_up(self, copy: _Copy) -> None:
        copy.ghost = True
        self.bytes -= copy.size
        del self._live[copy.number]
        self._ghosts[copy.number] = copy

    def _drop(self, copy: _Copy) -> None:
        if copy.ghost:
            del self._ghosts[copy.number]
        else:
            del self._live[copy.number]
            self.bytes -= copy.size
        copies = self._of_key[copy.key]
        copies.remove(copy)
        if not copies:
            del self._of_key[copy.key]
