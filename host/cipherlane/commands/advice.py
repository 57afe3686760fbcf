# SPDX-License-Identifier: BSD-2-Clause
"""Commands to suggest to the user when a transfer cannot be completed."""

import argparse
import shlex

from cipherlane_base.wire.layout import BLOCK

from .. import views
from ..link.counterblocks import block_after
from ..link.lte import CTR, GCM

_SHOWN = 4  # maximum number of parts of a split input for which the advice shows initial counter blocks


def resuming(args: argparse.Namespace) -> str:
    """Return the command that resumes the transfer. The command contains --key-file instead of the secret --key. It
    omits --log, because the log file already exists.
    """
    before, after = args.argv[: args.after_command], args.argv[args.after_command :]
    words = _kept(after)
    options = ("--resume", "--force") if args.force else ("--resume",)
    return views.command_line(
        ["cipherlane", *_kept(before), *(option for option in options if option not in words), *words]
    )


def beginning_again(args: argparse.Namespace) -> str:
    """Return advice on restarting a transfer when some of its counter blocks were already used."""
    if args.direction == "encrypt" and args.cipher == CTR:
        return "begin again without --iv, or with another IV"
    if args.cipher == GCM:
        return "begin again"
    return "cycle the board's power, or use another board, and begin again"


def _kept(words: list[str]) -> list[str]:
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--log":
            next(rest, None)
        elif word == "--key":
            next(rest, None)
            kept += ["--key-file", "FILE"]
        elif word.startswith("--key="):
            kept.append("--key-file=FILE")
        elif not word.startswith("--log="):
            kept.append(word)
    return kept


def splitting(name: str, direction: str, cipher: str, iv: bytes | None, most: int, size: int | None) -> str:
    """Return advice to split a stream of more than `most` bytes with the program `split`. If the size is
    known, the parts are called NAME.aa, NAME.ab and so on, otherwise part.aa, part.ab and so on.
    """
    parts, source = (f"{name}.", name) if size is not None else ("part.", "-")
    command = f"`split -b {most} {shlex.quote(source)} {shlex.quote(parts)}`"
    how = f"split it: {command}" + (" instead of this command" if size is None else "")
    if cipher == GCM:
        return f"{how}, and {direction} each part"
    if iv is None:
        return f"{how}, and {direction} each part under its own IV, which the board draws"
    shown = _SHOWN if size is None else min(_SHOWN, -(-size // most))
    ivs = ", ".join(
        f"{shlex.quote(parts + 'a' + chr(ord('a') + number))} --iv {block_after(iv, number * (most // BLOCK)).hex()}"
        for number in range(shown)
    )
    more = "" if size is not None and shown * most >= size else f", and so on by 0x{most // BLOCK:x} each"
    return f"{how}, and {direction} {ivs}{more}"
