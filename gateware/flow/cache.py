"""Builds are skipped when nothing they depend on has changed: a digest of the inputs beside the output, or as its name.

What is kept under a digest is in `FOLDER`, which clones may share (CIPHERLANE_CACHE) and `make clean` leaves.
"""

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
    """SHA-256 over names and contents of files, and over further strings, as hexadecimal digits.

    Comments do not count, see `code`.
    """
    state = hashlib.sha256()
    for path in sorted(paths):
        state.update(f"{path}\0{code(path)}".encode())
    for text in extra:
        state.update(b"\0" + text.encode())
    return state.hexdigest()


def code(path: Path) -> str:
    """A file's text without lines that are comments of C and Verilog (``//``) or of scripts (``#``), and ``/* */``.

    Generators put the date there, and LiteX a module's instances in an order that changes from run to run.
    """
    lines = path.read_text(encoding="latin-1").splitlines()
    text = "\n".join(line for line in lines if not line.lstrip().startswith(("//", "# ")))
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL) if path.suffix in LIKE_C else text


class Stamp:
    """The digest under which an output was last made."""

    def __init__(self, path: Path, value: str):
        self.path = path
        self.value = value

    def is_current(self) -> bool:
        """Whether the output was made from the same inputs."""
        return self.path.exists() and self.path.read_text() == self.value

    def clear(self) -> None:
        """Forgets the output, before it is made anew."""
        self.path.unlink(missing_ok=True)

    def set(self) -> None:
        """Records that the output is complete."""
        self.path.write_text(self.value)


def write(path: Path, text: str) -> None:
    """Writes a file whole or not at all, whatever ends this process."""
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text)
    partial.replace(path)


def made_once(target: Path, make: Callable[[Path], None]) -> Path:
    """A folder that `make` fills in an empty one unless it is there: whole or not at all, whoever else makes it.

    Its time of modification is that of its last use, by which old ones can be told.
    """
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(dir=target.parent))
        try:
            make(work)
            try:
                work.replace(target)
            except OSError:  # another process was faster
                if not target.exists():
                    raise
        finally:
            shutil.rmtree(work, ignore_errors=True)
    os.utime(target)
    return target
