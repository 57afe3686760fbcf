# SPDX-License-Identifier: BSD-2-Clause
"""Results of `make demo`: the speed of each engine when it processes records."""

from lab.results.kept import Content, select
from lab.results.tables import Table, table

# The host tool measures these fields of a record. It computes the remaining fields in `FIELDS` from the measured
# fields.
MEASURED = ("engine", "key_bits", "direction", "bytes", "blocks", "cycles", "key_cycles", "kind", "clock_hz")
MEASURED += ("processed_bytes", "verified", "mode")
ENGINES = ("byte", "table", "ise", "ise_fused", "ise_vmem", "accelerator")
HEADINGS = ("engine", "mode", "key bits", "direction", "cycles/block", "bits/cycle", "Mbps", "every byte checked")
FIELDS = (*MEASURED, "cycles_per_block", "bits_per_cycle", "mbps")


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs. Omit engines that do not count cycles."""
    return {"records": select((r for r in content["records"] if r["cycles"]), FIELDS)}


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: a row for each engine, key length and direction."""
    records = kept["demo"]["records"]
    rows = [
        [
            r["engine"],
            r["mode"].upper(),
            r["key_bits"],
            r["direction"],
            f"{r['cycles_per_block']:.1f}",
            f"{r['bits_per_cycle']:.2f}",
            f"{r['mbps']:.1f} ({r['kind']})",
            "yes" if r["verified"] else "no",
        ]
        for r in records
    ]
    first = records[0]
    return [
        "**Record speed** (`make demo`): the engine's cycles for each record, one call a record, at "
        f"{first['clock_hz'] / 1e6:g} MHz. A file of {first['bytes']} bytes passes through the record service over the "
        "UART. Framing, checks and copies around the call are not counted, and the UART is far slower. GCM is "
        "subject to the same reservation as above:",
        "",
        *table(
            ["engine", "mode", "key bits", "direction", "cycles/block", "bits/cycle", "Mbps", "every byte checked"],
            rows,
        ),
    ]


TABLE = Table(
    name="demo",
    page="host/RESULTS.md",
    sources=("demo.json",),
    # The command selects all key lengths and all engines in `ENGINES`. By default, `make demo` omits some key
    # lengths and the slow engines.
    command="cipherlane demo --port sim --key-bits all "
    + " ".join(f"--engine {engine}" for engine in ENGINES)
    + " --force --results build/results/demo.json",
    render=render,
    keep=keep,
    shows="a file through the record service over the UART, with each engine",
    speed="record",
    takes="1 minute",
)
