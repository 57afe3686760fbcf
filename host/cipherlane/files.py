"""Files of a transfer: input from any byte on, output that gets its name only when it is complete.

Output goes to `OUT.part` strictly in order, so that whatever the file holds is a good beginning: a resumed transfer
keeps its whole 16-byte blocks, does the last few again to see that key, IV and input are the same, and goes on.
"""

import os
import stat
import sys
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from .errors import FileError
from .protocol.layout import BLOCK

STANDARD = "-"
OVERLAP = 16 * BLOCK  # bytes that a resumed transfer does again, to compare


def check_output(name: str) -> None:
    """Check that `name` can be an output, and change nothing.

    Raises:
        FileError: it cannot.
    """
    path = Path(name)
    if name == STANDARD:
        return
    if path.is_dir():
        raise FileError(f"cannot write {name}: it is a directory, name a file")
    if not path.parent.is_dir():
        raise FileError(f"cannot write {name}: there is no directory {path.parent}")


class InputFile:
    """The input: a path, or `-` for standard input; a context manager."""

    def __init__(self, name: str):
        """Open `name`.

        Raises:
            FileError: it cannot be read.
        """
        try:
            self._file: BinaryIO = sys.stdin.buffer if name == STANDARD else open(name, "rb")  # noqa: SIM115
        except OSError as error:
            raise FileError(f"cannot read {name}: {error.strerror}") from error
        status = os.fstat(self._file.fileno())
        regular = stat.S_ISREG(status.st_mode) and name != STANDARD
        self.size: int | None = status.st_size if regular else None
        self._owned = name != STANDARD

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes."""
        return self._file.read(size)

    def skip(self, count: int) -> None:
        """Pass over the first `count` bytes.

        Raises:
            FileError: the input is shorter.
        """
        left = count
        while left:
            piece = self._file.read(min(left, 1 << 20))
            if not piece:
                raise FileError(f"the input ends before byte {count}: it is not what was interrupted")
            left -= len(piece)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        if self._owned:
            self._file.close()


class OutputFile:
    """The output: a path, or `-` for standard output; a context manager. `commit` gives it its name."""

    def __init__(self, name: str, resume: bool = False):
        """Prepare to write `name`, or to go on with what `resume` finds of it.

        Raises:
            FileError: it cannot be written, or not resumed.
        """
        self.path = Path(name)
        direct = name == STANDARD or (self.path.exists() and not self.path.is_file())
        if direct and resume:
            raise FileError("--resume needs an output file, to see how far it got")
        self.part = None if direct else self.path.with_name(self.path.name + ".part")
        self.start = 0
        self._check = b""
        self._owned = name != STANDARD
        try:
            if self.part is None:
                self._file: BinaryIO = sys.stdout.buffer if name == STANDARD else open(name, "wb")  # noqa: SIM115
            elif resume and self.part.exists():
                self._continue()
            else:
                self._file = open(self.part, "wb")  # noqa: SIM115
        except OSError as error:
            raise FileError(f"cannot write {error.filename or name}: {error.strerror}") from error

    def _continue(self) -> None:
        """Open what there is; from `start` on it is done again, up to its end only to compare."""
        self._file = open(self.part, "r+b")  # noqa: SIM115
        good = os.fstat(self._file.fileno()).st_size // BLOCK * BLOCK
        self.start = max(0, good - OVERLAP)
        self._file.seek(self.start)
        self._check = self._file.read(good - self.start)
        self._file.truncate(good)

    def write(self, data: bytes, /) -> None:
        """Append `data`, or compare them where they were there before.

        Raises:
            FileError: they differ, or cannot be written.
        """
        if self._check:
            known, self._check = self._check[: len(data)], self._check[len(data) :]
            if data[: len(known)] != known:
                raise FileError(f"{self.part} is from another key, IV or input: delete it and start without --resume")
            data = data[len(known) :]
        try:
            self._file.write(data)
        except OSError as error:
            raise FileError(f"cannot write {self.part or self.path}: {error.strerror}") from error

    def commit(self) -> None:
        """Make the output durable and give it its name.

        Raises:
            FileError: that fails, or it was to be resumed and holds more than the input gave.
        """
        if self._check:
            raise FileError(f"{self.part} is longer than the input: delete it and start without --resume")
        try:
            self._file.flush()
            if self.part is not None:
                os.fsync(self._file.fileno())
                self._file.close()
                os.replace(self.part, self.path)
        except OSError as error:
            raise FileError(f"cannot complete {self.path}: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        if self._owned:
            self._file.close()
