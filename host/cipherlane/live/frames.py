"""A stretch of the stream as pictures: what is read is a film, what is written gives a picture now and then."""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from ..clock import Clock
from .pictures import PER_SECOND, Film

_RUN = 1 << 17  # bytes of one picture, repeated, that are there to be read at once


class Sample(NamedTuple):
    """A picture as it went to the board and came back; byte `offset` of the stretch is its first."""

    offset: int
    plaintext: bytes
    ciphertext: bytes


class Frames:
    """Reader and writer of one transfer, which encrypts whole pictures.

    Which picture of the film is read goes by the clock, and it is read again until the next is due: so the film keeps
    its pace whatever the board's is.
    """

    def __init__(
        self,
        film: Film,
        clock: Clock,
        seconds: float,
        stopped: Callable[[], bool],
        wanted: Callable[[], bool],
        sampled: Callable[[Sample], None],
    ):
        """Read the `film` for about `seconds`.

        Args:
            film: pictures of one size.
            clock: tells which picture is due.
            seconds: after this the stretch ends with the picture that was begun.
            stopped: asked at each read; once it says so the stretch ends at once, be it within a picture.
            wanted: asked at what is written; while it says so, the next whole picture is taken.
            sampled: called with each picture that was taken.
        """
        self.size = len(film[0])
        self._film, self._clock = film, clock
        self._stopped, self._wanted, self._sampled = stopped, wanted, sampled
        self._end = clock.now() + seconds
        self._due = 0.0
        self._run = b""
        self._read = self._written = 0
        self._chosen: deque[tuple[int, bytes]] = deque()  # from which byte on which picture was read
        self._taken: bytearray | None = None
        self._at = 0

    @property
    def pictures(self) -> int:
        """Whole pictures that came back."""
        return self._written // self.size

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes of the film; none at the stretch's end."""
        if self._stopped():
            return b""
        now, phase = self._clock.now(), self._read % self.size
        if not phase:
            if now >= self._end:
                return b""
            if now >= self._due:
                self._choose(now)
        elif now >= min(self._due, self._end):
            size = min(size, self.size - phase)
        data = self._run[phase : phase + size]
        self._read += len(data)
        return data

    def _choose(self, now: float) -> None:
        number = int(now * PER_SECOND)
        self._due = (number + 1) / PER_SECOND
        picture = self._film[number % len(self._film)]
        self._run = picture * (_RUN // self.size + 2)
        self._chosen.append((self._read, picture))

    def write(self, data: bytes, /) -> None:
        """Take what came back."""
        start = self._written
        self._written += len(data)
        if self._taken is None:
            at = -(-start // self.size) * self.size
            if at >= self._written or not self._wanted():
                return
            self._taken, self._at = bytearray(), at
            data = data[at - start :]
        self._taken += data[: self.size - len(self._taken)]
        if len(self._taken) == self.size:
            ciphertext, self._taken = bytes(self._taken), None
            self._sampled(Sample(self._at, self._plaintext(), ciphertext))

    def _plaintext(self) -> bytes:
        while len(self._chosen) > 1 and self._chosen[1][0] <= self._at:
            self._chosen.popleft()
        return self._chosen[0][1]
