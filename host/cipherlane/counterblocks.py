"""Ranges of counter blocks: arithmetic on blocks, and the ranges that measurements use.

The ranges of measurements are contiguous under one key, so that the board's table holds them as one range.
"""

import secrets

from .protocol.layout import BLOCK

MOST_STREAM = 1 << 36  # longest stream in bytes; declared if the length is unknown


def block_after(block: bytes, count: int) -> bytes:
    """Return the counter block that is `count` blocks after `block`, modulo 2^128."""
    return ((int.from_bytes(block, "big") + count) % (1 << 128)).to_bytes(BLOCK, "big")


class CounterBlocks:
    """A random key, and successive ranges under it that start at a random initial counter block."""

    def __init__(self, key_bits: int):
        """Draw a key of `key_bits`."""
        self.key = secrets.token_bytes(key_bits // 8)
        self._last = self._next = secrets.token_bytes(12) + bytes(4)

    @property
    def key_bits(self) -> int:
        """Bits of the key."""
        return len(self.key) * 8

    def take(self, size: int) -> bytes:
        """Return the initial counter block of a stream of `size` bytes and reserve its blocks."""
        self._last, self._next = self._next, block_after(self._next, -(-size // BLOCK))
        return self._last

    def give_back(self, size: int) -> None:
        """Release the last stream's blocks after its first `size` bytes, which are all it used, for the next stream."""
        self._next = block_after(self._last, -(-size // BLOCK))
