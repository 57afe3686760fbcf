# SPDX-License-Identifier: BSD-2-Clause
"""Fuzzes the host's parsers for data from the link: frames, records, replies. Run `python -m tests.fuzz.parsers`.

Only the exceptions that the parsers document may leave them.
"""

import sys

import atheris

with atheris.instrument_imports():
    from cipherlane.errors import ReplyError, VersionMismatchError
    from cipherlane.link import replies
    from cipherlane.protocol import cobs, records
    from cipherlane.protocol.framing import FrameParser
    from cipherlane.protocol.records import Record
    from cipherlane_base.wire.layout import REPLIES, REPLY, RecordType

MAX_RECORD = 512
CHECKED = {
    RecordType.INFO: lambda fields: replies.BoardInfo.from_reply(fields, lambda size: size),
    RecordType.FASTPATH: lambda fields: replies.FastPath.from_reply(fields, lambda size: size),
    RecordType.STAT: replies.SessionStat.from_reply,
    RecordType.BENCH: lambda fields: replies.BenchPart.from_reply(fields, 4096),
    RecordType.SELFTEST: replies.SelfTestPart.from_reply,
}


def frames(data: bytes) -> None:
    """Pass data in pieces to the frame parser. Check that the parser stores only a limited number of bytes, and that
    the records that it returns are valid.
    """
    parser = FrameParser(MAX_RECORD)
    step = 1 + data[0] % 37 if data else 1
    for start in range(0, len(data), step):
        for record in parser.feed(data[start : start + step]):
            assert 0 < len(record) <= MAX_RECORD
            records(record)
        assert parser.pending <= cobs.max_encoded_size(MAX_RECORD + 4)


def records(data: bytes) -> None:
    """Decode a record. If this succeeds, encoding the result must return the same bytes."""
    try:
        record = records.decode(data)
    except (ValueError, VersionMismatchError):
        return
    assert record.encode() == data


def reply(data: bytes) -> None:
    """Decode the fields of a reply. The decoder must refuse the reply, or return printable text."""
    kind = list(CHECKED)[data[0] % len(CHECKED)] if data else RecordType.INFO
    fields = data[1:]
    if len(data) % 8:  # pad or cut most inputs to the right length, so that they pass the length check
        fields = fields.ljust(REPLIES[kind].size, b"\1")[: REPLIES[kind].size]
    try:
        value = CHECKED[kind](replies.fields_of(Record(kind | REPLY, 1, 0, 2, fields)))
    except ReplyError as error:
        assert str(error).isprintable()
        return
    assert repr(value).isprintable()


def one_input(data: bytes) -> None:
    """Test one input; its first byte chooses the parser."""
    (frames, records, reply)[data[0] % 3 if data else 0](data[1:])


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
