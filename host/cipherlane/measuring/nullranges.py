# SPDX-License-Identifier: BSD-2-Clause
"""Implements the rules for counter blocks in the null board: ranges for each key, windows and tickets. The file
`wire/README.md` specifies these rules.

A range belongs to one mode, CTR or GCM. Every GCM range also uses block 0, because the hash key is its encryption.

Repeated records are recognised by length and Python's own keyed hash, which is faster than the board's checksum.
"""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field

from cipherlane_base.wire.layout import BLOCK

RANGES = 256
KEPT = 8  # number of ended ranges that can still be resumed
WINDOW = 1024  # records
# Number of counter blocks that a GCM record reserves. The nonce of a record depends on whether the record is the
# stream's last one, so each record reserves two nonces. Each nonce takes 2^32 blocks.
GCM_BLOCKS = 1 << 33
_BLOCKS = 1 << 128


class RangeTakenError(Exception):
    """Counter blocks of the requested range were already used, or belong to an open session."""


class RangesFullError(Exception):
    """The table of ranges is full."""


class TicketError(Exception):
    """No range that can be resumed has the given ticket, key, initial counter block and record size."""


@dataclass(eq=False)
class Range:
    """A range of counter blocks that a session uses or has used. `key` is a keyed hash to identify the AES key."""

    key: bytes
    start: int
    blocks: int
    record_bytes: int
    gcm: bool = False
    ticket: int = field(default_factory=lambda: secrets.randbits(64))
    live: bool = True
    resumed: bool = False
    first: int = 0
    highest: int = -1
    last: int | None = None
    _sums: dict[int, tuple[int, int]] = field(default_factory=dict)

    def accept(self, number: int, data: bytes) -> bool:
        """Note that record `number` arrived with `data`. Return False if the record arrived before with different data.

        Raises:
            IndexError: the record lies outside the window.
        """
        if not self.first <= number < self.first + 2 * WINDOW:
            raise IndexError(number)
        known = self._sums.setdefault(number, mark := (len(data), hash(data)))
        if number > self.highest:
            self.highest = number
            while self.first <= number - WINDOW:
                self._sums.pop(self.first, None)
                self.first += 1
        return known == mark

    def knows(self, number: int, data: bytes) -> bool:
        """Return whether record `number` is new or arrived before with equal `data`. Unlike `accept`, store nothing.

        Raises:
            IndexError: the record lies outside the window.
        """
        if not self.first <= number < self.first + 2 * WINDOW:
            raise IndexError(number)
        mark = len(data), hash(data)
        return self._sums.get(number, mark) == mark

    def may_end(self, number: int, last: bool) -> bool:
        """Return whether record `number` is consistent with the records accepted so far. `last` is true if the client
        declares this record as the last record of the stream.
        """
        if self.last is None:
            return not last or number > self.highest
        return number <= self.last and last == (number == self.last)

    def overlaps(self, start: int, blocks: int, gcm: bool) -> bool:
        """Return whether this range overlaps the range of `blocks` counter blocks that begins at `start`.

        `gcm` is true if the blocks at `start` are for GCM.
        """
        if (start - self.start) % _BLOCKS < self.blocks or (self.start - start) % _BLOCKS < blocks:
            return True
        ctr = (self.start, self.blocks) if gcm else (start, blocks)
        return gcm != self.gcm and -ctr[0] % _BLOCKS < ctr[1]


class Ranges:
    """All counter-block ranges used since the null board started. Only the newest ended ranges can be resumed."""

    def __init__(self) -> None:
        """Create a table that holds no ranges yet."""
        self._secret = secrets.token_bytes(16)
        self._live: list[Range] = []
        self._kept: list[Range] = []  # ended ranges that can be resumed, the oldest first
        # Maps each pair (key identifier, is_gcm) to the used ranges: (first counter block, number of blocks).
        self._used: dict[tuple[bytes, bool], list[tuple[int, int]]] = {}

    @property
    def free(self) -> int:
        """Number of ranges that can still be added to the table."""
        fresh = sum(not live.resumed for live in self._live)
        return RANGES - fresh - sum(len(used) for used in self._used.values())

    def open(self, key: bytes, start: int, blocks: int, record_bytes: int, gcm: bool) -> Range:
        """Return a new range of `blocks` counter blocks that begins at `start`, for a session.

        Raises:
            RangeTakenError: a block was used before or belongs to a session.
            RangesFullError: the table is full.
        """
        name = self._name(key)
        if self._taken(name, start, blocks, gcm):
            raise RangeTakenError
        if not self.free:
            raise RangesFullError
        self._live.append(Range(name, start, blocks, record_bytes, gcm))
        return self._live[-1]

    def find(self, key: bytes, start: int, record_bytes: int, gcm: bool, ticket: int) -> Range | None:
        """Return the range with this ticket, key, start, record size and mode; None if there is none. The
        range can belong to an open session or to an ended session.
        """
        wanted = (ticket, self._name(key), start, record_bytes, gcm)
        ranges = (*self._live, *self._kept)
        return next((r for r in ranges if (r.ticket, r.key, r.start, r.record_bytes, r.gcm) == wanted), None)

    def resume(self, found: Range | None, blocks: int) -> Range:
        """Let a new session use the ended range `found`, which `find` returned. Extend the range to at least `blocks`
        counter blocks, and return it.

        Raises:
            RangeTakenError: a block that must be added was used before or belongs to a session.
            TicketError: the range cannot be resumed.
        """
        if found not in self._kept:
            raise TicketError
        more = max(0, blocks - found.blocks)
        if more and self._taken(found.key, found.start + found.blocks, more, found.gcm):
            raise RangeTakenError
        self._kept.remove(found)
        found.live = found.resumed = True
        found.blocks += more
        self._live.append(found)
        return found

    def close(self, range_: Range) -> None:
        """End a session's range. Release the counter blocks after the highest-numbered record that arrived."""
        self._live.remove(range_)
        range_.live = False
        each = GCM_BLOCKS if range_.gcm else range_.record_bytes // BLOCK
        range_.blocks = min(range_.blocks, (range_.highest + 1) * each)
        if range_.blocks:
            self._kept = [*self._kept[1 - KEPT :], range_]
            used = self._used.setdefault((range_.key, range_.gcm), [])
            used[:] = _merged([*used, (range_.start, range_.blocks)])

    def _name(self, key: bytes) -> bytes:
        return hashlib.blake2b(key, digest_size=8, key=self._secret).digest()

    def _taken(self, name: bytes, start: int, blocks: int, gcm: bool) -> bool:
        ended = (Range(name, *used, 0, mode) for mode in (False, True) for used in self._used.get((name, mode), ()))
        live = (each for each in self._live if each.key == name)
        return any(each.overlaps(start, blocks, gcm) for each in (*live, *ended))


def _merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join ranges that overlap or adjoin, and return all ranges. Block 0 is not joined to block 2^128 - 1."""
    merged: list[tuple[int, int]] = []
    for start, blocks in sorted((start % _BLOCKS, blocks) for start, blocks in ranges):
        if merged and start <= merged[-1][0] + merged[-1][1]:
            begin, size = merged.pop()
            merged.append((begin, max(size, start + blocks - begin)))
        else:
            merged.append((start, blocks))
    return merged
