# SPDX-License-Identifier: BSD-2-Clause
"""The log of records (`--log`): one line of JSON for each record sent and received, without secrets.

Keys are masked. Each token or ticket is replaced by a number; equal values get equal numbers. Data are replaced by
their length and the beginning of a SHA-256 over a salt and the data. The salt is drawn for each log and stored nowhere:
equal data are visible within one log, but nobody can test a guess.
"""

import hashlib
import json
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from cipherlane_base.wire.layout import ERROR, ERROR_TYPE, REPLIES, REPLY, REQUESTS, Layout, RecordType

from ..clock import REAL, Clock
from ..errors import ExistsError, FileError, VersionMismatchError
from ..files import private
from ..files.claims import Use, require_replaceable
from ..protocol.records import Record, decode
from .replies import printable

_MASKED = dict.fromkeys(("key", "transmit_key", "receive_key", "cak"), "masked")
_NUMBERED = ("token", "ticket")
_TEXTS = ("board", "firmware")
_DIGITS = 16  # number of hexadecimal digits that the log shows of each SHA-256 hash


class RecordLog:
    """Writes records to a file that only its owner can read. The `Device` that uses the log closes the file.

    A command that searches for its board again reopens its log, and the log continues.
    """

    def __init__(self, path: str, clock: Clock = REAL, replace: bool = False):
        """Begin a log in the file `path`; replace an existing file only if `replace` is true.

        Raises:
            FileError: the log cannot be written.
            ExistsError: the file exists and `replace` is false.
        """
        self._path, self._replace = path, replace
        self._clock = clock
        self._begun = clock.now()
        self._salt = secrets.token_bytes(16)
        self._numbers: dict[int, int] = {}
        self._begun_as: os.stat_result | None = None
        self._file: TextIO | None = None
        self.open()

    def open(self) -> None:
        """Open the log, or reopen it after it was closed.

        Raises:
            FileError: the log cannot be written, or its name now refers to another file.
        """
        if self._file is not None:
            return
        path = Path(self._path)
        try:
            number = self._new(path) if self._begun_as is None else private.open_there(path, os.O_WRONLY | os.O_APPEND)
            status = os.fstat(number)
            if self._begun_as and not os.path.samestat(status, self._begun_as):
                os.close(number)
                raise FileError(f"another file is called {path} by now: name another with --log")
        except OSError as error:
            raise FileError(f"cannot write the log {path}: {error.strerror}; name another file with --log") from error
        self._begun_as = status
        self._file = open(number, "w", encoding="ascii", buffering=1)  # noqa: SIM115

    def _new(self, path: Path) -> int:
        """Create the file, or open an existing terminal, pipe or device; return its descriptor."""
        use = Use(self._path, True, "--log")
        require_replaceable(use, self._replace)
        status = use.seen()
        if status and not stat.S_ISREG(status.st_mode):
            return os.open(path, os.O_WRONLY | private.OPEN)
        if self._replace:
            path.unlink(missing_ok=True)
        try:
            return private.create(path)
        except FileExistsError as error:
            raise ExistsError(use.name, use.remedy) from error

    def sent(self, records: Iterable[bytes]) -> None:
        """Add `records` to the log, marked as sent."""
        self._write("sent", records)

    def received(self, records: Iterable[bytes]) -> None:
        """Add `records` to the log, marked as received."""
        self._write("received", records)

    def close(self) -> None:
        """Close the log's file; closing twice is allowed."""
        file, self._file = self._file, None
        try:
            if file:
                file.close()
        except OSError as error:
            raise self._failure(error) from error

    def _write(self, direction: str, records: Iterable[bytes]) -> None:
        time = round(self._clock.now() - self._begun, 6)
        if self._file is None:
            return
        try:
            for raw in records:
                self._file.write(json.dumps({"time": time, "direction": direction, **self._described(raw)}) + "\n")
        except OSError as error:
            raise self._failure(error) from error

    def _failure(self, error: OSError) -> FileError:
        return FileError(f"cannot write the log {self._path}: {error.strerror}; make room, or name another with --log")

    def _described(self, raw: bytes) -> dict[str, Any]:
        try:
            record = decode(raw)
        except (VersionMismatchError, ValueError):
            return {"malformed": True, "length": len(raw)}
        _, session, offset, token, data = record
        name, layout = _type_of(record)
        line = {
            "type": name,
            "session": session,
            "offset": offset,
            "token": self._number(token),
            "length": len(data),
        }
        if layout is None:
            return {**line, "sha256": hashlib.sha256(self._salt + data).hexdigest()[:_DIGITS]}
        if len(data) != layout.size:
            return line
        return {**line, "fields": {name: self._shown(name, v) for name, v in layout.unpack(data)._asdict().items()}}

    def _shown(self, name: str, value: int | bytes) -> int | str:
        if name in _MASKED:
            return _MASKED[name]
        if name in _NUMBERED and isinstance(value, int):
            return self._number(value)
        if isinstance(value, bytes):
            return printable(value) if name in _TEXTS else value.hex()
        return value

    def _number(self, value: int) -> str:
        """Return the text, such as #1, that the log shows instead of the secret token or ticket `value`. Equal values
        get equal texts. The value 0 is logged as 0, because 0 means that there is no token or ticket.
        """
        return f"#{self._numbers.setdefault(value, len(self._numbers) + 1)}" if value else "0"


def _type_of(record: Record) -> tuple[str, Layout | None]:
    """Return the name of a record's type, and the layout of its data; None if no layout is defined."""
    if record.type == ERROR_TYPE:
        return "error", ERROR
    request = record.type & ~REPLY
    if request not in list(RecordType):
        return f"0x{record.type:02x}", None
    reply = bool(record.type & REPLY)
    return RecordType(request).name.lower() + (" reply" if reply else ""), (REPLIES if reply else REQUESTS).get(request)
