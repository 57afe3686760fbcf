# SPDX-License-Identifier: BSD-2-Clause
"""The results of `make bench-sdram`: the engines with their data in SDRAM."""

from lab.results.kept import Content, select
from lab.results.tables import Table, table

FIELDS = ("engine", "memory", "bytes", "cycles_per_block", "clock_hz", "clock_met_by", "kind")
MEMORIES = ("buffer", "sdram", "sdram, copied")


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs."""
    return {"records": select(content["records"], FIELDS)}


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: a row for each engine."""
    records = kept["bench-sdram"]["records"]
    found = {(r["engine"], r["memory"]): r["cycles_per_block"] for r in records}
    rows = []
    for engine in dict.fromkeys(r["engine"] for r in records):
        cells = [found.get((engine, memory)) for memory in MEMORIES]
        rows.append([engine, *("-" if cell is None else f"{cell:.1f}" for cell in cells)])
    return [
        "**Data in SDRAM** (`make bench-sdram`): cycles a block (sim) of the engines on bare metal, AES-128 in CTR, in "
        "place over 32 KB. `byte` and `table` process 2 KB, which the data cache holds. The simulated board has the "
        "timing of the ECPIX-5's DDR3 and an L2 cache of 8 KB. `copied`: the program moves the data through the buffer "
        "memory, 2 KB at a time, and the copies are counted:",
        "",
        *table(["engine", "data in the buffer memory", "in SDRAM", "in SDRAM, copied"], rows),
    ]


TABLE = Table(
    name="bench-sdram",
    page="lab/bench/README.md",
    sources=("bench-sdram.json",),
    command="make bench-sdram",
    render=render,
    keep=keep,
    shows="the engines with their data in SDRAM",
    speed="engine",
    takes="5 minutes",
)
