# SPDX-License-Identifier: BSD-2-Clause
"""The input of a command: a file or standard input. Its true size can differ from the size that the system reports."""

import errno
import os
import stat
import sys
from types import TracebackType
from typing import Self

from ..errors import FileError
from .claims import STANDARD

_REMEDIES = {
    errno.ENOSPC: ": make room on the disk",
    errno.EDQUOT: ": your quota is used up, make room",
    errno.EIO: ": the disk is failing, check it",
    errno.ENAMETOOLONG: ": give a shorter name",
}
_LOOKED_AT = 1 << 16  # maximum number of bytes read from a file to learn its size


def trouble(verb: str, name: object, error: OSError) -> FileError:
    """Return an error for a failed operation on the file `name`; `verb` names the operation, for example "read". The
    message gives the reason and, if known, a remedy.
    """
    return FileError(f"cannot {verb} {name}: {error.strerror}{_REMEDIES.get(error.errno or 0, '')}")


class InputFile:
    """The input of a command: a file, or standard input if the name is `-`. Use it as a context manager.

    `size` is the number of bytes, or None if it is unknown: for pipes, and for kernel files that report a size of 0.
    If a file grows while it is read, only its first `size` bytes are returned.
    """

    def __init__(self, name: str):
        """Open the file `name`, or standard input if `name` is `-`.

        Raises:
            FileError: it cannot be read.
        """
        self.name = name
        if name != STANDARD and os.path.isdir(name):
            raise FileError(f"cannot read {name}: it is a directory, name a file")
        self._begin = b""  # bytes that were read to learn the size; `read` returns them first
        self._most, self._too_long = sys.maxsize, ""
        self._broken = ""
        self._done = 0
        try:
            self._file = open(sys.stdin.fileno() if name == STANDARD else name, "rb", closefd=name != STANDARD)  # noqa: SIM115
            self.status = os.fstat(self._file.fileno())
        except OSError as error:
            raise trouble("read", name, error) from error
        regular = stat.S_ISREG(self.status.st_mode) and name != STANDARD
        self.size: int | None = self.status.st_size if regular else None
        if self.size is not None and self.size <= _LOOKED_AT:
            try:
                self._look(self.size)
            except BaseException:
                self._file.close()
                raise

    def _look(self, said: int) -> None:
        """Read a short input to find its true size. The system's size `said` is wrong for files in /proc and /sys."""
        data = self._read(_LOOKED_AT) if not said else b""
        while len(data) < said and (piece := self._read(said - len(data))):
            data += piece
        self._begin = data
        self.size = None if data and not said else len(data)

    @property
    def identity(self) -> dict[str, int] | None:
        """Return the file's size, modification time, device and inode, to detect changes; None for an unknown size."""
        return None if self.size is None else self._identity(self.status)

    @property
    def changed(self) -> bool:
        """Return whether the file's size, modification time, device or inode has changed since the file was opened."""
        return self.size is not None and self._identity(os.fstat(self._file.fileno())) != self._identity(self.status)

    @property
    def unrepeatable(self) -> str:
        """Return why a transfer of this input cannot be resumed later. An empty text means that no reason is known."""
        return self._broken or (f"{self.name} has changed since it was opened" if self.changed else "")

    @staticmethod
    def _identity(status: os.stat_result) -> dict[str, int]:
        return {
            "size": status.st_size,
            "mtime_ns": status.st_mtime_ns,
            "device": status.st_dev,
            "inode": status.st_ino,
        }

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes, or no bytes at the end. From a pipe, return as soon as some bytes are available.

        Raises:
            FileError: the bytes cannot be read, or the file has become shorter.
        """
        if self.size is not None:
            size = min(size, self.size - self._done)
        if self._begin:
            data, self._begin = self._begin[:size], self._begin[size:]
        else:
            data = self._read(size)
        self._done += len(data)
        if self._done > self._most:
            self._broken = "there are more bytes than a stream can have"
            raise FileError(f"{self.name} has more than {self._most} bytes, the limit of a stream: {self._too_long}")
        if not data and size and self.size is not None:
            self._broken = f"{self.name} has become shorter"
            raise FileError(
                f"{self.name} reports {self.size} bytes but ends at byte {self._done}: pipe it to IN -, or give a copy"
            )
        return data

    def rewind(self, offset: int) -> bool:
        """Continue reading at byte `offset` and return True. If the input cannot be read twice, return False."""
        if self.size is None:
            return False
        self._file.seek(offset)
        self._begin, self._done = b"", offset
        return True

    def bound(self, most: int, how: str) -> None:
        """Make `read` fail if the input has more than `most` bytes. The error message ends with the advice `how`."""
        self._most, self._too_long = most, how

    def _read(self, size: int) -> bytes:
        try:
            return self._file.read1(size)
        except OSError as error:
            raise trouble("read", self.name, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self._file.close()


def whole(name: str, most: int) -> bytes:
    """Return the content of the file `name`. If the file has more than `most` bytes, return its first `most` + 1 bytes.

    Raises:
        FileError: it cannot be read.
    """
    content = b""
    with InputFile(name) as file:
        while len(content) <= most and (piece := file.read(most + 1 - len(content))):
            content += piece
    return content
