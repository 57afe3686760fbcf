# SPDX-License-Identifier: BSD-2-Clause
"""The output file of a transfer. It has the temporary name `OUT.part` until it is complete.

Output is written strictly in order to `OUT.part`. `OUT.part.resume`, in the same folder, records the state of the
transfer (see `journal`). Both files are new, belong to this user, and have mode 0600; links are not followed. A run
locks `OUT.part` while it writes, so a second run with the same OUT ends at once. A complete `OUT.part` gets the mode of
an existing OUT, or the default mode, and replaces OUT in one step. Until then an existing OUT is kept.

An existing file OUT is replaced only on request. If OUT is a symbolic link, the link is replaced and its target is left
unchanged. `claims` compares the other files of a command.

A few file systems support no locks. There, resuming is refused, because two runs could resume at the same time. Two new
runs cannot collide, because only one of them can create `OUT.part`.
"""

import contextlib
import hashlib
import os
import stat
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from ..errors import FileError, ReaderGoneError
from . import private
from .claims import STANDARD, Use, require_apart, require_replaceable
from .inputs import InputFile, trouble

ANEW = "start without --resume (--raw: under another IV)"  # advice to print when a transfer cannot be resumed
SIDECAR_FORMAT, SIDECAR_SIZE = "cipherlane resume 1", 1024
_ENDINGS = (".part", ".part.resume")
_USUAL_NAME_MAX = 255  # longest file name in bytes on usual file systems
_DIGITS = 16  # number of hexadecimal digits of the hash in a shortened name


def kept_at(path: Path) -> tuple[Path, Path]:
    """Return the paths of `OUT.part` and its sidecar `OUT.part.resume`. In a long name, a hash replaces the end."""
    try:
        most = os.pathconf(path.parent, "PC_NAME_MAX")
    except (AttributeError, OSError, ValueError):
        most = _USUAL_NAME_MAX
    name = path.name
    if len(os.fsencode(name)) + len(_ENDINGS[-1]) > most:
        digest = hashlib.sha256(os.fsencode(name)).hexdigest()[:_DIGITS]
        while len(os.fsencode(name)) + len(_ENDINGS[-1]) + 1 + len(digest) > most:
            name = name[:-1]
        name = f"{name}.{digest}"
    part, sidecar = (path.with_name(name + ending) for ending in _ENDINGS)
    return part, sidecar


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    """Return up to `size` bytes of an open file, starting at `offset`."""
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, size)


def write_at(descriptor: int, data: bytes, offset: int) -> None:
    """Write `data` to an open file, starting at `offset`, with one call of `os.write`."""
    os.lseek(descriptor, offset, os.SEEK_SET)
    os.write(descriptor, data)


class OutputFile:
    """An output file, or standard output if the name is `-`; a context manager. `commit` renames `OUT.part` to OUT.

    `part` and `sidecar` are the paths of the incomplete output; `part` is None if the output is not a regular file. If
    the output is not committed, `kept` is the number of bytes that a later run can resume from. If `kept` is None, the
    files that this run created are deleted. `written` counts the bytes written by this run.
    """

    def __init__(self, name: str, source: InputFile, resume: bool = False, replace: bool = False):
        """Open the files that store the output `name`. If `resume` is true, open the existing OUT.part and its
        sidecar without changing these files.

        Raises:
            FileError: the output cannot be written or resumed, or is the same file as `source`.
            ExistsError: the output exists and `replace` is false.
        """
        self.name = name
        self._replace = replace
        self.path = Path(name)
        self.part: Path | None = None
        self.kept: int | None = None
        self.written = 0
        self._new: list[Path] = []  # files that this run created or found empty; deleted if the command fails
        self._source = source
        self._fd = self.sidecar_fd = -1
        status = self._check()
        part, self.sidecar = kept_at(self.path)
        try:
            if name == STANDARD or (status is not None and not stat.S_ISREG(status.st_mode)):
                if resume:
                    raise FileError("--resume needs an output file, which shows how far the transfer got")
                self._fd = sys.stdout.fileno() if name == STANDARD else os.open(name, os.O_WRONLY | private.OPEN)
            else:
                self.part = part
                self._claim(part, resume)
        except BaseException as error:
            self._leave()
            if isinstance(error, OSError):
                raise trouble("write", error.filename or self.part or name, error) from error
            raise

    def _check(self) -> os.stat_result | None:
        """Check that the output can be written. Return its `os.stat` result; None if the file does not exist yet."""
        source = Use(self._source.name, status=self._source.status)
        if self.name == STANDARD:
            status: os.stat_result | None = os.fstat(sys.stdout.fileno())
            require_apart((source, Use(self.name, True, status=status)))
            return status
        if not self.path.is_dir() and not self.path.parent.is_dir():
            raise FileError(f"cannot write {self.name}: there is no directory {self.path.parent}")
        status = _status(self.path)
        use = Use(self.name, True, status=status)
        require_apart((source, use))
        require_replaceable(use, self._replace)
        return status

    def _claim(self, part: Path, resume: bool) -> None:
        """Open and lock `OUT.part`, and open its sidecar."""
        kept = (Use(str(path), True, kept_for=self.name) for path in (part, self.sidecar))
        require_apart((Use(self._source.name, status=self._source.status), *kept))
        self._fd, made = _open_own(part, create=not resume)
        if not private.lock(self._fd, part) and not made:
            raise FileError(f"{part} cannot be locked on this file system: delete it, and {ANEW}")
        if not private.is_at(self._fd, part):
            raise FileError(f"another run of cipherlane has just ended with {self.name}: try again")
        if not resume and os.fstat(self._fd).st_size:
            raise FileError(
                f"{part} holds an interrupted transfer: continue it with --resume, or delete it and "
                f"{self.sidecar.name} and {ANEW}"
            )
        self._new = [] if resume else [part]
        self.sidecar_fd, _ = _open_own(self.sidecar, create=not resume)
        if resume:
            return
        content = read_at(self.sidecar_fd, SIDECAR_SIZE, 0)
        if content.strip() and SIDECAR_FORMAT.encode() not in content:
            raise FileError(f"{self.sidecar} is not a file of cipherlane, but has the name of one: delete or rename it")
        self._new = [self.sidecar, part]
        for descriptor in (self._fd, self.sidecar_fd):
            private.chmod(descriptor, 0o600)  # an empty file left by an earlier run can have other permissions
        write_at(self.sidecar_fd, b" " * SIDECAR_SIZE, 0)  # reserve the sidecar's disk space while there is room

    def read_kept(self, offset: int, size: int) -> bytes:
        """Return up to `size` bytes of `OUT.part`, starting at `offset`.

        Raises:
            FileError: they cannot be read.
        """
        try:
            return read_at(self._fd, size, offset)
        except OSError as error:
            raise trouble("read", self.part, error) from error

    def start_at(self, offset: int) -> None:
        """Cut `OUT.part` to its first `offset` bytes. Later writes append data there.

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
        """Append `data` to the output.

        Raises:
            FileError: they cannot be written.
        """
        left = memoryview(data)
        try:
            while left:
                count = os.write(self._fd, left)
                self.written += count
                left = left[count:]
        except BrokenPipeError as error:
            raise ReaderGoneError(f"the reader of {self.name} has closed it") from error
        except OSError as error:
            raise trouble("write", self.part or self.name, error) from error

    def sync(self) -> None:
        """Write `OUT.part` and its sidecar to the disk durably.

        Raises:
            FileError: that fails.
        """
        try:
            for descriptor in (self._fd, self.sidecar_fd) if self.part is not None else ():
                os.fsync(descriptor)
        except OSError as error:
            raise trouble("write", self.part, error) from error

    def commit(self) -> None:
        """Write `OUT.part` to the disk durably, set its mode, and rename it to OUT.

        Raises:
            FileError: that fails.
        """
        if self.part is None:
            return
        try:
            os.fsync(self._fd)
            if not private.is_at(self._fd, self.part):
                raise FileError(f"another program moved or deleted {self.part}: {self.name} was not written")
            if not self._replace and os.path.lexists(self.path):
                raise FileError(
                    f"{self.name} was created by another program meanwhile: move it, or add --force, and resume"
                )
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

    def discard(self) -> None:
        """Let `OUT.part` and its sidecar be deleted at the end of the `with` block that uses this object."""
        self.kept = None
        self._new = [path for path in (self.sidecar, self.part) if path]

    def _leave(self) -> None:
        """Close the open files. Delete the files that this run created, unless a later run can resume from them."""
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


def _status(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise trouble("write", path, error) from error


def _open_own(path: Path, create: bool) -> tuple[int, bool]:
    """Open a file that this user owns and that has no second hard link. Return its descriptor, and whether it is new.

    Raises:
        FileError: the file is of another kind, or does not exist and `create` is false.
        OSError: it cannot be opened.
    """
    if create:
        with contextlib.suppress(FileExistsError):
            return private.create(path), True
    try:
        descriptor = private.open_there(path)
    except FileNotFoundError as error:
        raise FileError(f"there is no {path} to resume: start without --resume") from error
    if not private.is_own(os.fstat(descriptor)):
        os.close(descriptor)
        raise FileError(f"{path} was not left by an earlier run: it has another owner, name or kind; delete it")
    return descriptor, False
