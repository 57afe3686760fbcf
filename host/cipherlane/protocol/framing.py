# SPDX-License-Identifier: BSD-2-Clause
"""A frame in a byte stream: a record with its CRC-32 (little-endian), encoded with COBS, and a zero byte at the end.

Empty frames are legal and ignored. So a sender may begin with a zero byte, which ends earlier noise or an incomplete
frame.
"""

import zlib
from dataclasses import dataclass

from . import cobs

CRC_SIZE = 4
DELIMITER = b"\0"


def frame(record: bytes) -> bytes:
    """Return the frame of `record`, including its zero byte."""
    return cobs.encode(record + zlib.crc32(record).to_bytes(CRC_SIZE, "little")) + DELIMITER


def frame_size(record_size: int) -> int:
    """Return the maximum size of the frame of a record of `record_size` bytes."""
    return cobs.max_encoded_size(record_size + CRC_SIZE) + len(DELIMITER)


@dataclass
class FramingCounters:
    """Counts of a `FrameParser`: good frames, framing errors, CRC errors, and bytes in dropped frames."""

    frames: int = 0
    dropped_bytes: int = 0
    framing_errors: int = 0
    crc_errors: int = 0


class FrameParser:
    """Turns received bytes into records; accepts any input and holds at most one frame in memory."""

    def __init__(self, max_record: int):
        """Accept records of up to `max_record` bytes; longer ones count as framing errors."""
        self._limit = frame_size(max_record) - len(DELIMITER)
        self._partial = bytearray()
        self._overlong = False
        self.counters = FramingCounters()

    @property
    def pending(self) -> int:
        """Number of bytes received so far of a frame that is not complete yet."""
        return len(self._partial)

    def feed(self, data: bytes) -> list[bytes]:
        """Parse `data`, the next bytes received; return the records whose frames end in these bytes."""
        records = []
        *ended, rest = data.split(DELIMITER)
        for piece in ended:
            self._append(piece)
            record = self._end()
            if record is not None:
                records.append(record)
        self._append(rest)
        return records

    def _append(self, piece: bytes) -> None:
        if self._overlong or len(self._partial) + len(piece) > self._limit:
            self._overlong = True
            self.counters.dropped_bytes += len(self._partial) + len(piece)
            self._partial.clear()
        else:
            self._partial += piece

    def _end(self) -> bytes | None:
        encoded, overlong = bytes(self._partial), self._overlong
        self._partial.clear()
        self._overlong = False
        if not encoded and not overlong:
            return None
        try:
            payload = cobs.decode(encoded)
        except ValueError:
            payload = b""
        if len(payload) <= CRC_SIZE:
            self.counters.framing_errors += 1
            self.counters.dropped_bytes += len(encoded)
            return None
        record, crc = payload[:-CRC_SIZE], payload[-CRC_SIZE:]
        if zlib.crc32(record) != int.from_bytes(crc, "little"):
            self.counters.crc_errors += 1
            self.counters.dropped_bytes += len(encoded)
            return None
        self.counters.frames += 1
        return record
