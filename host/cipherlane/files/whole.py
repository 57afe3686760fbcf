# SPDX-License-Identifier: BSD-2-Clause
"""Writes files in one step: another program finds either the complete old content or the complete new content."""

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from ..errors import ExistsError
from . import private
from .claims import Use, require_replaceable


def write(path: Path, text: str, *, replace: bool, option: str = "FILE") -> None:
    """Write `text` in UTF-8 to the file `path`, and create missing folders. Replace a file only if `replace` is true.

    Links are not followed. Terminals, pipes and devices are written to directly.

    Raises:
        FileError: the file cannot be written; ExistsError if it exists and is not to be replaced.
        OSError: the folder or the file cannot be created.
    """
    use = Use(str(path), True, option)
    require_replaceable(use, replace)
    status = use.seen()
    if status and not stat.S_ISREG(status.st_mode):
        with open(os.open(path, os.O_WRONLY | private.OPEN), "wb") as device:
            device.write(text.encode())
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=".cipherlane-", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(descriptor)
            private.set_mode(descriptor, status)
        _give_name(name, path, use, replace)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _give_name(name: str, path: Path, use: Use, replace: bool) -> None:
    if replace:
        os.replace(name, path)
        return
    try:
        os.link(name, path)
    except FileExistsError:
        raise ExistsError(use.name, use.remedy) from None
    except OSError:  # no such links there
        require_replaceable(use, replace)
        os.rename(name, path)
    else:
        os.unlink(name)
