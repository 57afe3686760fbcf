# SPDX-License-Identifier: BSD-2-Clause
"""Holds the newest message of each kind for any number of browsers. Slow browsers miss messages: there is no queue."""

import asyncio
import contextlib
from enum import IntEnum

MOST_VIEWERS = 32


class Channel(IntEnum):
    """Kinds of messages, the most urgent first."""

    STATE = 0
    PICTURE = 1
    BESIDE = 2  # the picture of the second engine, if two engines are compared


class Hub:
    """Takes messages from any thread, and delivers them to coroutines of one event loop."""

    def __init__(self) -> None:
        """Create a hub that holds no messages yet."""
        self.viewers = 0
        self._newest: dict[Channel, tuple[int, bytes]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._news = asyncio.Event()

    def put(self, channel: Channel, message: bytes) -> None:
        """Make `message` the newest message of its kind, `channel`."""
        number, _ = self._newest.get(channel, (0, b""))
        self._newest[channel] = (number + 1, message)
        if self._loop:
            with contextlib.suppress(RuntimeError):  # raised if the server has ended and closed the event loop
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def enter(self) -> bool:
        """Register a viewer; return False if the maximum number of viewers is reached."""
        self._loop = asyncio.get_running_loop()
        if self.viewers >= MOST_VIEWERS:
            return False
        self.viewers += 1
        return True

    def leave(self) -> None:
        """Reduce the number of viewers by 1: a viewer has left."""
        self.viewers -= 1

    async def next(self, seen: dict[Channel, int]) -> tuple[Channel, bytes]:
        """Wait for a message newer than those in `seen`; return it and mark it as seen."""
        while True:
            news = self._news
            for channel in Channel:
                number, message = self._newest.get(channel, (0, b""))
                if number > seen.get(channel, 0):
                    seen[channel] = number
                    return channel, message
            await news.wait()
