# SPDX-License-Identifier: BSD-2-Clause
"""The results of `cipherlane bench`: the speed of each engine from memory to memory."""

from lab.results.kept import Content, select
from lab.results.tables import Table, table

FIELDS = ("engine", "mode", "key_bits", "bytes", "cycles_per_block", "bits_per_cycle", "mbps", "kind", "clock_hz")


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs."""
    return {"records": select(content["records"], FIELDS)}


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: a row for each engine and key length."""
    records = kept["bench"]["records"]
    rows = [
        [
            r["engine"],
            r["mode"].upper(),
            r["key_bits"],
            r["bytes"],
            f"{r['cycles_per_block']:.1f}",
            f"{r['bits_per_cycle']:.2f}",
            f"{r['mbps']:.1f} ({r['kind']})",
        ]
        for r in records
    ]
    return [
        "**Engine speed** (`cipherlane bench --port sim`): from memory to memory on the board, without transport, at "
        f"{records[0]['clock_hz'] / 1e6:g} MHz. One call processes all bytes; in GCM, they are one message. The data "
        "are not in the data cache before the call.",
        "",
        "For GCM, the engines `ise`, `ise_fused`, `ise_vmem` and `accelerator` use the multiplier in the vector unit. "
        "`byte` and `table` use GHASH in C:",
        "",
        *table(["engine", "mode", "key bits", "bytes", "cycles/block", "bits/cycle", "Mbps"], rows),
    ]


TABLE = Table(
    name="bench",
    page="host/RESULTS.md",
    sources=("bench.json",),
    command="cipherlane bench --port sim --force --results build/results/bench.json",
    render=render,
    keep=keep,
    shows="each engine from memory to memory, in one call",
    speed="engine",
    takes="10 seconds",
)
