# SPDX-License-Identifier: BSD-2-Clause
"""A model of the record window in plain Python, written from the window's rules and not from the hardware."""

from dataclasses import dataclass, field

from tests.firmware.records import record_sum

RECORDS = 64


@dataclass
class Window:
    """The record window of a session. `sums` maps the number of each received record to the sum of its data."""

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
        """Return the decision on a record: `answered`, `window` (outside the window), `other_data` (repeated with other
        data) or `damaged`.
        """
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
