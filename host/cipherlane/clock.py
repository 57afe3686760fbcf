# SPDX-License-Identifier: BSD-2-Clause
"""A clock by which the host waits and measures. Tests replace it with a clock that advances only on request."""

import math
import select
import time
from collections.abc import Callable
from threading import Condition
from typing import Protocol


class HasDescriptor(Protocol):
    """An object with a file descriptor, such as a socket."""

    def fileno(self) -> int:
        """Return the descriptor."""


class Clock:
    """The machine's own clock."""

    def now(self) -> float:
        """Return the time in seconds since an arbitrary start."""
        return time.monotonic()

    def busy(self) -> float:
        """Return the processor time of this process in seconds."""
        return time.process_time()

    def sleep(self, seconds: float) -> None:
        """Wait for a time in seconds."""
        time.sleep(seconds)

    def wait(self, changed: Condition, holds: Callable[[], bool], timeout: float | None = None) -> None:
        """Wait until `holds()` is true, but at most `timeout` seconds (None: no limit). Code that changes the result
        of `holds` must notify `changed`.
        """
        changed.wait_for(holds, timeout)

    def readable(self, source: HasDescriptor, timeout: float) -> bool:
        """Wait until `source` can be read, at most `timeout` seconds; return whether it can be read."""
        return _ready(source, "POLLIN", timeout)

    def writable(self, sink: HasDescriptor, timeout: float) -> bool:
        """Wait until `sink` can be written, at most `timeout` seconds; return whether it can be written."""
        return _ready(sink, "POLLOUT", timeout)


def _ready(what: HasDescriptor, event: str, timeout: float) -> bool:
    """Wait at most `timeout` seconds for `event` on a descriptor. If the system lacks `poll`, use `select` instead."""
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(what, getattr(select, event))
        return bool(poll.poll(math.ceil(max(0.0, timeout) * 1000)))
    reading, writing = ([what], []) if event == "POLLIN" else ([], [what])
    return any(select.select(reading, writing, [], timeout))


REAL = Clock()
