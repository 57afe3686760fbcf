# SPDX-License-Identifier: BSD-2-Clause
"""Keys and initial counter blocks as a user supplies them.

A key belongs in a file, on standard input or in the environment: everybody who lists the machine's processes sees the
arguments of a program.
"""

import argparse
import getpass
import os
import re
import shlex
import stat
import sys

from .. import settings, views
from ..errors import ArgumentError, FileError, IvLengthError, KeyLengthError
from . import encodings
from .claims import STANDARD, ReadName

VARIABLE = "CIPHERLANE_KEY"
_MOST = 4096  # maximum bytes of a key file
_BITS = (128, 192, 256)
_LOOKS_LIKE_A_KEY = re.compile(r"(0x)?([0-9A-Fa-f]{2}[ :]?){8,}")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that supply a key."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--key-file",
        type=ReadName,
        metavar="FILE",
        help="file of 32, 48 or 64 hexadecimal digits that only its owner can read, or - for standard input "
        f"(default: the digits in ${VARIABLE}, or the file that $CIPHERLANE_KEY_FILE names)",
    )
    group.add_argument(
        "--key", metavar="HEX", help="the key's digits, visible to everybody who lists processes: for tests only"
    )


def take_key(args: argparse.Namespace) -> bytes:
    """Return the key from the options or the environment. Delete the environment variable, so no child process gets it.

    Raises:
        ArgumentError: no key is supplied.
        FileError: the key file cannot be read, or others can read it.
        KeyLengthError: the key is not 128, 192 or 256 bits.
    """
    named = named_file(args)
    inherited = os.environ.pop(VARIABLE, None)
    if named is not None:
        return parse_key(_read(named))
    if args.key is not None:
        views.show_warning(
            f"everybody on this machine who lists processes sees --key: use --key-file FILE, --key-file - or {VARIABLE}"
        )
        return parse_key(args.key)
    if not inherited:
        raise ArgumentError(f"no key: use --key-file FILE (- for standard input), or set {VARIABLE}")
    return parse_key(inherited)


def named_file(args: argparse.Namespace) -> str | None:
    """Return the name of the key file, `-` for standard input; None if the key is not read from a file."""
    named: str | None = args.key_file
    if named is None and args.key is None and not os.environ.get(VARIABLE):
        named = settings.value("key_file")[0]
    return named


def parse_key(digits: str) -> bytes:
    """Return the key that the hexadecimal `digits` represent.

    Raises:
        KeyLengthError: the key is not 128, 192 or 256 bits.
    """
    try:
        key = bytes.fromhex(digits)
    except ValueError:
        raise KeyLengthError("the key is not hexadecimal: give 32, 48 or 64 hexadecimal digits") from None
    if len(key) * 8 not in _BITS:
        raise KeyLengthError(f"the key has {len(key) * 8} bits: give 32, 48 or 64 hexadecimal digits")
    return key


def parse_iv(digits: str) -> bytes:
    """Return the initial counter block that the hexadecimal `digits` represent.

    Raises:
        IvLengthError: it is not 16 bytes.
    """
    try:
        iv = bytes.fromhex(digits)
    except ValueError:
        raise IvLengthError("the IV is not hexadecimal: give 32 hexadecimal digits") from None
    if len(iv) != 16:
        raise IvLengthError(f"the IV has {len(iv)} bytes: give 16, as 32 hexadecimal digits")
    return iv


def _read(name: str) -> str:
    """Return the text of the key file called `name`; `-` means standard input."""
    if name == STANDARD and sys.stdin.isatty():
        return getpass.getpass("key, in hexadecimal digits: ")
    if _LOOKS_LIKE_A_KEY.fullmatch(name):
        raise FileError("--key-file takes the name of a file, but its argument looks like a key")
    try:
        with open(sys.stdin.fileno() if name == STANDARD else name, "rb", closefd=name != STANDARD) as file:
            status = os.fstat(file.fileno())
            loose = name != STANDARD and stat.S_ISREG(status.st_mode) and status.st_mode & 0o077
            if loose and os.name == "posix":
                quoted = shlex.quote(name)
                raise FileError(
                    f"others can read the key in {name} (mode {stat.S_IMODE(status.st_mode):04o}): chmod 600 {quoted}; "
                    f"where that changes nothing, give --key-file - < {quoted}"
                )
            data = file.read(_MOST)
    except OSError as error:
        raise FileError(f"cannot read the key from {name}: {error.strerror}") from error
    _check_digits(data, name)
    return data.decode("ascii", "replace")


def _check_digits(data: bytes, name: str) -> None:
    """Refuse a key file that contains raw bytes, or text that is not plain ASCII or UTF-8.

    The error message states what the file contains.
    """
    what, command = encodings.foreign(data)
    if not what and len(data) * 8 in _BITS and not data.decode("ascii", "replace").isprintable():
        what, command = f"holds {len(data)} raw bytes", "od -An -v -tx1"
    if what:
        where = "standard input" if name == STANDARD else name
        how = "" if name == STANDARD else encodings.remedy(command, name)
        raise FileError(f"the key in {where} {what}, but must be hexadecimal digits in plain ASCII{how}")
