"""Files that are this user's alone: opened where no link leads elsewhere, mode 0600, locked while they are written.

POSIX has a call for each of these. Windows has not: links are looked for before and after opening, the lock is one on
a byte far behind the data, and who may read a file is what its folder says. An open file cannot be renamed there, nor
removed (`HELD_BY_NAME`). Where neither kind of lock is to be had, `lock` says so.
"""

import contextlib
import errno
import importlib
import os
import stat
from pathlib import Path
from typing import Any

from .errors import FileError


def _module(name: str) -> Any:
    """Return a module of some systems, None of others."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


fcntl, msvcrt = _module("fcntl"), _module("msvcrt")

HELD_BY_NAME = os.name == "nt"
OPEN = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_TAKEN = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK, 0)  # 0: Windows did not say
_LOCKED_BYTE = (1 << 31) - 2  # the last that msvcrt can lock; a file need not reach to there


def create(path: Path) -> int:
    """Make a file where nothing is, and open it to write and read.

    Raises:
        OSError: there is something, or it cannot be made.
    """
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINK | _NO_WAIT | OPEN, 0o600)


def open_there(path: Path, flags: int = os.O_RDWR | _NO_WAIT) -> int:
    """Open what is under a name, without following a link, with `flags` of `os.open`.

    Raises:
        FileError: it is a symbolic link.
        OSError: it cannot be opened.
    """
    refusal = FileError(f"{path} is a symbolic link, which is not followed: delete it")
    if not _NO_LINK and path.is_symlink():
        raise refusal
    try:
        descriptor = os.open(path, flags | _NO_LINK | OPEN, 0o600)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise refusal from error
        raise
    if not _NO_LINK and path.is_symlink():
        os.close(descriptor)
        raise refusal
    return descriptor


def is_own(status: os.stat_result) -> bool:
    """Return whether a file is a regular one of this user's, with one name."""
    owned = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and owned


def lock(descriptor: int, path: Path) -> bool:
    """Lock a file until it is closed; return whether that is possible there.

    Raises:
        FileError: another process has locked it.
    """
    try:
        if fcntl:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif msvcrt:
            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            return False
    except OSError as error:
        if error.errno not in _TAKEN:
            return False
        raise FileError(
            f"another run of cipherlane is writing {path}: wait until it has ended, or name another OUT"
        ) from error
    return True


def is_at(descriptor: int, path: Path) -> bool:
    """Return whether an open file is still the one under its name."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except FileNotFoundError:
        return False


def set_mode(descriptor: int, replaced: os.stat_result | None) -> None:
    """Give a file the mode, and if possible the owner, of the one that it replaces, or the usual mode.

    A group that it cannot be given to gets no rights.
    """
    if replaced is None:
        mask = os.umask(0o077)
        os.umask(mask)
        chmod(descriptor, 0o666 & ~mask)
        return
    mode = stat.S_IMODE(replaced.st_mode) & 0o777
    if hasattr(os, "fchown"):
        with contextlib.suppress(OSError):
            os.fchown(descriptor, replaced.st_uid, replaced.st_gid)
        if os.fstat(descriptor).st_gid != replaced.st_gid:
            mode &= ~0o070
    chmod(descriptor, mode)


def chmod(descriptor: int, mode: int) -> None:
    """Set the mode of an open file, where files have one."""
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)


def sync_directory(path: Path) -> None:
    """Make the names in a folder durable, where that can be asked for."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | OPEN)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
