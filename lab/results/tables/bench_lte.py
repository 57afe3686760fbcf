# SPDX-License-Identifier: BSD-2-Clause
"""The results of `make bench-lte`: LTE's layer 2 with each engine. A transport block comes each millisecond."""

from lab.results.kept import Content, select
from lab.results.tables import Table, picture, table

FIELDS = ("cipher", "engine", "mbps", "packets", "packet_bytes", "cycles", "clock_hz", "clock_met_by", "kind")
TTI_MS = 1.0
# The data rates in Hessel et al. 2009. Higher rates are measured only to find the highest rate that an engine reaches.
RATES_MBPS = (100, 200, 300)
# Times per byte, in ns. Hessel et al. 2009 compare the power of their accelerators at these speeds.
POINTS_NS = (4, 14, 24)


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs."""
    return {"records": select(content["records"], FIELDS)}


def milliseconds(record: dict) -> float:
    """Return the time in milliseconds for processing a transport block."""
    return record["cycles"] / record["clock_hz"] * 1e3


def ns_a_byte(record: dict, stack: dict[int, dict]) -> float:
    """Return the time in ns that the cipher adds per byte. `record` is a measurement with the cipher. `stack` maps each
    data rate to a measurement without ciphering.
    """
    beyond = milliseconds(record) - milliseconds(stack[record["mbps"]])
    return beyond * 1e6 / record["packet_bytes"]


def in_time_until(is_in_time: dict[int, bool]) -> str:
    """Return as text the highest data rate at which all blocks are finished in time. Add "or more" if no higher rate
    was measured.
    """
    held = [mbps for mbps, it_is in is_in_time.items() if it_is]
    if not held:
        return f"less than {RATES_MBPS[0]}"
    return f"{max(held)}{' or more' if max(is_in_time) in held else ''}"


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: the time to process a transport block at several data rates. Each engine has a row
    with measured times. Further rows are computed: one for each time per byte in `POINTS_NS`.
    """
    records = kept["bench-lte"]["records"]
    stack = {r["mbps"]: r for r in records if r["engine"] is None}
    engines = {}
    for record in records:
        engines.setdefault(record["engine"], {})[record["mbps"]] = record
    rates = RATES_MBPS
    rows = []
    for engine, found in engines.items():
        more = "-"
        if engine is not None:
            more = f"{ns_a_byte(found[rates[-1]], stack):.1f}"
        until = in_time_until({mbps: milliseconds(record) <= TTI_MS for mbps, record in found.items()})
        times = [f"{milliseconds(found[mbps]):.3f} ({found[mbps]['kind']})" for mbps in rates]
        rows.append([engine or "none: headers only", found[rates[0]]["cipher"], *times, more, until])
    for ns in POINTS_NS:
        times = [milliseconds(stack[mbps]) + ns * stack[mbps]["packet_bytes"] * 1e-6 for mbps in rates]
        until = in_time_until({mbps: time <= TTI_MS for mbps, time in zip(rates, times, strict=True)})
        rows.append([f"headers and {ns} ns a byte, computed", "any", *(f"{t:.3f}" for t in times), str(ns), until])
    met_by = records[0]["clock_met_by"]
    met = f"which place-and-route of {met_by} met" if met_by else "which no place-and-route has met"
    headings = ["engine", "cipher", *(f"{mbps} Mbit/s" for mbps in rates), "ns a byte more", "in time until Mbit/s"]
    return [
        "`make bench-lte`: milliseconds to process the transport block of 1 ms at "
        f"{records[0]['clock_hz'] / 1e6:g} MHz, {met}. Each figure is the slowest of three passes (C: one pass). A "
        "pass begins with none of the block in the data cache. Packets have 1500 bytes. Where nothing deciphers them, "
        "they are handed over where they lie:",
        "",
        *table(headings, rows),
        "",
        *picture(
            "Time of a transport block over what its cipher takes for a byte",
            "../results/layer2",
        ),
    ]


TABLE = Table(
    name="bench-lte",
    page="lab/bench_lte/README.md",
    sources=("bench-lte.json",),
    command="make bench-lte",
    render=render,
    keep=keep,
    shows="LTE's layer 2 with each engine: time of a transport block, and up to which rate it keeps up",
    takes="3 minutes",
)
