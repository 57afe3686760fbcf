# SPDX-License-Identifier: BSD-2-Clause
"""The results of `make bench-udp`: the speed of records over UDP, and the CPU cycles for a record."""

from lab.results.kept import Content, select
from lab.results.tables import Table, picture, table

FIELDS = ("engine", "key_bits", "record_bytes", "bytes", "kind", "clock_hz", "goodput_mbps", "share", "packet_cycles")


def keep(content: Content) -> Content:
    """Return the part of a results file that this table needs."""
    return {"records": select(content["records"], FIELDS)}


def stages(records: list[dict]) -> list[str]:
    """Return a table in Markdown: for each engine, the cycles by stage and the goodput."""
    names = next(list(r["packet_cycles"]) for r in records if r["packet_cycles"])
    rows = [
        [
            r["engine"],
            r["key_bits"],
            r["record_bytes"],
            *(f"{r['packet_cycles'][name]:.0f}" if r["packet_cycles"] else "-" for name in names),
            f"{sum(r['packet_cycles'].values()):.0f}" if r["packet_cycles"] else "-",
            f"{r['goodput_mbps']:.1f} ({r['kind']})",
            f"{r['share']:.1%}",
        ]
        for r in records
    ]
    return table(["engine", "key bits", "record bytes", *names, "sum", "Mbps", "share of the limit"], rows)


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: a caption, and a row for each engine."""
    records = kept["bench-udp"]["records"]
    return [
        f"**Link speed** (`make bench-udp`) at {records[0]['clock_hz'] / 1e6:g} MHz: data go to the board and come "
        "back in records over UDP, and count once. The stages are the CPU's cycles for one record: the MAC's "
        "registers, copies with their checksums, headers, the record service, the engine. The cycles are means over "
        "all records of a stream, including two without data, and are rounded separately. Time between two records "
        "counts for the Mbps, but for no stage. Limit: gigabit Ethernet with such records:",
        "",
        *stages(records),
        "",
        *picture("The way of one record through the board, by engine: cycles by stage", "../docs/pictures/record"),
    ]


TABLE = Table(
    name="bench-udp",
    page="host/RESULTS.md",
    sources=("bench-udp.json",),
    command="make bench-udp",
    render=render,
    keep=keep,
    shows="records over UDP by the CPU with each engine, and by the fast path; a record's cycles by stage",
    speed="link",
    takes="2 minutes",
)
