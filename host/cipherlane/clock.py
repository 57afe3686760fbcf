"""The clock by which the host waits and measures; tests give another one, in which nothing takes time by itself."""

import time


class Clock:
    """The machine's own clock."""

    def now(self) -> float:
        """Return the time in seconds, from some beginning."""
        return time.monotonic()

    def busy(self) -> float:
        """Return the seconds that this process was running on a processor."""
        return time.process_time()


REAL = Clock()
