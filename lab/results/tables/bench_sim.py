# SPDX-License-Identifier: BSD-2-Clause
"""Results of `make bench`: every AES implementation of the project in its fastest style, and BearSSL for comparison."""

from lab.results.kept import Content, select
from lab.results.tables import Table, table

KEY_BITS = (128, 192, 256)
CASES = (("ecb", "encrypt"), ("ecb", "decrypt"), ("ctr", "encrypt"), ("gcm", "encrypt"))
FIELDS = ("engine", "mode", "direction", "key_bits", "cycles_per_block", "clock_met_by", "kind")


def keep(content: Content) -> Content:
    """Return the records of each engine's fastest style. In these measurements, the data cache holds the data.
    Exception: `ise_vmem` bypasses the cache, so the data of its measurement are uncached.
    """
    best: dict[tuple, dict] = {}
    for r in content["records"]:
        memory = "buffer" if r["engine"] == "ise_vmem" else "buffer, cached"
        case = r.get("engine"), r.get("mode"), r.get("direction"), r.get("key_bits")
        if r["measure"] == "throughput" and r["memory"] == memory and case[1:3] in CASES:
            best[case] = min(best.get(case, r), r, key=lambda r: r["cycles_per_block"])
    return {"records": select(best.values(), FIELDS)}


def render(kept: dict[str, Content]) -> list[str]:
    """Return the table in Markdown: a row for each engine."""
    records = kept["bench-sim"]["records"]
    found = {(r["engine"], r["mode"], r["direction"], r["key_bits"]): r["cycles_per_block"] for r in records}
    placed = {r["engine"]: bool(r["clock_met_by"]) for r in records}

    def cycles(engine: str, mode: str, direction: str) -> str:
        cells = [found.get((engine, mode, direction, bits)) for bits in KEY_BITS]
        return " / ".join("-" if cell is None else f"{cell:.1f}" for cell in cells)

    rows = []
    modes = {r["mode"] for r in records}
    measured = [case for case in CASES if case[0] in modes]
    headings = [f"{mode.upper()} {direction}" if mode == "ecb" else mode.upper() for mode, direction in measured]
    for engine, is_placed in placed.items():
        own, c = (found[name, "ctr", "encrypt", 128] for name in (engine, "table"))
        name = engine if is_placed else f"{engine} (clock not placed)"
        rows.append([name, *(cycles(engine, *case) for case in measured), f"{c / own:.1f}"])
    return [
        "**Engine speed** (`make bench`): cycles a block at AES-128/192/256 (sim), each engine in its fastest style, "
        "the key schedule done before. The data are 256 KB, in passes over 2 KB that the data cache holds. `ise_vmem` "
        "does not use the cache and processes 32 KB. C and `zkn`, the ratified scalar instructions, run one pass. The "
        "last column is the speed over table C, in CTR at AES-128:",
        "",
        *table(["engine", *headings, "times table C"], rows),
    ]


TABLE = Table(
    name="bench-sim",
    page="lab/bench/README.md",
    sources=("bench-sim.json",),
    command="make bench",
    render=render,
    keep=keep,
    shows="every engine, mode, style and key length from memory to memory, with peers",
    speed="engine",
    takes="20 minutes",
)
