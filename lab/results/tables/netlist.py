# SPDX-License-Identifier: BSD-2-Clause
"""Results of `make netlist`: the cycles of each engine in simulations of the netlists. If the data are in the board's
memory, the cycles are the same as on the simulated board.
"""

from lab.results.kept import Content, select
from lab.results.tables import Table, table

FIELDS = ("stage", "engine", "transfer_cycles", "verified", "kind")


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs."""
    records = select(content["records"], FIELDS)
    for kept, record in zip(records, content["records"], strict=True):
        # A record without the field `cycles` has no measurement with data in the board's memory.
        kept["cycles"] = record.get("cycles")
    return {"board": content["provenance"]["board"], "records": records}


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: a row for each board and engine. `make netlist` fails if the cycles of two
    netlists, or of a netlist and the simulated board, differ.
    """
    rows = {}
    for content in kept.values():
        for r in content["records"]:
            cycles = "-" if r["cycles"] is None else f"{r['cycles']} ({r['kind']})"
            transfer = f"{r['transfer_cycles']} ({r['kind']})" if r["transfer_cycles"] else "none of the CPU's"
            row = (content["board"], r["engine"], cycles, transfer)
            rows.setdefault(row, []).append(r["stage"])
    headings = ["board", "engine", "cycles, 1024 bytes in memory", "cycles, 500 bytes from the host", "netlists after"]
    return [
        "`make netlist BOARD=...`, AES-128-CTR: every byte and all known-answer tests are right, and the cycles are "
        "the same as on the simulated board. With bytes from the host over Ethernet they agree within 100 cycles, "
        "because a board that waits for a record leaves traces in the core's data cache:",
        "",
        *table(headings, [[*row, ", ".join(stages)] for row, stages in rows.items()]),
    ]


TABLE = Table(
    name="netlist",
    page="gateware/flow/README.md",
    sources=("netlist-*.json",),
    command="make netlist",
    render=render,
    keep=keep,
    shows="cycles of each engine in the netlists after synthesis and after place-and-route",
    speed="engine",
    takes="30 minutes, the bitstream included",
)
