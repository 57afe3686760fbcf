"""The newest message of each kind for any number of browsers: who is slow misses some, and nothing is kept for them."""

import asyncio
import contextlib
from enum import IntEnum

MOST_VIEWERS = 32


class Channel(IntEnum):
    """Kinds of messages, the more urgent first."""

    STATE = 0
    PICTURE = 1
    BESIDE = 2  # the picture through the second of two engines that are compared


class Hub:
    """Takes messages from any thread; gives them to coroutines of one event loop."""

    def __init__(self) -> None:
        """Begin with none."""
        self.viewers = 0
        self._newest: dict[Channel, tuple[int, bytes]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._news = asyncio.Event()

    def put(self, channel: Channel, message: bytes) -> None:
        """Let `message` take the place of the one before it."""
        number, _ = self._newest.get(channel, (0, b""))
        self._newest[channel] = (number + 1, message)
        if self._loop:
            with contextlib.suppress(RuntimeError):  # the server has ended
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def enter(self) -> bool:
        """Count a viewer in; False if there are too many."""
        self._loop = asyncio.get_running_loop()
        if self.viewers >= MOST_VIEWERS:
            return False
        self.viewers += 1
        return True

    def leave(self) -> None:
        """Count a viewer out."""
        self.viewers -= 1

    async def next(self, seen: dict[Channel, int]) -> tuple[Channel, bytes]:
        """Return a message newer than those `seen`, which it then is; wait until there is one."""
        while True:
            news = self._news
            for channel in Channel:
                number, message = self._newest.get(channel, (0, b""))
                if number > seen.get(channel, 0):
                    seen[channel] = number
                    return channel, message
            await news.wait()
