# SPDX-License-Identifier: BSD-2-Clause
"""Decrypts an authenticated file on this machine, without a board, by the package `cryptography`."""

import time
from typing import Any

from ..files.authenticated import TAG_BYTES, Header, RecordReader
from ..link.transfer import Progress, Reader, TransferReport, Writer
from .oracle import Gcm

_AT_ONCE = 64  # records to read in one call


class SoftwareSession:
    """Replaces `link.session.Session` when a file is decrypted without a board."""

    ticket = None
    first = 0

    def __init__(self, key: bytes, header: Header):
        """Decrypt the file with this `header`.

        Raises:
            VerifyError: the package is not installed.
        """
        self._gcm = Gcm(key, header)
        self.iv = header.iv
        self.record_bytes = header.record_bytes

    def transfer(
        self, reader: Reader, writer: Writer, *, offset: int = 0, progress: Progress | None = None, **_: Any
    ) -> TransferReport:
        """Read records from `reader`, check each record's tag, and write its plaintext.

        The first record is at byte `offset` of the plaintext.

        Raises:
            TamperedError: a tag is wrong; nothing of this record was written.
        """
        started, done = time.monotonic(), offset
        number = first = offset // self.record_bytes
        records = RecordReader(reader, self.record_bytes + TAG_BYTES)
        while parts := records.read(_AT_ONCE):
            for part in parts:
                plain = self._gcm.decrypted(number, part, records.at_end)
                writer.write(plain)
                done += len(plain)
                number += 1
            if progress:
                progress(done)
        return TransferReport(done - offset, number - first, 0, time.monotonic() - started)
