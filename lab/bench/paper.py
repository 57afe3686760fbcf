# SPDX-License-Identifier: BSD-2-Clause
"""Show tables that compare our results with each other, with published results, with targets, and with the ratified AES
instructions of RISC-V.
"""

from rich.console import Console
from rich.table import Table

from lab.bench import limits, quoted

Record = dict
KEY_BITS = (128, 192, 256)
ENGINES = ("byte", "table", "zkn", "ise", "ise_fused", "ise_vmem")
STYLES = ("loop", "swap", "unrolled")
BASELINE = ("table", "unrolled")
NONE = "-"


def find(records: list[Record], **values) -> Record | None:
    """Return the throughput record whose fields have the given values, or None. By default, choose a record with data
    in the data cache. For the engine `ise_vmem`, which bypasses the cache, choose one with data in the buffer memory.
    """
    wanted = {"measure": "throughput", **values}
    wanted.setdefault("memory", "buffer" if values["engine"] == "ise_vmem" else "buffer, cached")
    return next((record for record in records if all(record[name] == wanted[name] for name in wanted)), None)


def speed_up(records: list[Record], record: Record, over: tuple[str, str]) -> float | None:
    """Return the speed-up of `record` over the record of another engine and style, which `over` names. Both records
    have the same mode, direction and key length. Return None if the other record is missing.
    """
    same = {name: record[name] for name in ("mode", "direction", "key_bits")}
    base = find(records, engine=over[0], style=over[1], **same)
    return base["cycles_per_block"] / record["cycles_per_block"] if base else None


def _series(values: list) -> str:
    if all(value is None for value in values):
        return NONE
    return " / ".join(NONE if value is None else str(value) for value in values)


def _table(console: Console, title: str, columns: tuple[str, ...], rows: list[tuple], notes: tuple[str, ...]) -> None:
    table = Table(title=title)
    for column in columns:
        table.add_column(column)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    for note in notes:
        console.print(note)


def show_paper(console: Console, records: list[Record], mode: str = "ecb") -> None:
    """Show each engine and style, direction and key length, compared with unrolled C code that uses tables."""
    rows = []
    for engine in ENGINES:
        for style in STYLES:
            for direction in ("encrypt", "decrypt"):
                cells = [
                    find(records, engine=engine, style=style, mode=mode, direction=direction, key_bits=bits)
                    for bits in KEY_BITS
                ]
                ups = [speed_up(records, cell, BASELINE) if cell else None for cell in cells]
                columns = [
                    _series([cell and cell[name] for cell in cells])
                    for name in ("cycles_per_block", "bits_per_cycle", "code_bytes")
                ]
                columns.insert(2, _series([up and f"{up:.2f}" for up in ups]))
                rows.append((engine, style, direction, *columns))
    _table(
        console,
        f"Engines and styles over unrolled C: {mode.upper()} at AES-128/192/256, key schedule before",
        ("engine", "style", "direction", "cycles a block", "bits a cycle", "speed-up over unrolled C", "code bytes"),
        rows,
        (
            "Measured: 256 KB in passes over 2 KB that the data cache holds (ise_vmem: 32 KB, data cache not used);",
            "plain C and zkn one pass over 2 KB, caches warm. Unrolled C is table C. ise*: no loop over rounds and no",
            "swap, as an instruction names its round key; eight blocks go through the unit side by side.",
            f"{quoted.JENKINS} compare each style with itself, one block at a time:",
            "that is `make bench-papers`, and lab/results/papers/jenkins.md.",
        ),
    )


def show_quoted(console: Console, records: list[Record]) -> None:
    """Show published results next to our fastest style of each engine."""
    rows = []
    for engine in ENGINES:
        same = {"engine": engine, "direction": "encrypt", "key_bits": 128, "mode": "ecb"}
        cells = [find(records, style=style, **same) for style in STYLES]
        best = min((cell for cell in cells if cell), key=lambda cell: cell["cycles_per_block"], default=None)
        if best:
            figures = (str(best[name]) for name in ("cycles_per_block", "bits_per_cycle"))
            rows.append((f"{engine}, {best['style']}", *figures, "measured (sim), ECB"))
    for other in quoted.FIGURES:
        source = "quoted" if other.cycles_per_block else "not quoted: not at hand"
        figures = (other.cycles_per_block or NONE, other.bits_per_cycle or NONE)
        rows.append((other.system, *figures, f"{source}: {other.source}"))
    columns = ("system", "cycles a block", "bits a cycle", "kind and source")
    _table(console, "AES-128 encryption, one block, beside figures of others", columns, rows, ())


def show_bars(console: Console, records: list[Record]) -> None:
    """Compare the cycles per block of CTR on the vector unit with their targets and with the fewest possible cycles.
    Each engine has one row for data in the cache and one row for data outside it.
    """
    rows = []
    for engine, bars in limits.BARS.items():
        for memory in limits.STATES:
            same = {"engine": engine, "style": "unrolled", "mode": "ctr", "direction": "encrypt", "memory": memory}
            cells = [find(records, key_bits=bits, **same) for bits in KEY_BITS]
            if None in cells:
                continue
            met = [
                "yes" if cell["cycles_per_block"] <= bar else "no"
                for cell, bar in zip(cells, bars.values(), strict=True)
            ]
            rows.append(
                (
                    engine,
                    limits.state(engine, memory),
                    _series([cell["cycles_per_block"] for cell in cells]),
                    _series(list(bars.values())),
                    _series(met),
                    _series([limits.issue_slots(engine, bits) for bits in KEY_BITS]),
                    _series([limits.floor(engine, bits, memory) for bits in KEY_BITS]),
                )
            )
    _table(
        console,
        "The bars: CTR over 256 KB, cycles a block at AES-128/192/256",
        ("engine", "data", "measured", "bar", "met", "issue slots", "floor on this core"),
        rows,
        (
            "floor: issue slots; where data are not in the cache, also its fetching of lines:"
            f" {limits.LINE_CYCLES} cycles for {limits.LINE_BYTES} bytes, so"
            f" {limits.LINE_CYCLES * limits.BLOCK_BYTES / limits.LINE_BYTES:g} a block.",
        ),
    )


def show_ratified(console: Console, records: list[Record]) -> None:
    """Compare the vector unit with the ratified scalar AES instructions (engine `zkn`), each in its fastest style."""
    rows = []
    for engine in limits.BARS:
        for mode in ("ecb", "cbc", "ctr"):
            for direction in ("encrypt", "decrypt"):
                ratios = []
                for bits in KEY_BITS:
                    same = {"mode": mode, "direction": direction, "key_bits": bits}
                    ours = find(records, engine=engine, style="unrolled", **same)
                    ups = [speed_up(records, ours, ("zkn", style)) for style in STYLES] if ours else []
                    best = min((up for up in ups if up), default=None)
                    ratios.append(best and f"{best:.1f}")
                if any(ratios):
                    rows.append((engine, mode, direction, _series(ratios)))
    if rows:
        title = "Times faster than the ratified scalar instructions (zkn, its best style) on the same core"
        _table(console, title, ("engine", "mode", "direction", "AES-128/192/256"), rows, ())


def show_key_schedules(console: Console, records: list[Record]) -> None:
    """Show how many cycles each engine and style takes for the key schedule of encryption and of decryption."""
    seen: dict[tuple, dict[tuple, int]] = {}
    for record in records:
        if record["measure"] == "throughput" and record["mode"] != "ctr":
            row = seen.setdefault((record["engine"], record["style"]), {})
            row[record["direction"], record["key_bits"]] = record["key_cycles"]
    rows = [
        (*name, *(_series([row.get((direction, bits)) for bits in KEY_BITS]) for direction in ("encrypt", "decrypt")))
        for name, row in seen.items()
    ]
    columns = ("engine", "style", "for encryption", "for decryption")
    _table(console, "Key schedule: cycles at AES-128/192/256, caches warm, ECB and CBC", columns, rows, ())
