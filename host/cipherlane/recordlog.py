"""The log of records (`--log`): one line of JSON for each record sent and received, without what is secret.

Keys, tokens and tickets are masked: of a token or ticket the line has a number, the same for the same value. Of data
it has their length and the beginning of a SHA-256 over a salt and them; the salt is drawn for each log and kept
nowhere, so that equal data can be seen to be equal within one log, and a guess cannot be tried.
"""

import hashlib
import json
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from . import private
from .clock import REAL, Clock
from .errors import FileError, VersionMismatchError
from .protocol.layout import ERROR, ERROR_TYPE, REPLIES, REPLY, REQUESTS, Layout, Record, RecordType, decode
from .replies import printable

_MASKED = {"key": "masked"}
_NUMBERED = ("token", "ticket")
_TEXTS = ("board", "firmware")
_DIGITS = 16  # of the SHA-256 of data


class RecordLog:
    """Writes records to a file that its owner alone can read; a context manager is the device that uses it."""

    def __init__(self, path: str, clock: Clock = REAL):
        """Begin a log at `path`, in place of what is there.

        Raises:
            FileError: it cannot be written.
        """
        self._path = path
        self._clock = clock
        self._begun = clock.now()
        self._salt = secrets.token_bytes(16)
        self._numbers: dict[int, int] = {}
        try:
            number = private.open_there(Path(path), os.O_WRONLY | os.O_CREAT)
            if stat.S_ISREG(os.fstat(number).st_mode):  # it may have been there before
                private.chmod(number, 0o600)
                os.ftruncate(number, 0)
        except OSError as error:
            raise FileError(f"cannot write the log {path}: {error.strerror}; name another file with --log") from error
        self._file: TextIO = open(number, "w", encoding="ascii", buffering=1)  # noqa: SIM115

    def sent(self, records: Iterable[bytes]) -> None:
        """Write `records` as sent."""
        self._write("sent", records)

    def received(self, records: Iterable[bytes]) -> None:
        """Write `records` as received."""
        self._write("received", records)

    def close(self) -> None:
        """End the log; closing twice is allowed."""
        try:
            self._file.close()
        except OSError as error:
            raise self._failure(error) from error

    def _write(self, direction: str, records: Iterable[bytes]) -> None:
        time = round(self._clock.now() - self._begun, 6)
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
        """Return a name for a secret number, the same each time; 0 stands for none and is shown."""
        return f"#{self._numbers.setdefault(value, len(self._numbers) + 1)}" if value else "0"


def _type_of(record: Record) -> tuple[str, Layout | None]:
    """Return the name of a record's type, and the layout of its data: None where they are free, or unknown."""
    if record.type == ERROR_TYPE:
        return "error", ERROR
    request = record.type & ~REPLY
    if request not in list(RecordType):
        return f"0x{record.type:02x}", None
    reply = bool(record.type & REPLY)
    return RecordType(request).name.lower() + (" reply" if reply else ""), (REPLIES if reply else REQUESTS).get(request)
