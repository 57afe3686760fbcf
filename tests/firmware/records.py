# SPDX-License-Identifier: BSD-2-Clause
"""Build and read records as a host does. This code follows the record format, but shares no code with the host tool."""

import struct
import zlib
from dataclasses import dataclass

HEADER = struct.Struct("<BBHIQQ")
OPEN = struct.Struct("<HBBIQIIQ16s32s")
OPEN_REPLY = struct.Struct("<16sQQII")
STAT = struct.Struct("<QQQQII")
BENCH = struct.Struct("<BBHIII")
BENCH_REPLY = struct.Struct("<QQQQ")
SELFTEST_REQUEST = struct.Struct("<II")
MAC_REQUEST = struct.Struct("<II16s")
SELFTEST_REPLY = struct.Struct("<III")
COUNTERS_REPLY = struct.Struct("<IIIIII")
INFO_REPLY = struct.Struct("<IBBHIIIIIHHII16s16s16s")
ERROR_REPLY = struct.Struct("<HBBI")

CTR, GCM = range(2)
INFO, OPEN_TYPE, DATA, CLOSE, STAT_TYPE, BENCH_TYPE, SELFTEST, RESET, COUNTERS, NETWORK, FASTPATH, MAC = range(1, 13)
DATA_LAST = 0x11
REPLY, ERROR = 0x80, 0xFF
E_VERSION, E_TYPE, E_LENGTH, E_SESSION, E_OFFSET, E_KEY_BITS, E_ENGINE, E_FULL, E_REUSED, E_HARDWARE, E_VALUE = range(
    1, 12
)
E_ELSEWHERE, E_RANGES_FULL, E_RANDOM, E_TICKET, E_WINDOW, E_OTHER_DATA, E_BUSY = range(12, 19)
E_TAG = 21
RESUME, DRAW, GCM_FLAG = 1, 2, 4
VERSION = 3
WINDOW = 32  # records in firmware's window


@dataclass(frozen=True)
class Reply:
    """The fields of a reply from the board. `error` and `detail` are set only in an error reply."""

    type: int
    session: int
    offset: int
    token: int
    data: bytes
    error: int | None = None
    detail: int | None = None
    request: int | None = None


def record(type_, data=b"", *, session=0, offset=0, token=0, version=VERSION, length=None) -> bytes:
    return HEADER.pack(version, type_, len(data) if length is None else length, session, offset, token) + data


def open_data(
    key, iv, *, engine=1, direction=0, flags=0, key_bits=None, length=1 << 20, record_bytes=256, ticket=0, reserved=0
) -> bytes:
    bits = 8 * len(key) if key_bits is None else key_bits
    return OPEN.pack(bits, engine, direction, flags, length, record_bytes, reserved, ticket, iv, key)


def bench_data(engine, direction, key_bits, record_bytes, total_bytes, mode=CTR) -> bytes:
    return BENCH.pack(engine, direction, key_bits, record_bytes, total_bytes, mode)


def selftest_data(engine, mode=CTR) -> bytes:
    return SELFTEST_REQUEST.pack(engine, mode)


@dataclass(frozen=True)
class Opened:
    """The fields of the board's reply to a request that opens a session."""

    session: int
    iv: bytes
    ticket: int
    first: int
    window: int


def opened(reply: "Reply") -> Opened:
    assert reply.type == OPEN_TYPE | REPLY, f"error {reply.error}, detail {reply.detail}"
    iv, ticket, first, window, reserved = OPEN_REPLY.unpack(reply.data)
    assert reserved == 0
    return Opened(reply.session, iv, ticket, first, window)


def record_sum(data: bytes) -> int:
    """Return the checksum by which the board recognises the data of a record: two 32-bit sums in one 64-bit number."""
    a, b = len(data), 0
    for (word,) in struct.iter_unpack("<I", data + bytes(-len(data) % 4)):
        a = (a + word) % (1 << 32)
        b = (b + a) % (1 << 32)
    return b << 32 | a


def parse(reply: bytes) -> Reply:
    version, type_, length, session, offset, token = HEADER.unpack_from(reply)
    data = reply[HEADER.size :]
    assert version == VERSION
    assert length == len(data)
    assert type_ & REPLY
    if type_ != ERROR:
        return Reply(type_, session, offset, token, data)
    code, request, reserved, detail = ERROR_REPLY.unpack(data)
    assert reserved == 0
    return Reply(type_, session, offset, token, data, code, detail, request)


def cobs(data: bytes) -> bytes:
    """Encode data with COBS (Cheshire and Baker). The result does not contain the final delimiter. If the data end with
    a full block of 254 bytes, no empty block follows.
    """
    out = bytearray()
    parts = data.split(b"\0")
    for i, part in enumerate(parts):
        while len(part) > 254 or (len(part) == 254 and i < len(parts) - 1):
            out += b"\xff" + part[:254]
            part = part[254:]
        out += bytes([len(part) + 1]) + part
    return bytes(out)


def uncobs(frame: bytes) -> bytes:
    """Decode a COBS frame, which must not contain the final delimiter. This is the inverse of `cobs`."""
    out, at = bytearray(), 0
    while at < len(frame):
        code = frame[at]
        assert code > 0
        assert at + code <= len(frame)
        out += frame[at + 1 : at + code]
        at += code
        if code < 255 and at < len(frame):
            out.append(0)
    return bytes(out)


def frame(data: bytes) -> bytes:
    """Return a record as it is sent over the UART."""
    return cobs(data + struct.pack("<I", zlib.crc32(data))) + b"\0"


def unframe(stream: bytes) -> list[bytes]:
    """Return the records in bytes that the board transmitted over the UART. Each frame must be valid."""
    assert stream == b"" or stream.endswith(b"\0")
    records = []
    for part in stream.split(b"\0")[:-1]:
        data = uncobs(part)
        assert struct.unpack("<I", data[-4:])[0] == zlib.crc32(data[:-4])
        records.append(data[:-4])
    return records
