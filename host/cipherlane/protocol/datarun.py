# SPDX-License-Identifier: BSD-2-Clause
"""Runs: consecutive data records of one stream as one sequence of bytes, which a link sends or receives at once.

All records of a run have one size, except that the last may be shorter.
"""

import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from cipherlane_base.wire.layout import HEADER, REPLY, VERSION, RecordType

Result = tuple[int, bytes]  # a result: its offset in the stream, and its data

_HEADER = HEADER.codec("version", "type", "length", "session", "offset", "token")
_SPLIT = "<8sQQ{}s"  # a record: first 8 bytes of the header, offset, token, data


class Run(NamedTuple):
    """Consecutive records of `size` bytes each; the last may be shorter."""

    data: bytes
    size: int

    def records(self) -> list[bytes]:
        """Return the records of the run as a list."""
        if self.size >= len(self.data):
            return [self.data]
        return [self.data[start : start + self.size] for start in range(0, len(self.data), self.size)]


class DataCodec:
    """Encodes data records of a stream, and decodes their replies, many at once."""

    def __init__(self, session: int, token: int, record_bytes: int):
        """Handle records of `session` and `token` with `record_bytes` of data; the last record may be shorter."""
        self.session = session
        self.token = token
        self.record_bytes = record_bytes
        self._size = HEADER.size + record_bytes
        self._split = struct.Struct(_SPLIT.format(record_bytes)).iter_unpack
        reply = _HEADER.pack(VERSION, RecordType.DATA | REPLY, record_bytes, session, 0, token)
        self._begin = reply[:8]

    def encode(self, offset: int, parts: Sequence[memoryview]) -> Run:
        """Return the run of records for `parts`; the first part is at `offset` of the stream."""
        kind, session, token, pack = int(RecordType.DATA), self.session, self.token, _HEADER.pack
        offsets = range(offset, offset + self.record_bytes * len(parts), self.record_bytes)
        pieces = [
            piece
            for at, part in zip(offsets, parts, strict=True)
            for piece in (pack(VERSION, kind, len(part), session, at, token), part)
        ]
        return Run(b"".join(pieces), HEADER.size + len(parts[0]))

    def results(self, run: Run) -> list[Result] | None:
        """Return the results in a run of full data replies of this stream; None if the run contains other records."""
        if run.size != self._size or len(run.data) % run.size:
            return None
        begin, mine = self._begin, self.token
        found = self._split(run.data)
        results = [(offset, data) for head, offset, token, data in found if head == begin and token == mine]
        return results if len(results) * run.size == len(run.data) else None

    def keys(self, offsets: Iterable[int]) -> list[tuple[int, int, int, int]]:
        """Return type, session, offset and token of each request at `offsets`; these four values identify a request."""
        kind, session, token = int(RecordType.DATA), self.session, self.token
        return [(kind, session, offset, token) for offset in offsets]
