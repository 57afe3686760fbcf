# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane null-board`: answers records as a board does, in software, to measure the host's own speed limit."""

import argparse
from typing import Any

from .. import views
from ..measuring.nullboard import NullBoard
from ..transport.udp import parse
from . import common

_FOREVER = float("inf")


def add_to(commands: Any) -> None:
    """Add the command `null-board` to the command-line parser."""
    parser = common.add_command(
        commands,
        "null-board",
        link=False,
        help="answer records over UDP in software, on this machine",
        description="Answer records over UDP in software until interrupted. Use it to try the tool without a board, "
        "and to measure this machine's own speed limit with `cipherlane bench --link`.",
    )
    parser.add_argument("--listen", default="udp://127.0.0.1", help="udp://address[:port] (default: %(default)s)")
    parser.add_argument("--echo", action="store_true", help="return data unchanged instead of encrypting them")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Answer records until interrupted."""
    board = NullBoard(*parse(args.listen), echo=args.echo)
    views.show(f"null board at {board.url}", stderr=True)
    try:
        board.serve(_FOREVER)
    finally:
        board.close()
    return 0
