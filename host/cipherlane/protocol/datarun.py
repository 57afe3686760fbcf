# SPDX-License-Identifier: BSD-2-Clause
"""A run joins consecutive data records of a stream into one byte sequence, which a link sends or receives in one call.

All records of a run have one size, except that the last may be shorter.
"""

import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from cipherlane_base.wire.layout import HEADER, REPLY, VERSION, RecordType

Result = tuple[int, bytes]  # offset of a result in the stream, and its data

_HEADER = HEADER.codec("version", "type", "length", "session", "offset", "token")
_SPLIT = "<8sQQ{}s"  # format of a record for `struct`: first 8 bytes of the header, offset, token, data


class Run(NamedTuple):
    """Consecutive records of `size` bytes each; the last can be shorter."""

    data: bytes
    size: int

    def records(self) -> list[bytes]:
        """Return the records of the run as a list."""
        if self.size >= len(self.data):
            return [self.data]
        return [self.data[start : start + self.size] for start in range(0, len(self.data), self.size)]


class DataCodec:
    """Encodes many data records of a stream at once, and decodes many replies at once.

    `record_bytes` is the distance of two records in the stream. In GCM, requests or replies are longer, because they
    contain tags, and the record at offset `last` has a type of its own. `last` is None until that record is known.
    """

    def __init__(self, session: int, token: int, record_bytes: int, reply_bytes: int | None = None):
        """Handle records that contain `session` and `token`. Each reply has `reply_bytes` bytes of data, by default
        `record_bytes`. Only the reply to the last record can be shorter.
        """
        self.session = session
        self.token = token
        self.record_bytes = record_bytes
        self.last: int | None = None
        self.reply_bytes = record_bytes if reply_bytes is None else reply_bytes
        self._size = HEADER.size + self.reply_bytes
        self._split = struct.Struct(_SPLIT.format(self.reply_bytes)).iter_unpack
        reply = _HEADER.pack(VERSION, RecordType.DATA | REPLY, self.reply_bytes, session, 0, token)
        self._begin = reply[:8]

    def kind(self, offset: int) -> RecordType:
        """Return the type of the request at `offset`: DATA_LAST for the last record of a GCM stream, else DATA."""
        return RecordType.DATA_LAST if offset == self.last else RecordType.DATA

    def encode(self, offset: int, parts: Sequence[memoryview]) -> Run:
        """Return a run of records, one for each of `parts`. The first part begins at byte `offset` of the stream."""
        session, token, pack = self.session, self.token, _HEADER.pack
        offsets = range(offset, offset + self.record_bytes * len(parts), self.record_bytes)
        kinds = [int(RecordType.DATA)] * len(parts)
        kinds[-1] = int(self.kind(offsets[-1]))
        pieces = [
            piece
            for at, part, kind in zip(offsets, parts, kinds, strict=True)
            for piece in (pack(VERSION, kind, len(part), session, at, token), part)
        ]
        return Run(b"".join(pieces), HEADER.size + len(parts[0]))

    def results(self, run: Run) -> list[Result] | None:
        """Return the results in a run of replies; None if any reply is not a full data reply of this stream."""
        if run.size != self._size or len(run.data) % run.size:
            return None
        begin, mine = self._begin, self.token
        found = self._split(run.data)
        results = [(offset, data) for head, offset, token, data in found if head == begin and token == mine]
        if self.last is not None and any(offset == self.last for offset, _ in results):
            return None  # the reply to the last record must have the type DATA_LAST, not DATA
        return results if len(results) * run.size == len(run.data) else None

    def keys(self, offsets: Iterable[int]) -> list[tuple[int, int, int, int]]:
        """Return type, session, offset and token of each request at `offsets`; these four values identify a request."""
        kind, session, token, last = int(RecordType.DATA), self.session, self.token, self.last
        if last is None:
            return [(kind, session, offset, token) for offset in offsets]
        return [(int(self.kind(offset)), session, offset, token) for offset in offsets]

    def owns(self, key: tuple[int, int, int, int]) -> bool:
        """Return whether `key` identifies a request of this stream. The method `keys` returns such keys."""
        kind, session, offset, token = key
        return (kind, session, token) == (self.kind(offset), self.session, self.token)
