# SPDX-License-Identifier: BSD-2-Clause
"""Reads and checks bitstreams that `cipherlane flash` loads into a board."""

from pathlib import Path

from cipherlane_base.bitstream import MOST_BYTES, SUFFIX, Description, DescriptionError

from ..errors import FileError

MOST = 16 << 20  # maximum number of bytes to read from a file; the bitstream of every board is smaller


def read(path: str) -> tuple[bytes, Description]:
    """Read the bitstream `path` and its description. Check that the two files belong together, and return both.

    Raises:
        FileError: a file cannot be read, or the bitstream is not the one of the description; the message tells which.
    """
    beside = f"{path}{SUFFIX}"
    content = _read(path, MOST)
    text = _read(beside, MOST_BYTES, "; `make bitstream` writes it next to the bitstream: copy both")
    try:
        description = Description.parse(text.decode())
    except UnicodeDecodeError as error:
        raise FileError(f"{beside} is not the description of a bitstream: it is not text") from error
    except DescriptionError as error:
        raise FileError(f"{beside} is not the description of a bitstream: {error}") from error
    if not description.is_of(content):
        raise FileError(f"{path} is not the bitstream that {beside} describes: copy both again")
    return content, description


def _read(path: str, most: int, remedy: str = "") -> bytes:
    try:
        with Path(path).open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}{remedy}") from error
    if len(content) > most:
        raise FileError(f"{path} has more than {most} bytes: it is no file of a bitstream")
    return content
