# SPDX-License-Identifier: BSD-2-Clause
"""Opens the session of `encrypt` or `decrypt`: on a board, or in software. A session on a board can resume a stream."""

import argparse
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cipherlane_base.wire.layout import BLOCK, Engine

from .. import views
from ..errors import ArgumentError, FileError, ReusedError, TicketError
from ..files.authenticated import HEADER_BYTES, Header
from ..files.inputs import InputFile
from ..link import lte
from ..link.counterblocks import block_after
from ..link.device import Device
from ..link.journal import Journal, Parameters
from ..link.session import Session
from ..measuring.software import SoftwareSession
from . import common

NO_BOARD = "none"  # with this value of --port, a command works without a board


@dataclass(frozen=True)
class Stream(Parameters):
    """The parameters of a stream to encrypt or decrypt, and the known facts about its data.

    `message` is None unless the stream is an LTE message. `size`, in bytes of plaintext, is None if it is unknown.
    `header` is the header of an authenticated file to decrypt.
    """

    message: lte.Message | None = None
    size: int | None = None
    header: Header | None = None


def check_without_board(args: argparse.Namespace) -> None:
    """With `--port none`, refuse a command that needs a board.

    Raises:
        ArgumentError: the command needs one.
    """
    if args.direction != "decrypt" or args.cipher != lte.GCM:
        raise ArgumentError("--port none only decrypts authenticated files: name a board with --port")
    for option in ("engine", "verify", "log"):
        if getattr(args, option):
            raise ArgumentError(f"--{option} is about a board: leave it out, or name a board with --port")


@contextlib.contextmanager
def session_of(
    args: argparse.Namespace, stream: Stream, source: InputFile, journal: Journal | None
) -> Iterator[tuple[Any, Engine | None, bool]]:
    """Yield a session, its engine (None without a board), and whether a resumed stream must begin again at byte 0.

    If `journal` is given, the session resumes the stream that the journal describes; otherwise it is for a new stream.
    """
    if args.port == NO_BOARD:
        assert stream.header
        yield SoftwareSession(stream.key, stream.header), None, False
        return
    with common.open_device(args) as device:
        engine = common.choose_engine(device, args.engine, args.cipher)
        opener = _Opener(device, engine, stream)
        session, begins = opener.resumed(journal, source) if journal else (opener.new(), False)
        with session:
            yield session, engine, begins


class _Opener:
    """Opens a session on a board: for a new stream, or to resume a stream. `session_of` uses this class."""

    def __init__(self, device: Device, engine: Engine, stream: Stream):
        self._device, self._engine, self._stream = device, engine, stream
        self._gcm = stream.cipher == lte.GCM
        self._length = stream.size
        if stream.message and stream.size is None:
            self._length = stream.message.most

    def new(self) -> Session:
        """Open a session for a stream from its beginning."""
        header = self._stream.header
        return self._open(self._stream.iv, record_bytes=header.record_bytes if header else None)

    def resumed(self, journal: Journal, source: InputFile) -> tuple[Session, bool]:
        """Open a session that resumes the stream in `journal`. If that is impossible, open a session that restarts this
        stream at byte 0. Return the session, and whether the stream restarts.

        The board may not know that stream: it may be another board, or its power was cycled. In CTR, the session then
        gets a new range of counter blocks, which begins after the complete part. In GCM, a stream has one range, so it
        begins again, under another nonce prefix when encrypting.
        """
        if journal.ticket is not None or not self._gcm:
            try:
                return self._go_on(journal, journal.range_begin, journal.ticket), False
            except TicketError:
                if not self._gcm:
                    session = self._go_on(journal, journal.done, None)
                    journal.began_again(session.ticket)
                    return session, False
        if not source.rewind(HEADER_BYTES if self._stream.header else 0):
            raise FileError(
                "the board does not know this transfer, and a pipe cannot be read twice: delete the .part files and "
                "begin again without --resume"
            )
        if journal.done:
            views.show_warning("the board does not know this transfer: it begins again at byte 0")
        return self.new(), True

    def _go_on(self, journal: Journal, begin: int, ticket: int | None) -> Session:
        """Open a session to resume the stream in `journal`. In this session, the range of counter blocks begins with
        the block for byte `begin` of the stream.
        """
        iv = block_after(journal.iv, begin // BLOCK)
        try:
            return self._open(iv, record_bytes=journal.record_bytes, ticket=ticket, begin=begin)
        except ArgumentError as error:
            error.add_note("the transfer was begun with such records: resume with its original port and engine")
            raise

    def _open(
        self, iv: bytes | None, *, record_bytes: int | None, ticket: int | None = None, begin: int = 0
    ) -> Session:
        gcm, direction = self._gcm, self._stream.direction
        length = None if self._length is None else self._length - begin
        try:
            return self._device.open_session(
                self._stream.key,
                iv,
                self._engine,
                direction,
                length=length,
                record_bytes=record_bytes,
                ticket=ticket,
                begin=begin,
                gcm=gcm,
            )
        except ReusedError as error:
            if gcm and direction == "decrypt":
                raise ReusedError(
                    error.code,
                    error.name,
                    "it has encrypted or decrypted this file before",
                    error.detail,
                    error.request,
                    "; decrypt it with --port none, on another board, or after a power cycle",
                ) from error
            raise
        except ArgumentError as error:
            if gcm and direction == "decrypt" and ticket is None:
                error.add_note("decrypt it with --port none")
            raise
