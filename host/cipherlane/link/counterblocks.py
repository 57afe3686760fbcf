# SPDX-License-Identifier: BSD-2-Clause
"""Adds numbers to counter blocks, and reserves the ranges of counter blocks that measurements use.

The ranges of measurements are contiguous under one key, so that the board's table holds them as one range.
"""

import secrets

from cipherlane_base.wire.layout import BLOCK

MOST_STREAM = 1 << 36  # maximum bytes of a stream; the host declares this length if the true length is unknown


def block_after(block: bytes, count: int) -> bytes:
    """Return the counter block that is `count` blocks after `block`, modulo 2^128."""
    return ((int.from_bytes(block, "big") + count) % (1 << 128)).to_bytes(BLOCK, "big")


class CounterBlocks:
    """A random key, and successive ranges of counter blocks for this key. The first range starts at a random block."""

    def __init__(self, key_bits: int):
        """Draw a random key of `key_bits` bits."""
        self.key = secrets.token_bytes(key_bits // 8)
        self._last = self._next = secrets.token_bytes(12) + bytes(4)

    @property
    def key_bits(self) -> int:
        """Length of the key in bits."""
        return len(self.key) * 8

    def take(self, size: int) -> bytes:
        """Reserve counter blocks for a stream of `size` bytes. Return the first block, which is the stream's IV."""
        self._last, self._next = self._next, block_after(self._next, -(-size // BLOCK))
        return self._last

    def give_back(self, size: int) -> None:
        """Release the reserved blocks that the last stream did not use, given its true `size` in bytes. The next stream
        starts with the first released block.
        """
        self._next = block_after(self._last, -(-size // BLOCK))
