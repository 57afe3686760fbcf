# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane keygen`: writes a random key to a file that only its owner can read."""

import argparse
import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from .. import views
from ..errors import FileError
from ..files import private
from ..files.claims import STANDARD, WrittenName
from ..link.device import KEY_BITS
from . import common


def add_to(commands: Any) -> None:
    """Add the command `keygen` to the command-line parser."""
    parser = common.add_command(
        commands,
        "keygen",
        link=False,
        help="write a new random key to a file",
        description="Write a new random key to FILE, as hexadecimal digits for --key-file. FILE is created with mode "
        "0600; an existing file is never replaced.",
    )
    parser.add_argument("--key-bits", type=int, choices=KEY_BITS, default=256, help="default: %(default)s")
    parser.add_argument("file", type=WrittenName, metavar="FILE", help="name of the new file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write a random key."""
    if args.file == STANDARD:
        raise FileError("a key is never printed: name a file")
    path = Path(args.file)
    with new_private_file(path) as file:
        file.write(secrets.token_hex(args.key_bits // 8) + "\n")
    views.show(f"AES-{args.key_bits} key in {path}: use it with --key-file", stderr=True)
    return 0


@contextlib.contextmanager
def new_private_file(path: Path) -> Iterator[TextIO]:
    """Create a file for a key; remove the file if writing the key fails.

    Raises:
        FileError: the file exists, cannot be written, or could be read by others.
    """
    try:
        descriptor = private.create(path)
    except FileExistsError as error:
        raise FileError(f"{path} already exists, and a key is never replaced: name another file") from error
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror}; name another file") from error
    try:
        if os.name == "posix" and os.fstat(descriptor).st_mode & 0o077:
            os.close(descriptor)
            raise FileError(
                f"others can read files in {path.parent}, whatever their mode: name a file elsewhere, or keep "
                "the key where you keep passwords and pass it with --key-file -"
            )
        with open(descriptor, "w", encoding="ascii", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
        private.sync_directory(path.parent)
    except BaseException as error:
        with contextlib.suppress(OSError):
            path.unlink()
        if isinstance(error, OSError):
            raise FileError(f"cannot write {path}: {error.strerror}; name another file") from error
        raise
