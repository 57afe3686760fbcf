# SPDX-License-Identifier: BSD-2-Clause
"""The results of `make explore-ghash`: GHASH units with different numbers of cycles for a multiplication."""

from lab.results.kept import Content, select
from lab.results.tables import Table, median_mhz, of_seeds, table

FIELDS = ("cycles", "portable", "device", "speed", "lut4", "sites", "ff", "fmax_mhz", "fmax_least_mhz", "fmax_most_mhz")
FIELDS += ("cycles_per_block", "subkey_cycles", "tag_cycles", "mbps", "mbps_per_lut", "toggles_per_block")
HEADINGS = ["cycles", "cells", "LUT4", "LUT sites", "FF", "MHz", "Mbps", "Mbps per LUT4", "toggles a block"]


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs."""
    return {"kind": content["kind"], "seeds": content["seeds"], "records": select(content["records"], FIELDS)}


def render(kept: dict[str, Content]) -> list[str]:
    """Return a table in Markdown for each FPGA part: a row for each GHASH unit, the smallest first."""
    content = kept["explore-ghash"]
    records = content["records"]
    subkey, tag = (max(r[name] for r in records) for name in ("subkey_cycles", "tag_cycles"))
    lines = [
        f"**GHASH by itself** (`make explore-ghash`): clocks are by {of_seeds(content['seeds'])}, with the least and "
        f"the most of several seeds. A subkey takes {subkey} cycles, a tag {tag} more than its blocks. LUT sites also "
        "count the two LUTs of the slice that holds the write port of a distributed RAM. Toggles are transitions of "
        "all cells' outputs in a simulation of the mapped netlist with unit delays. They show activity, not power.",
    ]
    for device, speed in sorted({(r["device"], r["speed"]) for r in records}, reverse=True):
        rows = [
            [
                f"{r['cycles_per_block']:g}",
                "portable" if r["portable"] else "ECP5",
                r["lut4"],
                r["sites"],
                r["ff"],
                median_mhz(r, content["seeds"]),
                f"{r['mbps']:.0f} ({content['kind']})",
                f"{r['mbps_per_lut']:.3f}",
                f"{r['toggles_per_block']:.0f}",
            ]
            for r in sorted(records, key=lambda r: (-r["cycles"], r["portable"]))
            if (r["device"], r["speed"]) == (device, speed)
        ]
        lines += ["", f"{device}, speed grade {speed}:", "", *table(HEADINGS, rows)]
    return lines


TABLE = Table(
    name="explore-ghash",
    page="docs/reference/ghash.md",
    sources=("explore-ghash.json",),
    command="make explore-ghash",
    render=render,
    keep=keep,
    shows="GHASH with a product in 16 cycles to one cycle: resources, clock, throughput, activity",
    speed="engine",
    takes="30 minutes",
)
