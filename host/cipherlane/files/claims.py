# SPDX-License-Identifier: BSD-2-Clause
"""Compares the files that a command reads and writes, and refuses a command that would overwrite one by mistake.

A command never writes a file that it also reads or that it writes under another name. Existing files are compared by
device and inode, and others by folder and name. An existing file is replaced only with --force. Symbolic links are not
followed: --force replaces the link and leaves its target unchanged. Terminals, pipes and devices are written directly;
they hold nothing that could be lost.
"""

import contextlib
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import ExistsError, FileError

STANDARD = "-"


class ReadName(str):
    """The name of a file that a command reads, as a type for the command-line parser."""


class WrittenName(str):
    """The name of a file that a command writes, as a type for the command-line parser."""


class OutName(WrittenName):
    """Name of an output file, or `-` for standard output. An incomplete output file has a temporary name."""


@dataclass(frozen=True)
class Use:
    """A file that a command uses: its name, whether the command writes the file, and the option that gives the name.

    `status` is set for files that are already open; the status of others is read when they are compared. If this file
    holds an incomplete output, `kept_for` names that output.
    """

    name: str
    written: bool = False
    option: str = "OUT"
    status: os.stat_result | None = None
    kept_for: str = ""

    def seen(self) -> os.stat_result | None:
        """Return the status of the file, as `os.stat` reports it; None if there is no such file."""
        if self.status is not None:
            return self.status
        try:
            return os.stat(self.name)
        except (OSError, ValueError):  # no such file; the command reports any other error when it opens the file
            return None

    @property
    def remedy(self) -> str:
        """Return the advice to print if the command must not write this file."""
        return f"name another {self.option}" if self.option.isupper() else f"name another with {self.option}"


def is_same(one: os.stat_result, other: os.stat_result) -> bool:
    """Return whether two results of `os.stat` describe one and the same file, which may have two names.

    Return false for terminals, pipes and /dev/null.
    """
    if stat.S_ISBLK(one.st_mode) and stat.S_ISBLK(other.st_mode):
        return one.st_rdev == other.st_rdev
    return stat.S_ISREG(one.st_mode) and (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)


def require_apart(uses: Iterable[Use]) -> None:
    """Refuse a command that would write to a file that it reads, or write to one file twice.

    Raises:
        FileError: two names refer to one file; the message gives both names and tells which one to change.
    """
    before: list[Use] = []
    for use in uses:
        for other in before:
            if (use.written or other.written) and _are_one(use, other):
                raise _refusal(other, use)
        before.append(use)


def require_replaceable(use: Use, replace: bool) -> None:
    """Refuse to overwrite an existing file unless `replace` is true.

    Raises:
        ExistsError: the file exists, and `replace` is false.
        FileError: the file cannot be written at all.
    """
    path = Path(use.name)
    try:
        link = path.is_symlink()
        status = os.stat(path) if path.exists() else None
    except (OSError, ValueError) as error:
        raise FileError(f"cannot write {use.name}: {_reason(error)}; {use.remedy}") from None
    if status and stat.S_ISDIR(status.st_mode):
        raise FileError(f"cannot write {use.name}: it is a directory, {use.remedy}")
    if status and not stat.S_ISREG(status.st_mode):
        return
    if status and (not status.st_mode & 0o222 or not os.access(path, os.W_OK)):
        raise FileError(f"cannot write {use.name}: it is write-protected; chmod u+w it, or {use.remedy}")
    if (status or link) and not replace:
        raise ExistsError(use.name, use.remedy, link)


def standard_streams(reads_input: bool) -> Iterator[Use]:
    """Yield a `Use` for standard output, for standard error and, if the command reads it, for standard input."""
    for name, stream in (("input", sys.stdin), ("output", sys.stdout), ("error", sys.stderr)):
        if name == "input" and not reads_input:
            continue
        with contextlib.suppress(AttributeError, ValueError, OSError):  # the stream is closed or missing
            yield Use(f"standard {name}", name != "input", "OUT", os.fstat(stream.fileno()))


def _are_one(one: Use, other: Use) -> bool:
    if one.name.startswith("standard ") and other.name.startswith("standard ") and one.written and other.written:
        return False  # standard output and error can be one file (2>&1)
    first, second = one.seen(), other.seen()
    if first and second:
        return is_same(first, second)
    return not first and not second and _place(one.name) == _place(other.name)


def _place(name: str) -> tuple[object, ...]:
    """Return a value that identifies the file `name`, which need not exist. All paths to a file give equal values."""
    folder, last = os.path.split(name)
    try:
        # `realpath` raises OSError if the current folder was deleted.
        folder, last = os.path.split(os.path.realpath(name))
        status = os.stat(folder)
        return (status.st_dev, status.st_ino, last)
    except OSError:
        return (folder, last)
    except ValueError:  # the name contains a zero byte: the command reports an error when it opens the file
        return (name,)


def _refusal(one: Use, other: Use) -> FileError:
    for kept, named in ((one, other), (other, one)):
        if kept.kept_for:
            return FileError(
                f"{named.name} is {kept.name}, which holds {kept.kept_for} until it is complete: give it another "
                f"name, or name another {kept.option}"
            )
    written = other if other.written and not other.name.startswith("standard ") else one
    return FileError(f"{one.name} and {other.name} are the same file: {written.remedy}")


def _reason(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
