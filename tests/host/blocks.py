# SPDX-License-Identifier: BSD-2-Clause
"""Tracks the counter blocks of the model board: which ranges are in use, and which records arrived in each range."""

import struct
import tomllib
from pathlib import Path

WIRE = tomllib.loads((Path(__file__).parents[2] / "host/cipherlane_base/wire/wire.toml").read_text())
ERRORS = {error["name"]: error["code"] for error in WIRE["error_code"]}
BLOCKS = 1 << 128  # number of different counter blocks; after the last one, the count continues with block 0


class Refusal(Exception):
    def __init__(self, name, detail=0):
        super().__init__(name)
        self.code = ERRORS[name]
        self.detail = detail


def sum_of(data):
    """Return a checksum of a record's bytes; records with the same checksum count as equal."""
    words = struct.unpack(f"<{(len(data) + 3) // 4}I", data + bytes(-len(data) % 4))
    a, b = len(data), 0
    for word in words:
        a = (a + word) % 2**32
        b = (b + a) % 2**32
    return b << 32 | a


def overlap(one, other):
    """Return whether two ranges (first block, number of blocks) share a counter block."""
    (start, count), (begin, size) = one, other
    return (begin - start) % BLOCKS < count or (start - begin) % BLOCKS < size


class Window:
    """Remembers which records have arrived, and their checksums. The window covers `size` record numbers; the last of
    them is the highest number that has arrived.
    """

    def __init__(self, size):
        self.size = size
        self.first = 0
        self.highest = -1
        self.sums = {}

    def judge(self, number, data):
        """Raise `Refusal` if the record lies outside the window, or if a record with the same number but other data
        has already arrived.
        """
        if not self.first <= number < self.first + 2 * self.size:
            raise Refusal("window", self.size)
        if self.sums.get(number, sum_of(data)) != sum_of(data):
            raise Refusal("other_data")

    def accept(self, number, data):
        self.judge(number, data)
        self.sums[number] = sum_of(data)
        self.highest = max(self.highest, number)
        self.first = max(self.first, number - self.size + 1)
        self.sums = {known: value for known, value in self.sums.items() if known >= self.first}


class Entry:
    """A range of counter blocks. While a session uses the range, `session` is set. Afterwards, a client can resume the
    range by the range's `ticket`. In GCM, `last` is the number of the last record, once this record has arrived.
    """

    def __init__(self, ticket, key, iv, record_bytes, window, gcm=False):
        self.ticket, self.key, self.iv, self.record_bytes, self.window = ticket, key, iv, record_bytes, window
        self.gcm, self.last, self.tag_errors = gcm, None, 0
        self.start = int.from_bytes(iv, "big")
        self.length = self.used = 0
        self.session = self.token = self.peer = self.request = self.opened = None
        self.bytes = self.blocks = self.records = 0

    def end(self):
        """End the session, and shrink the range to its used part. This part ends with the highest record received."""
        arrived = (self.window.highest + 1) * self.record_bytes
        self.used = max(self.used, arrived if self.gcm else min(arrived, self.length))
        self.session = None

    def range(self):
        """Return the first block of the range and the number of blocks. During a session, all declared blocks count.
        After the session, only the used blocks count.
        """
        declared = (max(self.length, 1) if self.gcm else self.length) if self.session else 0
        size = max(self.used, declared)
        return self.start, (-(-size // self.record_bytes) << 33 if self.gcm else -(-size // 16))

    def overlaps(self, other):
        """Return whether this range and the range `other` share a counter block. A GCM range also uses block 0, so it
        overlaps with any CTR range that contains block 0.
        """
        if self.gcm != other.gcm and overlap((0, 1), (other if self.gcm else self).range()):
            return True
        return overlap(self.range(), other.range())
