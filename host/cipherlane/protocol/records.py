# SPDX-License-Identifier: BSD-2-Clause
"""Records: a header and data, as `wire.toml` defines them."""

from typing import NamedTuple

from cipherlane_base.wire.layout import HEADER, VERSION

from ..errors import VersionMismatchError

_HEADER = HEADER.codec("version", "type", "length", "session", "offset", "token")


class Record(NamedTuple):
    """A record: header fields and data. `type` has bit 7 set in replies."""

    type: int
    session: int = 0
    offset: int = 0
    token: int = 0
    data: bytes = b""

    def encode(self) -> bytes:
        """Return the record as bytes: header and data."""
        type_, session, offset, token, data = self
        return _HEADER.pack(VERSION, type_, len(data), session, offset, token) + data


def decode(raw: bytes) -> Record:
    """Return the record that the bytes `raw` encode.

    Raises:
        VersionMismatchError: the first byte is another version of the layout.
        ValueError: the size does not match the header or the length field.
    """
    if raw and raw[0] != VERSION:
        raise VersionMismatchError(host=VERSION, board=raw[0])
    if len(raw) < HEADER.size:
        raise ValueError(f"record of {len(raw)} bytes is shorter than its header of {HEADER.size}")
    _, type_, length, session, offset, token = _HEADER.unpack_from(raw)
    data = bytes(raw[_HEADER.size :])
    if length != len(data):
        raise ValueError(f"length field is {length}, but the record has {len(data)} bytes of data")
    return Record(type_, session, offset, token, data)
