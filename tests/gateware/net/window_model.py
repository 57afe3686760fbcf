# SPDX-License-Identifier: BSD-2-Clause
"""A model of the window of records in plain Python, written from its rules only."""

from dataclasses import dataclass, field

from tests.firmware.records import record_sum

RECORDS = 64


@dataclass
class Window:
    """A session's window: the sum of each received record, by record number."""

    record_blocks: int
    first: int = 0
    sums: dict[int, int] = field(default_factory=dict)

    def number(self, block: int, length: int) -> int | None:
        """Return the number of the record that begins at this block, or None if the window refuses the record."""
        number, rest = divmod(block, self.record_blocks) if self.record_blocks else (0, 1)
        if rest or length > 16 * self.record_blocks or not self.first <= number < self.first + 2 * RECORDS:
            return None
        return number

    def decide(self, block: int, data: bytes, damaged: bool = False) -> str:
        """Return the decision on a record: answered, window, other_data or damaged."""
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
