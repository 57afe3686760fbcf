# SPDX-License-Identifier: BSD-2-Clause
"""The authenticated file: a header of 16 bytes, then records, each with a tag of AES-GCM (SP 800-38D).

A record's nonce holds the file's prefix, the record's number, and whether it is the last one. The header is the
additional data of every record. So a record that was changed, moved, or taken from another file has a wrong tag, and so
has the last record of a file that was cut off. The page `docs/reference/file-format.md` specifies every byte. This
module handles sizes, header and nonces, and cuts a stream into records; it neither encrypts nor decrypts.
"""

from dataclasses import dataclass
from typing import Protocol, Self

from cipherlane_base.wire.layout import BLOCK

from ..errors import ArgumentError, TamperedError

MAGIC = b"CLGC"
VERSION = 1
HEADER_BYTES = 16
TAG_BYTES = 16
PREFIX_BYTES = 8
# Number of plaintext bytes in a full record. Every board's buffer can hold two full records with their tags.
RECORD_BYTES = 960
MOST_RECORDS = 1 << 30
_KEY_BYTES = (16, 24, 32)


class Reader(Protocol):
    """An object from which bytes can be read."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes; at the end of the data, return no bytes."""


@dataclass(frozen=True)
class Header:
    """The file's header: key length in bytes, number of plaintext bytes in a full record, and nonce prefix."""

    key_bytes: int
    record_bytes: int
    prefix: bytes

    def encode(self) -> bytes:
        """Return the header as the 16 bytes with which the file begins."""
        blocks = self.record_bytes // BLOCK
        return MAGIC + bytes((VERSION, self.key_bytes)) + blocks.to_bytes(2, "big") + self.prefix

    @classmethod
    def decode(cls, raw: bytes, key_bytes: int, name: str) -> Self:
        """Decode the header from `raw`, the first bytes of the file `name`. The user's key has `key_bytes` bytes.

        Raises:
            ArgumentError: the file is no authenticated file, or has a newer version.
            TamperedError: the header is impossible, or belongs to a key of another length.
        """
        if raw[: len(MAGIC)] != MAGIC:
            raise ArgumentError(
                f"{name} is no authenticated file of cipherlane: if encrypt --raw wrote it, give --raw and --iv"
            )
        if len(raw) < HEADER_BYTES:
            raise TamperedError("the header", name)
        if raw[4] != VERSION:
            raise ArgumentError(f"{name} has version {raw[4]} of the format, but this tool knows {VERSION}: update it")
        blocks = int.from_bytes(raw[6:8], "big")
        if raw[5] not in _KEY_BYTES or raw[5] != key_bytes or not blocks:
            raise TamperedError("the header", name)
        return cls(raw[5], blocks * BLOCK, raw[8:])

    @classmethod
    def of_stream(cls, key: bytes, iv: bytes, record_bytes: int) -> Self:
        """Return the header for a stream encrypted with `key`; `iv` is the session's initial counter block."""
        return cls(len(key), record_bytes, iv[:PREFIX_BYTES])

    @property
    def iv(self) -> bytes:
        """The initial counter block: nonce prefix and 8 zero bytes. All counter blocks of the records are higher."""
        return self.prefix.ljust(BLOCK, b"\0")

    def block_of(self, number: int) -> bytes:
        """Return the lowest counter block of record `number`. Records with lower numbers use only lower blocks."""
        return self.nonce(number, False).ljust(BLOCK, b"\0")

    def nonce(self, number: int, last: bool) -> bytes:
        """Return the nonce of record `number`, 12 bytes; `last` tells whether the record is the file's last one."""
        if not 0 <= number < MOST_RECORDS:
            raise ArgumentError(f"record {number}: a file has at most {MOST_RECORDS} records")
        return self.prefix + (2 * number + last).to_bytes(4, "big")

    def plain_size(self, size: int) -> int:
        """Return how many plaintext bytes an authenticated file of `size` bytes contains.

        Raises:
            TamperedError: no file has this size.
        """
        count = max(1, -(-(size - HEADER_BYTES) // (self.record_bytes + TAG_BYTES)))
        last = size - HEADER_BYTES - (count - 1) * (self.record_bytes + TAG_BYTES)
        check_size(count - 1, last)
        return size - HEADER_BYTES - count * TAG_BYTES


def check_size(number: int, size: int) -> None:
    """Raise an error if record `number` is too short. `size` is the record's length in bytes, including its tag. A
    record without data is valid only as record 0, the only record of an empty file.

    Raises:
        TamperedError: the record is too short.
    """
    if size < TAG_BYTES or (size == TAG_BYTES and number > 0):
        raise TamperedError.of_record(number)


class RecordReader:
    """Cuts the bytes from `reader` into records of `size` bytes, and detects which record is the last one.

    A record is returned when something follows it, or at the end of the data. `at_end` tells whether the last record
    was returned. If there is no data at all, the only record is empty.
    """

    def __init__(self, reader: Reader, size: int):
        """Read from `reader`, which is positioned at the beginning of a record."""
        self._reader = reader
        self._size = size
        self._held = b""
        self.at_end = False

    def read(self, count: int) -> list[memoryview]:
        """Return up to `count` further records, or none after the last one. Only the last record can be short."""
        if self.at_end:
            return []
        size = self._size
        while len(self._held) <= size:
            piece = self._reader.read(count * size)
            if not piece:
                self.at_end = True
                return [memoryview(self._held)]
            self._held += piece
        end = min(count, (len(self._held) - 1) // size) * size
        whole, self._held = memoryview(self._held[:end]), self._held[end:]
        return [whole[start : start + size] for start in range(0, end, size)]
