# SPDX-License-Identifier: BSD-2-Clause
"""Computes the measurements for the live page, with the same functions as the other commands."""

from typing import Any

from cipherlane_base.wire.layout import Engine

from ..link.session import Session
from ..link.transfer import TransferReport
from ..measuring.linkbench import network_of

Point = dict[str, Any]


def together(one: TransferReport, other: TransferReport) -> TransferReport:
    """Return a transfer report with the sums of the values in two reports."""
    return TransferReport(
        one.bytes + other.bytes,
        one.records + other.records,
        one.retransmissions + other.retransmissions,
        one.seconds + other.seconds,
    )


def cycles_of(session: Session) -> int | None:
    """Return the board's cycle count since a session was opened; None without such a count or without Ethernet."""
    counters = network_of(session)
    return counters["cycles"] or None if counters else None


def point(
    session: Session, engine: Engine, key: bytes, report: TransferReport, cycles: int | None, pictures: int
) -> Point:
    """Compute a session's figures from the summed transfer `report`, the board's `cycles`, and the number of
    `pictures`.

    `pictures_a_second` and `wall_mbps` use the host's clock. `link_mbps` of a simulated board with Ethernet uses
    simulated time; `link_time` names the clock used. `engine_share` is the engine's share of the board's own time.
    """
    done = session.measurement(engine, key, report, None)
    wall = report.seconds
    simulated = cycles / done.clock_hz if cycles and done.kind == "sim" else None
    passing = simulated or (None if done.kind == "sim" else wall)  # duration on the board in seconds; None if unknown
    return {
        "engine": done.engine,
        "key_bits": done.key_bits,
        "record_bytes": session.record_bytes,
        "kind": done.kind,
        "mbps": done.mbps,
        "cycles_per_block": done.cycles_per_block,
        "link_mbps": report.bytes * 8 / (simulated or wall) / 1e6,
        "link_time": "simulated" if simulated else "wall",
        "wall_mbps": report.link_wall_mbps,
        "engine_share": done.cycles / done.clock_hz / passing if passing and done.cycles else None,
        "retransmissions": report.retransmissions,
        "seconds": wall,
        "pictures_a_second": pictures / wall if wall else 0.0,
        "picture_cycles": cycles / pictures if cycles and pictures else None,
    }
