"""The clock by which the host waits and measures; tests give another one, in which nothing takes time by itself."""

import math
import select
import time
from collections.abc import Callable
from threading import Condition
from typing import Protocol


class HasDescriptor(Protocol):
    """A socket, for instance."""

    def fileno(self) -> int:
        """Return the descriptor."""


class Clock:
    """The machine's own clock."""

    def now(self) -> float:
        """Return the time in seconds, from some beginning."""
        return time.monotonic()

    def busy(self) -> float:
        """Return the seconds that this process was running on a processor."""
        return time.process_time()

    def sleep(self, seconds: float) -> None:
        """Wait `seconds`."""
        time.sleep(seconds)

    def wait(self, changed: Condition, holds: Callable[[], bool], timeout: float | None = None) -> None:
        """Wait until `holds()` is true, which `changed` tells, `timeout` seconds at most if it is one."""
        changed.wait_for(holds, timeout)

    def readable(self, source: HasDescriptor, timeout: float) -> bool:
        """Wait until `source` can be read, `timeout` seconds at most; return whether it can."""
        return _ready(source, "POLLIN", timeout)

    def writable(self, sink: HasDescriptor, timeout: float) -> bool:
        """Wait until `sink` can be written, `timeout` seconds at most; return whether it can."""
        return _ready(sink, "POLLOUT", timeout)


def _ready(what: HasDescriptor, event: str, timeout: float) -> bool:
    """Wait for an event; where there is `poll`, the descriptor may be above those of `select`."""
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(what, getattr(select, event))
        return bool(poll.poll(math.ceil(max(0.0, timeout) * 1000)))
    reading, writing = ([what], []) if event == "POLLIN" else ([], [what])
    return any(select.select(reading, writing, [], timeout))


REAL = Clock()
