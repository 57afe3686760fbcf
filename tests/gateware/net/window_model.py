"""The window of records in plain Python, from its rules alone."""

import struct
from dataclasses import dataclass, field

RECORDS = 64


def record_sum(data: bytes) -> int:
    """Sum of a record's data: b << 32 | a of a = n, b = 0 and, for each little-endian word w, a += w, b += a."""
    low, high = len(data), 0
    for (word,) in struct.iter_unpack("<I", data + bytes(-len(data) % 4)):
        low = (low + word) % 2**32
        high = (high + low) % 2**32
    return high << 32 | low


@dataclass
class Window:
    """A session's window: what came of its records, by number."""

    record_blocks: int
    first: int = 0
    sums: dict[int, int] = field(default_factory=dict)

    def number(self, block: int, length: int) -> int | None:
        """Number of the record at a block, or None if it may not come."""
        number, rest = divmod(block, self.record_blocks) if self.record_blocks else (0, 1)
        if rest or length > 16 * self.record_blocks or not self.first <= number < self.first + 2 * RECORDS:
            return None
        return number

    def decide(self, block: int, data: bytes, damaged: bool = False) -> str:
        """What becomes of a record: answered, window, other_data or damaged."""
        number = self.number(block, len(data))
        if number is None:
            return "window"
        if damaged:
            return "damaged"
        if self.sums.setdefault(number, record_sum(data)) != record_sum(data):
            return "other_data"
        self.first = max(self.first, number - RECORDS + 1)
        self.sums = {each: kept for each, kept in self.sums.items() if each >= self.first}
        return "answered"
