# SPDX-License-Identifier: BSD-2-Clause
"""Sends the pictures of a film as one stream of bytes, and finds the pictures in the stream of results."""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from ..clock import Clock
from .pictures import PER_SECOND, Film

_RUN = 1 << 17  # minimum size in bytes of the buffer with copies of one picture; `read` returns slices of this buffer


class Sample(NamedTuple):
    """A picture as it was sent to the board and as it came back. The picture begins at byte `offset` of the stream."""

    offset: int
    plaintext: bytes
    ciphertext: bytes


class Frames:
    """Reader and writer of one transfer: `read` returns pictures to encrypt, `write` takes the encrypted pictures.

    The clock decides which picture of the film is sent. It is sent repeatedly until the next one is due, so the film
    keeps its pace at any speed of the board.
    """

    def __init__(
        self,
        film: Film,
        clock: Clock,
        seconds: float,
        stopped: Callable[[], bool],
        wanted: Callable[[], bool],
        sampled: Callable[[Sample], None],
        whole: Callable[[Sample], None] = lambda _: None,
    ):
        """Send pictures of the `film` for about `seconds`.

        Args:
            film: pictures of one size.
            clock: tells which picture is due.
            seconds: time after which the stretch ends, with the picture that was begun.
            stopped: called at each read; once it returns true the stretch ends at once, even within a picture.
            wanted: called for each whole picture that came back; returns whether to show it.
            sampled: called with each picture to show.
            whole: called with each whole picture that came back, in order.
        """
        self.size = len(film[0])
        self._film, self._clock = film, clock
        self._stopped, self._wanted, self._sampled, self._whole = stopped, wanted, sampled, whole
        self._end = clock.now() + seconds
        self._due = 0.0
        self._run = b""
        self._read = 0
        # pictures sent to the board, each with the stream position of its first byte
        self._chosen: deque[tuple[int, bytes]] = deque()
        self._parts: list[bytes] = []  # received parts of the picture that is not complete yet
        self._held = 0  # bytes in `_parts`
        self.pictures = 0  # number of whole pictures that came back

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes of the film; return no bytes when the transfer should end."""
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
        """Collect `data` from the board. Call `whole` and, if wanted, `sampled` with each complete picture."""
        self._parts.append(data)
        self._held += len(data)
        if self._held < self.size:
            return
        held = b"".join(self._parts)
        for start in range(0, len(held) - self.size + 1, self.size):
            at = self.pictures * self.size
            self.pictures += 1
            sample = Sample(at, self._plaintext(at), held[start : start + self.size])
            self._whole(sample)
            if self._wanted():
                self._sampled(sample)
        self._parts = [held[len(held) // self.size * self.size :]]
        self._held = len(self._parts[0])

    def _plaintext(self, at: int) -> bytes:
        while len(self._chosen) > 1 and self._chosen[1][0] <= at:
            self._chosen.popleft()
        return self._chosen[0][1]
