# SPDX-License-Identifier: BSD-2-Clause
"""Skips builds whose inputs are unchanged. A digest of the inputs is stored next to the output, or is its name.

Outputs named by a digest are in `FOLDER`. Several clones may share it (CIPHERLANE_CACHE), and `make clean` keeps it.
"""

import fcntl
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
LIKE_C = (".c", ".cpp", ".h", ".v")
FOLDER = Path(os.environ.get("CIPHERLANE_CACHE") or REPOSITORY / "build" / "cache").resolve()


def digest(paths: Iterable[Path], *extra: str) -> str:
    """Returns a SHA-256 digest, in hexadecimal, of the names and contents of files, and of the strings in `extra`.

    Comments in the files do not change the digest, see `code`.
    """
    state = hashlib.sha256()
    for path in sorted(paths):
        state.update(f"{path}\0{code(path)}".encode())
    for text in extra:
        state.update(b"\0" + text.encode())
    return state.hexdigest()


def code(path: Path) -> str:
    """Returns a file's text without comments: ``/* */`` in C and Verilog, and lines that begin with ``//`` or ``#``.

    Code generators write the date into comments. LiteX also lists a module's instances in comments, in an order that
    changes from run to run.
    """
    lines = path.read_text(encoding="latin-1").splitlines()
    text = "\n".join(line for line in lines if not line.lstrip().startswith(("//", "# ")))
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL) if path.suffix in LIKE_C else text


class Stamp:
    """The stored digest of an output's inputs. It tells whether the output was made from the present inputs."""

    def __init__(self, path: Path, value: str):
        self.path = path
        self.value = value

    def is_current(self) -> bool:
        """Returns whether the output was made from the present inputs."""
        return self.path.exists() and self.path.read_text() == self.value

    def clear(self) -> None:
        """Deletes the stored digest. Call this function before the output is built again."""
        self.path.unlink(missing_ok=True)

    def set(self) -> None:
        """Stores the digest. Call this function when the output is complete."""
        self.path.write_text(self.value)


def write(path: Path, text: str) -> None:
    """Writes a file atomically: even if this process is killed, the file has its old or its new content."""
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text)
    partial.replace(path)


def made_once(target: Path, make: Callable[[Path], None]) -> Path:
    """Returns the folder `target`. If this folder does not exist, first calls `make`, which creates its content.

    `make` fills an empty folder, which then gets its final name, so that other processes never see a part of it. A
    lock keeps processes that share the folder from making it twice. The folder's modification time is the time of its
    last use, so that old folders can be found.
    """
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        lock = target.with_name(f"{target.name}.lock")
        with lock.open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            try:
                if not target.exists():
                    _make(target, make)
            finally:
                # the lock file is no longer needed: a process that waited for the lock now finds the folder
                lock.unlink(missing_ok=True)
    os.utime(target)
    return target


def _make(target: Path, make: Callable[[Path], None]) -> None:
    """Lets `make` fill a temporary folder, then renames this folder to `target`."""
    work = Path(tempfile.mkdtemp(dir=target.parent))
    try:
        make(work)
        try:
            work.replace(target)
        except OSError:  # a failed process removes the lock, so another process may have made the folder
            if not target.exists():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
