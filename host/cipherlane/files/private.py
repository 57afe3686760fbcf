# SPDX-License-Identifier: BSD-2-Clause
"""Creates, opens and locks files that only this user can read (mode 0600). Symbolic links are not followed.

POSIX has calls for all of this. On Windows, links are checked before and after opening, the lock covers a byte far
after the data, and the folder decides who may read a file. Windows neither renames nor removes an open file
(`HELD_BY_NAME`). If neither kind of lock works, `lock` returns false.
"""

import contextlib
import errno
import importlib
import os
import stat
from pathlib import Path
from typing import Any

from ..errors import FileError


def _module(name: str) -> Any:
    """Return the Python module called `name`; None on systems without this module."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


fcntl, msvcrt = _module("fcntl"), _module("msvcrt")

HELD_BY_NAME = os.name == "nt"
OPEN = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
# If locking fails with one of these numbers, another process holds the lock. On Windows, the number can be 0.
_TAKEN = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK, 0)
_LOCKED_BYTE = (1 << 31) - 2  # offset of the byte to lock on Windows: the highest offset that msvcrt can lock


def create(path: Path) -> int:
    """Create a file and open it for reading and writing.

    Raises:
        OSError: the name exists already, or the file cannot be created.
    """
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINK | _NO_WAIT | OPEN, 0o600)


def open_there(path: Path, flags: int = os.O_RDWR | _NO_WAIT) -> int:
    """Open an existing file with `flags` of `os.open`, without following a link.

    Raises:
        FileError: the name is a symbolic link.
        OSError: the file cannot be opened.
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
    """Return whether a file is a regular file, belongs to this user, and has only one hard link."""
    owned = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and owned


def lock(descriptor: int, path: Path) -> bool:
    """Lock a file until it is closed; return whether the file system supports locks.

    Raises:
        FileError: another process has locked the file.
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
    """Return whether `path` still names the open file; false if another program has moved or deleted the file."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except FileNotFoundError:
        return False


def set_mode(descriptor: int, replaced: os.stat_result | None) -> None:
    """Give an open file the mode and, if possible, the owner of the old file that it will replace.

    If it replaces no file, set the default mode.

    If the file's group cannot be set, the group gets no rights.
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
    """Set the mode of an open file, on systems with file modes."""
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)


def sync_directory(path: Path) -> None:
    """Write a folder's directory entries to the disk durably (fsync), on systems that support it."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | OPEN)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
