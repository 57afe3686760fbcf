# SPDX-License-Identifier: BSD-2-Clause
"""The results of `cipherlane bench --record-bytes`: how much slower an engine is in shorter calls."""

from lab.results.kept import Content, select
from lab.results.tables import Table, table
from lab.results.tables.bench import FIELDS

PREFIX = "bench-call-"


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs."""
    return {"records": select(content["records"], FIELDS)}


def lengths(kept: dict[str, Content]) -> dict[int, dict]:
    """Return a record for each number of bytes per call. The largest number comes first."""
    chosen = {name.removeprefix(PREFIX): content for name, content in kept.items() if name.startswith(PREFIX)}
    return {size: chosen[str(size)]["records"][0] for size in sorted(map(int, chosen), reverse=True)}


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: a row for each number of bytes per call."""
    rows = [
        [r["engine"], r["key_bits"], size, f"{r['cycles_per_block']:.1f}", f"{r['mbps']:.1f} ({r['kind']})"]
        for size, r in lengths(kept).items()
    ]
    return [
        "**Engine speed** in shorter calls (`cipherlane bench --record-bytes`), otherwise as above:",
        "",
        *table(["engine", "key bits", "bytes a call", "cycles/block", "Mbps"], rows),
    ]


COMMAND = "cipherlane bench --port sim --engine ise --key-bits 128 --record-bytes N --force --results "
TABLE = Table(
    name="calls",
    page="host/RESULTS.md",
    sources=(f"{PREFIX}*.json",),
    command=COMMAND + "build/results/bench-call-N.json",
    render=render,
    keep=keep,
    shows="an engine in calls of 2048, 1472 and 1408 bytes",
    speed="engine",
    takes="5 seconds each",
)
