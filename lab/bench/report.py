# SPDX-License-Identifier: BSD-2-Clause
"""Make the tables and plots of `make bench`."""

from rich.console import Console
from rich.table import Table

from lab.bench import paper
from lab.bench.cases import Record
from pictures import plots as drawing

_IDENTITY = ("engine", "style", "mode", "direction", "key_bits")


def _throughput(records: list[Record]) -> list[Record]:
    return [record for record in records if record["measure"] == "throughput"]


def _rows(records: list[Record]) -> dict[tuple, dict[tuple, Record]]:
    rows: dict[tuple, dict[tuple, Record]] = {}
    for record in _throughput(records):
        name = (record["engine"], record["style"], record["mode"], record["memory"])
        rows.setdefault(name, {})[record["direction"], record["key_bits"]] = record
    return rows


def _figures(cells: dict[tuple, Record], direction: str, name: str) -> str:
    return " / ".join(str(cells[direction, bits][name]) for bits in (128, 192, 256) if (direction, bits) in cells)


def show(records: list[Record]) -> None:
    """Print the tables of all results."""
    console = Console(width=170)
    paper.show_paper(console, records)
    paper.show_quoted(console, records)
    paper.show_bars(console, records)
    paper.show_ratified(console, records)
    paper.show_key_schedules(console, records)
    table = Table(title="Cycles a block at AES-128/192/256, loads, stores and loop included")
    columns = ("engine", "style", "mode", "memory", "encrypt", "decrypt", "speed-up", "code bytes")
    for column in columns:
        table.add_column(column)
    for (engine, style, mode, memory), cells in _rows(records).items():
        speed_ups = []
        for bits in (128, 192, 256):
            record = cells.get(("encrypt", bits))
            up = paper.speed_up(records, record, paper.BASELINE) if record else None
            if up:
                speed_ups.append(f"{up:.1f}")
        table.add_row(
            engine,
            style,
            mode,
            memory,
            _figures(cells, "encrypt", "cycles_per_block"),
            _figures(cells, "decrypt", "cycles_per_block"),
            " / ".join(speed_ups),
            _figures(cells, "encrypt", "code_bytes"),
        )
    console.print(table)
    console.print("speed-up: of encryption, over the unrolled table C in the same mode; its figures are warm ones")
    console.print("memory: 256 KB in passes over 32 KB of the buffer memory, or over 2 KB that stay in the data cache;")
    console.print(
        "plain C and zkn over 2 KB, the second pass counted. CBC encryption is serial: a block waits for the last."
    )
    _show_list(console, records, "isolated block", ("mode", "key_bits"), "One block alone: cycles of the call")
    _show_list(console, records, "record size", ("bytes",), "CTR, AES-128, in place: cycles a block by record size")
    for engine, blocks, cycles in call_costs(records):
        console.print(f"{engine}: of a call for 1 KB, {blocks:.0f} cycles for its blocks and {cycles:.0f} for the call")
    _show_list(console, records, "contexts", ("contexts", "fairness"), "CTR, AES-128, 1 KB a turn: contexts in turn")
    _show_list(
        console, records, "one context for all keys", ("contexts", "fairness"), "The same, the key loaded at each turn"
    )
    for record in records:
        if record["measure"] == "constant time" and len(record["cycle_counts"]) != 1:
            console.print(f"NOT constant in time: {record}")
    checked = sum(record["measure"] == "constant time" for record in records)
    if checked and is_constant_time(records):
        console.print(f"constant time: in {checked} cases, equal cycle counts over random keys and data")


def _show_list(console: Console, records: list[Record], measure: str, names: tuple[str, ...], title: str) -> None:
    chosen = [record for record in records if record["measure"] == measure]
    if not chosen:
        return
    table = Table(title=title)
    for column in ("engine", "style", *names, "cycles a block", "bits a cycle"):
        table.add_column(column)
    for record in chosen:
        values = [record[name] for name in ("engine", "style", *names, "cycles_per_block", "bits_per_cycle")]
        table.add_row(*map(str, values))
    console.print(table)


def call_costs(records: list[Record]) -> list[tuple[str, float, float]]:
    """Split the cycles of a 1 KB call into the cycles of its blocks and the call's fixed cycles. Return a row for each
    engine: its name and these two numbers.

    The cycles of a block come from the additional 32 KB of the longest call.
    """
    costs = []
    sizes = [record for record in records if record["measure"] == "record size"]
    for engine in dict.fromkeys(record["engine"] for record in sizes):
        cycles = {record["bytes"]: record["cycles"] for record in sizes if record["engine"] == engine}
        blocks = (cycles[65536] - cycles[32768]) / 32
        costs.append((engine, blocks, cycles[1024] - blocks))
    return costs


def is_constant_time(records: list[Record]) -> bool:
    """Return True if, in each constant-time measurement, all calls took the same number of cycles."""
    return all(len(record["cycle_counts"]) == 1 for record in records if record["measure"] == "constant time")


def plots(records: list[Record]) -> dict[str, str]:
    """Return two bar plots for AES-128: bits per cycle in CTR, and speed-up over unrolled C in ECB. The keys are the
    names of the plots, the values are SVG texts.

    The longest bar is last.
    """
    throughput = [record for record in _throughput(records) if record["key_bits"] == 128]
    rates = [
        (f"{record['engine']} {record['style']}, {record['memory']}", record["bits_per_cycle"], "CTR")
        for record in throughput
        if (record["mode"], record["direction"]) == ("ctr", "encrypt")
    ]
    ups = [
        (f"{record['engine']} {record['style']}, {record['direction']}", up, "ECB")
        for record in throughput
        if record["mode"] == "ecb" and record is paper.find(records, **{name: record[name] for name in _IDENTITY})
        if (up := paper.speed_up(records, record, paper.BASELINE))
    ]
    charts = {
        "rates": ("AES-128, CTR", "bits a cycle (sim)", rates),
        "speed-ups": ("AES-128, ECB", "times the speed of unrolled C (sim)", ups),
    }
    return {
        name: drawing.values(title, unit, tuple(sorted(rows, key=lambda row: row[1])))
        for name, (title, unit, rows) in charts.items()
        if rows
    }
