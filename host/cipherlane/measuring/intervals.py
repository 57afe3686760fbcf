# SPDX-License-Identifier: BSD-2-Clause
"""Measures the traffic of a link in successive intervals, by the host's clock."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..clock import REAL, Clock
from ..link.transfer import Counts


@dataclass(frozen=True)
class Interval:
    """The traffic of an interval. `start` and `end` are in seconds since the stream began.

    All counts are of data bytes. `sent_bytes` includes records sent again, which `retransmissions` counts;
    `received_bytes` counts each result once.
    """

    start: float
    end: float
    sent_bytes: int
    received_bytes: int
    retransmissions: int

    @property
    def sent_mbps(self) -> float:
        """Rate of data sent, in millions of bits a second."""
        return self._mbps(self.sent_bytes)

    @property
    def received_mbps(self) -> float:
        """Rate of data received, in millions of bits a second."""
        return self._mbps(self.received_bytes)

    def record(self) -> dict[str, Any]:
        """Return the interval as a dictionary for JSON."""
        record = asdict(self) | {"sent_mbps": self.sent_mbps, "received_mbps": self.received_mbps}
        return {name: round(value, 5) for name, value in record.items()}

    def _mbps(self, count: int) -> float:
        return count * 8 / (self.end - self.start) / 1e6 if self.end > self.start else 0.0


class Intervals:
    """Divides one stream into intervals of equal length and reports the traffic of each."""

    def __init__(self, seconds: float, show: Callable[[Interval], None], clock: Clock = REAL):
        """Divide the stream into intervals of `seconds`, timed by `clock`. Call `show` at the end of each interval."""
        self.found: list[Interval] = []
        self._clock = clock
        self._seconds = seconds
        self._show = show
        self.begin()

    def begin(self) -> None:
        """Start the first interval now."""
        self._begun = self._looked = self._clock.now()
        self._due = self._begun + self._seconds
        self._now, self._before = Counts(), Counts()

    def watch(self, counts: Counts) -> float:
        """Store the current `counts` of the stream. Return the seconds until the current interval ends."""
        self._now = counts
        now = self._clock.now()
        if now >= self._due:
            self._look(now)
            while self._due <= now:  # several intervals can end while the process is paused
                self._due += self._seconds
        return self._due - now

    def finish(self) -> None:
        """End the measurement, and show the traffic since the end of the last interval."""
        if self._now != self._before:
            self._look(self._clock.now())

    @property
    def total(self) -> Interval:
        """Return the traffic of the whole stream."""
        return self._passed(self._begun, self._looked, Counts())

    def _look(self, now: float) -> None:
        self.found.append(self._passed(self._looked, now, self._before))
        self._looked, self._before = now, replace(self._now)
        self._show(self.found[-1])

    def _passed(self, start: float, end: float, before: Counts) -> Interval:
        now = self._now
        return Interval(
            start - self._begun,
            end - self._begun,
            now.sent - before.sent,
            now.received - before.received,
            now.retransmissions - before.retransmissions,
        )
