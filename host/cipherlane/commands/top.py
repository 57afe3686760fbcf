# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane top`: shows speeds and counters on a terminal while pictures stream through the board."""

import argparse
import functools
import os
import sys
from typing import Any

from .. import signals
from ..errors import ArgumentError
from . import common

# Width and height of a picture in pixels: small enough to send quickly, large enough for the chi-square test.
_EDGE = 48


def add_to(commands: Any) -> None:
    """Add the command `top` to the command line."""
    parser = common.add_command(
        commands,
        "top",
        help="show the board's figures on a terminal while a stream passes through it",
        description="Stream a moving pattern through the board, and show on the terminal what `cipherlane live` shows "
        "in a browser, until q is pressed: Mbps of each engine with its kind, cycles a block, the engine's share of "
        "the link's time, statistics of the ciphertext, and the board's counters. The keys e, k and r switch "
        "engine, key length and record size forward; E, K and R switch them backward. AES keys are random and "
        "kept nowhere. Needs pip install 'cipherlane[top]'.",
    )
    parser.add_argument("--engine", choices=common.ENGINE_NAMES, help="engine to start with (default: the fastest)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Stream pictures through the board, and show speeds and counters until the user quits."""
    if args.json:
        raise ArgumentError("top prints no JSON: `cipherlane bench --link --json` prints figures")
    if (
        # Standard input, standard output and standard error must be terminals. The display library, Textual, draws on
        # standard error.
        not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
        or os.environ.get("TERM", "dumb" if os.name == "posix" else "") == "dumb"
    ):
        raise ArgumentError(
            "top needs a terminal that it can draw on: `cipherlane bench --link` prints figures without one"
        )
    try:
        from ..live.hub import Hub
        from ..live.streamer import Streamer
        from ..live.top import Top
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        raise ArgumentError(f"no package {package}: pip install 'cipherlane[top]'") from None
    hub = Hub()
    top = Top(hub, Streamer(hub, functools.partial(common.open_device, args), _EDGE, engine=args.engine))
    try:
        with signals.ending_with_terminal(top.finish):
            try:
                top.run()
            finally:
                with signals.deferring():
                    top.finish()
    except signals.Interrupted as interrupt:
        interrupt.add_note("the stream has ended")
        raise
    return 0
