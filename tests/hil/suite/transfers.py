"""Streams through a board, each byte compared with the `cryptography` package."""

import io
import random
from typing import NamedTuple

from cipherlane.counterblocks import CounterBlocks
from cipherlane.errors import CipherlaneError
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


class Stream(NamedTuple):
    """Data, and under which key and counter blocks they go through a board."""

    key: bytes
    iv: bytes
    data: bytes

    def expected(self):
        """The data in AES-CTR, encrypted or decrypted, by the independent package."""
        return Cipher(algorithms.AES(self.key), modes.CTR(self.iv)).encryptor().update(self.data)

    def transfer(self, device, engine, direction="encrypt", **options):
        """Sends it through a session of its own, and compares what comes back."""
        out = io.BytesIO()
        with device.open_session(self.key, self.iv, engine, direction, length=len(self.data)) as session:
            report = session.transfer(io.BytesIO(self.data), out, length=len(self.data), **options)
        assert out.getvalue() == self.expected()
        return report


class Streams:
    """Draws streams: a random key for each length, under which ranges of counter blocks follow each other.

    A board remembers these as one; it has room for some hundred that do not.
    """

    def __init__(self):
        self._blocks = {}

    def draw(self, size, key_bits=128):
        """`size` bytes under counter blocks that no other stream has."""
        blocks = self._blocks.setdefault(key_bits, CounterBlocks(key_bits))
        return Stream(blocks.key, blocks.take(size), random.Random(size).randbytes(size))


class Broken:
    """A transfer that `fault` breaks off when half of it is back, and what is left of it."""

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
        """Whether the fault came while the transfer was under way, and ended it."""
        return self._fault is None and self.error is not None and len(self._out.getvalue()) < len(self.stream.data)

    def _progress(self, written):
        if self._fault and written >= len(self.stream.data) // 2:
            fault, self._fault = self._fault, None
            fault()

    def resume(self, device, engine):
        """Has a new session go on where it broke off; the whole result."""
        session, stream = self._session, self.stream
        begin = len(self._out.getvalue()) // session.record_bytes * session.record_bytes
        self._out.seek(begin)
        options = {"length": len(stream.data), "record_bytes": session.record_bytes, "ticket": session.ticket}
        with device.open_session(stream.key, stream.iv, engine, **options) as resumed:
            resumed.transfer(io.BytesIO(stream.data[begin:]), self._out, offset=begin, length=len(stream.data) - begin)
        return self._out.getvalue()
