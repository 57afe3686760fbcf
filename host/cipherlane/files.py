"""Files of a transfer: input from the first byte on, output that gets its name only when it is complete.

Output goes to `OUT.part`, strictly in order; what is known of it, to `OUT.part.resume` beside it (see `journal`). Both
are files of this user's and nobody else's, mode 0600, made where nothing was before; links are not followed. `OUT.part`
is locked while a run writes it, so that of two runs with one OUT the second ends at once. When it is complete it gets
the mode of OUT, or the usual one, and takes the place of OUT in one step. Until then it is kept whatever happens.

A file that is there under the name OUT is replaced only on request.

Where no file can be locked (a few file systems), two new runs are still kept apart by the making of `OUT.part`, and
going on with one is refused, as nothing would keep two of those apart.
"""

import contextlib
import errno
import os
import stat
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from . import private
from .errors import ExistsError, FileError

STANDARD = "-"
SIDECAR_FORMAT, SIDECAR_SIZE = "cipherlane resume 1", 1024
_REMEDIES = {
    errno.ENOSPC: ": make room on the disk",
    errno.EDQUOT: ": your quota is used up, make room",
    errno.EIO: ": the disk is failing, check it",
}


def is_same(one: os.stat_result, other: os.stat_result) -> bool:
    """Return whether writing to one file changes what the other holds: never for terminals, pipes and /dev/null."""
    if stat.S_ISBLK(one.st_mode) and stat.S_ISBLK(other.st_mode):
        return one.st_rdev == other.st_rdev
    return stat.S_ISREG(one.st_mode) and (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)


def trouble(verb: str, name: object, error: OSError) -> FileError:
    """Return the error that says what could not be done with the file called `name`, why, and what to do."""
    return FileError(f"cannot {verb} {name}: {error.strerror}{_REMEDIES.get(error.errno or 0, '')}")


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    """Return up to `size` bytes of an open file from `offset` on."""
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, size)


def write_at(descriptor: int, data: bytes, offset: int) -> None:
    """Write `data` to an open file, from `offset` on, in one call."""
    os.lseek(descriptor, offset, os.SEEK_SET)
    os.write(descriptor, data)


class InputFile:
    """The input: a path, or `-` for standard input; a context manager."""

    def __init__(self, name: str):
        """Open `name`.

        Raises:
            FileError: it cannot be read.
        """
        self.name = name
        if name != STANDARD and os.path.isdir(name):
            raise FileError(f"cannot read {name}: it is a directory, name a file")
        try:
            self._file = open(sys.stdin.fileno() if name == STANDARD else name, "rb", closefd=name != STANDARD)  # noqa: SIM115
            self.status = os.fstat(self._file.fileno())
        except OSError as error:
            raise trouble("read", name, error) from error
        regular = stat.S_ISREG(self.status.st_mode) and name != STANDARD
        self.size: int | None = self.status.st_size if regular else None

    @property
    def identity(self) -> dict[str, int] | None:
        """What shows, at another time, whether the file is still the same; None of what is no file."""
        if self.size is None:
            return None
        status = self.status
        return {
            "size": status.st_size,
            "mtime_ns": status.st_mtime_ns,
            "device": status.st_dev,
            "inode": status.st_ino,
        }

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes; none at the end. What a pipe has is returned at once.

        Raises:
            FileError: they cannot be read.
        """
        try:
            return self._file.read1(size)
        except OSError as error:
            raise trouble("read", self.name, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self._file.close()


class OutputFile:
    """The output: a path, or `-` for standard output; a context manager. `commit` gives it its name.

    `part` and `sidecar` are the paths where it is until then; `part` is None of an output that is no regular file. Of
    what is not committed, `kept` bytes are to be gone on with; nothing is to stay if that is None and it was not to be
    resumed. `written` counts the bytes written here.
    """

    def __init__(self, name: str, source: InputFile, resume: bool = False, replace: bool = False):
        """Prepare to write `name`, or to go on with what `resume` finds of it; what is there is not changed.

        Raises:
            FileError: it cannot be written, not resumed, shares a file with `source`, or is there and is not to be
                replaced (ExistsError).
        """
        self.name = name
        self._replace = replace
        self.path = Path(name)
        self.part: Path | None = None
        self.kept: int | None = None
        self.written = 0
        self._new: list[Path] = []  # what was made here, or was empty
        self._source = source
        self._fd = self.sidecar_fd = -1
        status = self._check()
        self.sidecar = self.path.with_name(self.path.name + ".part.resume")
        try:
            if name == STANDARD or (status is not None and not stat.S_ISREG(status.st_mode)):
                if resume:
                    raise FileError("--resume needs an output file, to see how far it got")
                self._fd = sys.stdout.fileno() if name == STANDARD else os.open(name, os.O_WRONLY | private.OPEN)
            else:
                self.part = self.path.with_name(self.path.name + ".part")
                self._claim(self.part, resume)
        except BaseException as error:
            self._leave()
            if isinstance(error, OSError):
                raise trouble("write", error.filename or self.part or name, error) from error
            raise

    def _check(self) -> os.stat_result | None:
        """Return the status of what is there under the name, None if nothing is."""
        if self.name == STANDARD:
            status: os.stat_result | None = os.fstat(sys.stdout.fileno())
        else:
            if self.path.is_dir():
                raise FileError(f"cannot write {self.name}: it is a directory, name a file")
            if not self.path.parent.is_dir():
                raise FileError(f"cannot write {self.name}: there is no directory {self.path.parent}")
            status = _status(self.path)
        if status is None:
            return None
        if is_same(self._source.status, status):
            raise FileError(f"{self._source.name} and {self.name} are the same file: name another OUT")
        if stat.S_ISREG(status.st_mode) and self.name != STANDARD:
            _check_writable(self.name, status)
            if not self._replace:
                raise ExistsError(self.name)
        return status

    def _claim(self, part: Path, resume: bool) -> None:
        """Open `OUT.part`, and lock it, and its sidecar."""
        for path in (part, self.sidecar):
            status = _status(path, follow=False)
            if status is not None and is_same(self._source.status, status):
                raise FileError(
                    f"{self._source.name} is {path}, where {self.name} is kept until it is complete: "
                    "give it another name, or name another OUT"
                )
        self._fd, made = _open_own(part, create=not resume)
        if not private.lock(self._fd, part) and not made:
            raise FileError(f"{part} cannot be locked there: delete it, and start without --resume")
        if not private.is_at(self._fd, part):
            raise FileError(f"another run of cipherlane has just ended with {self.name}: try again")
        if not resume and os.fstat(self._fd).st_size:
            raise FileError(
                f"{part} keeps an interrupted transfer: go on with it by --resume, or delete it and {self.sidecar.name}"
            )
        self._new = [] if resume else [part]
        self.sidecar_fd, _ = _open_own(self.sidecar, create=not resume)
        if resume:
            return
        content = read_at(self.sidecar_fd, SIDECAR_SIZE, 0)
        if content.strip() and SIDECAR_FORMAT.encode() not in content:
            raise FileError(f"{self.sidecar} is in the way, and none of cipherlane's: delete or rename it")
        self._new = [self.sidecar, part]
        for descriptor in (self._fd, self.sidecar_fd):
            private.chmod(descriptor, 0o600)  # also if they were there before, and empty
        write_at(self.sidecar_fd, b" " * SIDECAR_SIZE, 0)  # its room, should the disk be full later

    def read_kept(self, offset: int, size: int) -> bytes:
        """Return up to `size` bytes of what `OUT.part` holds from `offset` on.

        Raises:
            FileError: they cannot be read.
        """
        try:
            return read_at(self._fd, size, offset)
        except OSError as error:
            raise trouble("read", self.part, error) from error

    def start_at(self, offset: int) -> None:
        """Keep the first `offset` bytes of `OUT.part` and write behind them.

        Raises:
            FileError: that fails.
        """
        if self.part is None:
            return
        try:
            os.ftruncate(self._fd, offset)
            os.lseek(self._fd, offset, os.SEEK_SET)
        except OSError as error:
            raise trouble("write", self.part, error) from error

    def write(self, data: bytes, /) -> None:
        """Append `data`.

        Raises:
            FileError: they cannot be written.
        """
        left = memoryview(data)
        try:
            while left:
                count = os.write(self._fd, left)
                self.written += count
                left = left[count:]
        except OSError as error:
            raise trouble("write", self.part or self.name, error) from error

    def sync(self) -> None:
        """Make what `OUT.part` and its sidecar hold durable.

        Raises:
            FileError: that fails.
        """
        try:
            for descriptor in (self._fd, self.sidecar_fd) if self.part is not None else ():
                os.fsync(descriptor)
        except OSError as error:
            raise trouble("write", self.part, error) from error

    def commit(self) -> None:
        """Make the output durable and give it its name and mode.

        Raises:
            FileError: that fails.
        """
        if self.part is None:
            return
        try:
            os.fsync(self._fd)
            if not private.is_at(self._fd, self.part):
                raise FileError(f"{self.part} was moved or deleted by another program, {self.name} is not there")
            if not self._replace and os.path.lexists(self.path):
                raise FileError(f"{self.name} has come to be meanwhile: move it, or add --force, and go on")
            private.set_mode(self._fd, _status(self.path))
            if private.HELD_BY_NAME:
                self._close()
            os.replace(self.part, self.path)
            self._new, self.kept = [], None
            with contextlib.suppress(FileNotFoundError):
                self.sidecar.unlink()
            private.sync_directory(self.path.parent)
        except OSError as error:
            raise trouble("complete", self.path, error) from error

    def _leave(self) -> None:
        """Close what is open, and remove it if nobody wants to go on with it."""
        if private.HELD_BY_NAME:
            self._close()
        for path in self._new if self.kept is None else ():
            with contextlib.suppress(OSError):
                path.unlink()
        self._close()

    def _close(self) -> None:
        if self.part is not None:
            for descriptor in (self.sidecar_fd, self._fd):
                if descriptor >= 0:
                    os.close(descriptor)
        elif self._fd >= 0 and self.name != STANDARD:
            os.close(self._fd)
        self._fd = self.sidecar_fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self._leave()


def _status(path: Path, follow: bool = True) -> os.stat_result | None:
    try:
        return os.stat(path, follow_symlinks=follow)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise trouble("write", path, error) from error


def _check_writable(name: str, status: os.stat_result) -> None:
    """Refuse to replace a file that says it is not to be written, though a new one could take its place."""
    if not status.st_mode & 0o222 or not os.access(name, os.W_OK):
        raise FileError(f"cannot write {name}: it is write-protected; chmod u+w it, or name another OUT")


def _open_own(path: Path, create: bool) -> tuple[int, bool]:
    """Open a file of this user's that has no other name; return its descriptor, and whether it was made now.

    Raises:
        FileError: what is there is something else, or there is nothing and none was to be made.
        OSError: it cannot be opened.
    """
    if create:
        with contextlib.suppress(FileExistsError):
            return private.create(path), True
    try:
        descriptor = private.open_there(path)
    except FileNotFoundError as error:
        raise FileError(f"there is no {path} to go on with: start without --resume") from error
    if not private.is_own(os.fstat(descriptor)):
        os.close(descriptor)
        raise FileError(f"{path} is not what an earlier run has left: it has another owner, name or kind; delete it")
    return descriptor, False
