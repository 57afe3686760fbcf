# SPDX-License-Identifier: BSD-2-Clause
"""Sends streams through a board, and compares each byte with the result of the package `cryptography`."""

import io
import random
from typing import NamedTuple

from cipherlane.errors import CipherlaneError
from cipherlane.link.counterblocks import CounterBlocks
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


class Stream(NamedTuple):
    """Data to encrypt or decrypt on a board, with their key and their initial counter block."""

    key: bytes
    iv: bytes
    data: bytes

    def expected(self):
        """Return the data encrypted or decrypted in AES-CTR by the package `cryptography`."""
        return Cipher(algorithms.AES(self.key), modes.CTR(self.iv)).encryptor().update(self.data)

    def transfer(self, device, engine, direction="encrypt", **options):
        """Send the data through a new session, and check the result."""
        out = io.BytesIO()
        with device.open_session(self.key, self.iv, engine, direction, length=len(self.data)) as session:
            report = session.transfer(io.BytesIO(self.data), out, length=len(self.data), **options)
        assert out.getvalue() == self.expected()
        return report


class Streams:
    """Makes streams with random keys. All streams with the same key length share a key, and their ranges of counter
    blocks follow one another.

    A board remembers adjoining ranges as one. It has room for only about a hundred separate ranges.
    """

    def __init__(self):
        self._blocks = {}

    def draw(self, size, key_bits=128):
        """Return a stream of `size` bytes with counter blocks that no other stream uses."""
        blocks = self._blocks.setdefault(key_bits, CounterBlocks(key_bits))
        return Stream(blocks.key, blocks.take(size), random.Random(size).randbytes(size))


class Broken:
    """Starts a transfer, and calls the function `fault` when half of the result has arrived. This function must make
    the transfer end with an error. The method `resume` completes the transfer.
    """

    def __init__(self, device, engine, stream, fault):
        self.stream, self._fault = stream, fault
        self._out = io.BytesIO()
        self.error = None
        length = len(stream.data)
        try:
            with device.open_session(stream.key, stream.iv, engine, length=length) as session:
                self._session = session
                session.transfer(io.BytesIO(stream.data), self._out, length=length, progress=self._progress)
        except CipherlaneError as error:
            self.error = error

    @property
    def happened(self):
        """True if `fault` was called and ended the transfer with an error."""
        return self._fault is None and self.error is not None and len(self._out.getvalue()) < len(self.stream.data)

    def _progress(self, written):
        if self._fault and written >= len(self.stream.data) // 2:
            fault, self._fault = self._fault, None
            fault()

    def resume(self, device, engine):
        """Resume the transfer in a new session; return the whole result."""
        session, stream = self._session, self.stream
        begin = len(self._out.getvalue()) // session.record_bytes * session.record_bytes
        self._out.seek(begin)
        options = {"length": len(stream.data), "record_bytes": session.record_bytes, "ticket": session.ticket}
        with device.open_session(stream.key, stream.iv, engine, **options) as resumed:
            resumed.transfer(io.BytesIO(stream.data[begin:]), self._out, offset=begin, length=len(stream.data) - begin)
        return self._out.getvalue()
