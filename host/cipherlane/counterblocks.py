"""Ranges of counter blocks: what open says of them, and those of measurements.

The latter are contiguous under one key, so that a board's table holds them as one.
"""

import secrets

from .protocol.layout import BLOCK

MOST_STREAM = 1 << 36  # bytes of a stream; declared where its length is not known


def block_after(block: bytes, count: int) -> bytes:
    """Return the counter block that comes `count` blocks after `block`, modulo 2^128."""
    return ((int.from_bytes(block, "big") + count) % (1 << 128)).to_bytes(BLOCK, "big")


class CounterBlocks:
    """A random key, and ranges under it that follow each other from a random initial counter block on."""

    def __init__(self, key_bits: int):
        """Draw a key of `key_bits`."""
        self.key = secrets.token_bytes(key_bits // 8)
        self._last = self._next = secrets.token_bytes(12) + bytes(4)

    @property
    def key_bits(self) -> int:
        """Bits of the key."""
        return len(self.key) * 8

    def take(self, size: int) -> bytes:
        """Return the initial counter block of a stream of `size` bytes, whose blocks nobody else gets."""
        self._last, self._next = self._next, block_after(self._next, -(-size // BLOCK))
        return self._last

    def give_back(self, size: int) -> None:
        """Let the next stream have the blocks behind the first `size` bytes of the last one, which used no more."""
        self._next = block_after(self._last, -(-size // BLOCK))
