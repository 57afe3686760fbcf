# SPDX-License-Identifier: BSD-2-Clause
"""Show the table of the README: three speeds (engine, record and link) of each engine at AES-128."""

from lab.results.kept import Content, ResultsError
from lab.results.tables import Table, table

ENGINES = {
    "table": "C with tables, on the CPU",
    "ise": "vector unit, two instructions a round, as in the paper",
    "ise_fused": "vector unit, one instruction a round",
    "ise_vmem": "the same with vector loads and stores",
    "accelerator": "AES-CTR with its own DMA",
    "fastpath": "data records in hardware, no CPU in their way",
}
# Maps each speed to a pair: the name of a file in `lab/results/data` without suffix, and the field that contains the
# Mbps.
SPEEDS = {"engine": ("bench", "mbps"), "record": ("demo", "mbps"), "link": ("bench-udp", "goodput_mbps")}
KEY_BITS = 128


def speeds(kept: dict[str, Content]) -> dict[str, dict[str, dict]]:
    """Return the records of AES-128 encryption. The outer keys are engines, and the inner keys are speeds. The field
    `figure` of a record contains the Mbps.
    """
    found: dict[str, dict[str, dict]] = {}
    for engine in ENGINES:
        for speed, (name, figure) in SPEEDS.items():
            for r in kept[name]["records"]:
                case = (r["engine"], r["key_bits"], r.get("direction", "encrypt"), r.get("mode", "ctr"))
                if case == (engine, KEY_BITS, "encrypt", "ctr"):
                    found.setdefault(engine, {})[speed] = {**r, "figure": r[figure]}
    return found


def wire_limit(kept: dict[str, Content]) -> tuple[float, int]:
    """Return the highest goodput in Mbps that the Ethernet wire allows, and the record size in bytes to which this
    limit applies. This is the size of the records that `make bench-udp` sends.
    """
    record = kept["bench-udp"]["records"][-1]
    return record["goodput_mbps"] / record["share"], record["record_bytes"]


def columns(found: dict[str, dict[str, dict]]) -> tuple[dict[str, str], str]:
    """Return a dict and a text. The dict maps each speed to a heading that includes the clock. The text is the kind of
    all measurements, for example `sim` for simulation.

    Raises
    ------
    ResultsError
        One speed was measured at several clocks, or the kinds differ, so the figures do not fit in one table.
    """
    different = {(s, r["clock_hz"] / 1e6, r["kind"]) for row in found.values() for s, r in row.items()}
    clocks = {speed: clock for speed, clock, _ in different}
    kinds = {kind for _, _, kind in different}
    if len(kinds) != 1 or len(different) != len(clocks):
        shown = ", ".join(sorted({f"{clock:g} MHz ({kind})" for _, clock, kind in different}))
        raise ResultsError(f"engine, record and link speed are of {shown}: measure them on one board")
    return {speed: f"{speed} speed, {clocks[speed]:g} MHz" for speed in SPEEDS}, kinds.pop()


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: a row for each engine."""
    found = speeds(kept)

    def cell(row: dict[str, dict], speed: str) -> str:
        if speed not in row:
            return "-"
        cycles = row[speed].get("cycles_per_block")
        return f"{row[speed]['figure']:.1f}" + (f" ({cycles:.1f})" if cycles else "")

    rows = [[f"`{e}`", ENGINES[e], *(cell(row, speed) for speed in SPEEDS)] for e, row in found.items()]
    limit = kept["bench-udp"]["records"][0]["record_bytes"]
    names, kind = columns(found)
    return [
        f"AES-128-CTR, Mbps ({kind}) with cycles a block in brackets. Link speed: records of {limit} bytes over UDP "
        "on 1 Gb/s, there and back:",
        "",
        *table(["engine", "what it is", *names.values()], rows),
    ]


TABLE = Table(
    name="headline",
    page="README.md",
    sources=tuple(f"{name}.json" for name, _ in SPEEDS.values()),
    command="make demo",
    render=render,
)
