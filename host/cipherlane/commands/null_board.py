"""`cipherlane null-board`: the peer in software that measures the host's own limit."""

import argparse
from typing import Any

from .. import views
from ..nullboard import NullBoard
from ..transport.udp import parse

_FOREVER = float("inf")


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("null-board", help="answer records over UDP in software, on this machine")
    parser.add_argument("--listen", default="udp://127.0.0.1", help="udp://address[:port] (default: %(default)s)")
    parser.add_argument("--echo", action="store_true", help="send data back as they are, instead of encrypting them")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Answer until interrupted."""
    board = NullBoard(*parse(args.listen), echo=args.echo)
    views.show(f"null board at {board.url}", stderr=True)
    try:
        board.serve(_FOREVER)
    finally:
        board.close()
    return 0
