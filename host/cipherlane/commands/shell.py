# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane completion` prints a script for shell completion; `cipherlane man` prints this tool's manual page."""

import argparse
import sys
from typing import Any

import shtab
from cipherlane_base.version import __version__

from ..errors import ArgumentError
from . import common

_FILES = ("FILE", "IN", "OUT")


def add_to(commands: Any) -> None:
    """Add the commands `completion` and `man` to the command line."""
    parser = common.add_command(
        commands,
        "completion",
        link=False,
        help="print a shell script that completes commands and options",
        epilog="For instance: cipherlane completion bash > ~/.local/share/bash-completion/completions/cipherlane",
    )
    parser.add_argument("shell", choices=shtab.SUPPORTED_SHELLS, help="shell that runs the script")
    parser.set_defaults(run=complete)
    parser = common.add_command(
        commands,
        "man",
        link=False,
        help="print the manual page",
        epilog="For instance: cipherlane man > cipherlane.1, and man ./cipherlane.1",
    )
    parser.set_defaults(run=manual)


def complete(args: argparse.Namespace) -> int:
    """Print the completion script for the chosen shell."""
    parser = args.parser
    for each in (parser, *parser.commands.choices.values()):
        for action in each._actions:
            if action.metavar in _FILES:
                action.complete = shtab.FILE
    sys.stdout.write(shtab.complete(parser, args.shell))
    return 0


def manual(args: argparse.Namespace) -> int:
    """Print the manual page."""
    try:
        from argparse_manpage.manpage import Manpage
    except ImportError as error:
        raise ArgumentError("the manual page needs argparse-manpage: pip install 'cipherlane[man]'") from error
    data = {"project_name": "cipherlane", "version": __version__, "manual_section": "1"}
    sys.stdout.write(str(Manpage(args.parser, data)))
    return 0
