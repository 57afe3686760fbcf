# SPDX-License-Identifier: BSD-2-Clause
"""The results of `make explore-fpgas`: generated cores on FPGAs other than the ECP5."""

from lab.results.kept import Content, select
from lab.results.tables import Table, median_mhz, table

FIELDS = ("core", "family", "part", "speed", "unit", "logic", "ff", "bram", "filled", "placed", "fmax_mhz")
FIELDS += ("seeds", "fmax_least_mhz", "fmax_most_mhz", "cycles_per_block", "mbps", "failures")
HEADINGS = ["part", "core", "logic", "FF", "block RAM", "part filled", "MHz", "cycles a block", "Mbps"]


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs."""
    return {"kind": content["kind"], "records": select(content["records"], FIELDS)}


def _clock(record: Content) -> str:
    """Return the clock of a core as text. If some seeds failed, add the reasons. If all seeds failed, return only the
    reasons.
    """
    seeds = record["seeds"]
    reasons = "; ".join(dict.fromkeys(each["reason"] for each in record["failures"]))
    if not record["placed"]:
        return reasons
    clock = median_mhz(record, seeds[: record["placed"]])
    return f"{clock}, {record['placed']} of {len(seeds)} seeds ({reasons})" if reasons else clock


def _row(record: Content, content: Content) -> list:
    area = ["-"] * 3
    if record["logic"] is not None:
        area = [f"{record['logic']} {record['unit']}", record["ff"], record["bram"]]
    speed = ["-", _clock(record), record["cycles_per_block"], "-"]
    if record["placed"]:
        speed[0], speed[3] = f"{record['filled']:.0%}", f"{record['mbps']:.0f} ({content['kind']})"
    return [record["part"], f"`{record['core']}`", *area, *speed]


def render(kept: dict[str, Content]) -> list[str]:
    """Return one table in Markdown: a row for each core on each part. A core without a result also has a row."""
    content = kept["explore-fpgas"]
    grades = {r["part"]: f"{r['part']} ({r['family']}, {r['speed']})" for r in content["records"]}
    return [
        "`make explore-fpgas`: a clock is the median of several seeds, with the least and the most, or of one. Parts: "
        f"{'; '.join(grades.values())}.",
        "",
        *table(HEADINGS, [_row(record, content) for record in content["records"]]),
    ]


TABLE = Table(
    name="explore-fpgas",
    page="docs/reference/fpgas.md",
    sources=("explore-fpgas.json",),
    command="make explore-fpgas",
    render=render,
    keep=keep,
    shows="generated cores on Nexus, iCE40 UltraPlus, Gowin and GateMate: resources, clock, throughput",
    speed="engine",
    takes="hours",
)
