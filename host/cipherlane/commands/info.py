# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane info`: prints the board's identity and its link counters."""

import argparse
from dataclasses import asdict
from typing import Any

from .. import views
from . import common


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = common.add_command(
        commands,
        "info",
        help="show the board's identity, clock, limits and engines",
        description="Show the board at --port: identity, clock, limits and engines, the link's counters since "
        "power-on, and the records that a fast path has answered and dropped.",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Show the board's identity and counters."""
    with common.open_device(args) as device:
        fields = asdict(device.info())
        for name in ("engines", "gcm_engines"):
            fields[name] = [engine.name.lower() for engine in fields[name]]
        counters = device.counters()
        fast_path = device.fast_path() if any(engine.traits.serves for engine in device.info().engines) else None
    if args.json:
        views.show_json({**fields, "counters": counters, "fast_path": asdict(fast_path) if fast_path else None})
    else:
        views.show(views.field_table({**fields, **counters}))
        if fast_path:
            title = "the fast path at {}:{}, and what it has answered and dropped".format(*fast_path.address)
            views.show(views.field_table(fast_path.counters, title))
    return 0
