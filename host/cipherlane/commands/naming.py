# SPDX-License-Identifier: BSD-2-Clause
"""Before any file is opened, checks for conflicts between the files that a command's options name."""

import argparse
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from .. import settings, views
from ..arguments import Parser
from ..errors import ExistsError, FileError
from ..files import keys
from ..files.claims import (
    STANDARD,
    OutName,
    ReadName,
    Use,
    WrittenName,
    require_apart,
    require_replaceable,
    standard_streams,
)
from ..files.output import kept_at


def settle(args: argparse.Namespace, parser: Parser) -> None:
    """Refuse a command whose files conflict. Refuse to replace an existing file, unless the user gave --force or agrees
    when asked at a terminal.

    Raises:
        ExistsError: a file exists and may not be replaced.
        FileError: a file to be written is also used otherwise by the command, or cannot be written.
    """
    found = list(_uses(args, parser))
    reads_input = STANDARD in (getattr(args, "input", None), getattr(args, "key_file", None))
    require_apart((*standard_streams(reads_input), *found))
    if not parser.has("--force"):
        return
    agreed = False
    for use in found:
        if use.written and not use.kept_for:
            try:
                require_replaceable(use, bool(args.force))
            except ExistsError as error:
                if reads_input or not views.ask(error.question):
                    raise
                agreed = True
    args.force = bool(args.force or agreed)


def output(name: str, option: str) -> Iterator[Use]:
    """Yield a `Use` for the output file `name` and for each of its temporary files, which hold incomplete output. Yield
    nothing for standard output.
    """
    if name == STANDARD:
        return
    use = Use(name, True, option)
    yield use
    status = use.seen()
    if status is None or stat.S_ISREG(status.st_mode):
        yield from (Use(str(path), True, option, kept_for=name) for path in kept_at(Path(name)))


def _uses(args: argparse.Namespace, parser: Parser) -> Iterator[Use]:
    config = settings.path()
    if config and os.path.exists(config):
        yield Use(str(config))
    if "key_file" in args and (key := keys.named_file(args)) and key != STANDARD:
        yield Use(key)
    for action in parser._actions:
        value = getattr(args, action.dest, None)
        option = action.option_strings[-1] if action.option_strings else str(action.metavar)
        for name in value if isinstance(value, list) else [value]:
            if isinstance(name, OutName):
                yield from output(name, option)
            elif isinstance(name, WrittenName):
                if name == STANDARD and parser.has("--force"):
                    raise FileError(
                        f"{option} takes the name of a file: ./- is a file, --json writes to standard output"
                    )
                yield Use(name, True, option)
            elif isinstance(name, ReadName) and action.dest != "key_file" and name != STANDARD:
                yield Use(name)
