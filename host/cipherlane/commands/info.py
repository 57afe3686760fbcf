# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane info`: prints the board's identity and its link counters."""

import argparse
from dataclasses import asdict
from typing import Any

from .. import views
from ..link.replies import MACsecState
from . import common


def add_to(commands: Any) -> None:
    """Add the command `info` to the command-line parser."""
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
        macsec = device.macsec()
        fast_path = device.fast_path() if any(engine.traits.serves for engine in device.info().engines) else None
    if args.json:
        views.show_json(
            {
                **fields,
                "counters": counters,
                "fast_path": asdict(fast_path) if fast_path else None,
                "macsec": shown(macsec) if macsec else None,
            }
        )
    else:
        views.show(views.field_table({**fields, **counters}))
        if fast_path:
            title = "the fast path at {}:{}, and what it has answered and dropped".format(*fast_path.address)
            views.show(views.field_table(fast_path.counters, title))
        if macsec:
            views.show(views.field_table(shown(macsec), "MACsec, and the frames that it has handled"))
    return 0


def shown(state: MACsecState) -> dict[str, Any]:
    """Return the MACsec state as a dictionary to print or to write as JSON.

    `protected_by` is None if the board has no keys.
    """
    suite = state.suite.name.replace("_", "-") if state.suite is not None else None
    fields: dict[str, Any] = {
        "protected_by": suite,
        "agrees": state.agrees,
        "closed": state.closed,
        "sci": state.sci.hex(),
    }
    if suite:
        fields |= {"peer_sci": state.peer_sci.hex(), "encrypt": state.encrypt, "next_pn": state.next_pn}
    return {**fields, "failed": state.failed(), **state.counters}
