# SPDX-License-Identifier: BSD-2-Clause
"""Prints the tables and draws the plots of `lab.explore.family`.

Hessel et al. 2009, Table II and Figures 6 to 12, for FPGAs.
"""

from rich.console import Console
from rich.table import Table

from lab.explore.bars import is_smallest
from lab.explore.members import DATAPATHS, FAMILY, KEY_SETS
from lab.explore.records import DATA_RATES_MBPS
from pictures import plots as svg
from pictures.points import Point, points

Record = dict
# Maps a field of the records to the title of the bar plot that shows this field.
BARS = {
    "lut4": "LUT4",
    "ff": "Flip-flops",
    "fmax_mhz": "Clock, MHz",
    "mbps": "Throughput, Mbps",
    "mbps_per_lut": "Throughput for area, Mbps a LUT4",
    "toggles_per_block": "Switching activity, transitions a block (a proxy for power)",
}
# Maps a datapath to its cycles per keystream block with a 128-bit key, quoted from Table II of Hessel et al.
QUOTED_CYCLES = {"32": 45, "64": 23, "128": 12}


def label(record: Record) -> str:
    """Returns a short description of a record's core, for tables and plots."""
    if record["core"] != FAMILY:
        return f"{record['core']} ({record['datapath']})"
    words = [record["datapath"], record["sbox"].replace("_", " ")]
    if record["engines"] > 1:
        words.append(f"{record['engines']} engines")
    if record["key_lengths"] != list(KEY_SETS["128"]):
        words.append("all keys")
    if record["slots"] > 1:
        words.append(f"{record['slots']} slots")
    return ", ".join(words)


def line(record: Record) -> str:
    """Returns the results in a record as a line of text. If the build failed, returns the reason."""
    if record["status"] == "failed":
        return f"failed: {record['reason']}"
    return (
        f"{record['lut4']} LUT4, {record['ff']} FF, {record['bram']} block RAM, {record['fmax_mhz']} MHz, "
        f"{record['cycles_per_block']:g} cycles a block, {record['mbps']} Mbps, {record['mbps_per_lut']} Mbps a LUT4"
    )


def show(content: dict) -> None:
    """Prints a table of cycles per block. For each FPGA part, prints a table of results, and a table of the clocks that
    the cores need for given data rates. Also prints how many combinations of core and part are not built yet.
    """
    console = Console(width=190)
    console.print(_cycles(content["records"]))
    for device, speed in _parts(content["records"]):
        chosen = [r for r in content["records"] if (r["device"], r["speed"]) == (device, speed)]
        console.print(_figures(f"{device}, speed grade {speed}", chosen))
        console.print(_clocks(f"{device}, speed grade {speed}: clock in MHz that a data rate needs, AES-128", chosen))
    console.print("toggles: transitions of cell outputs a block in simulation with unit delays; a proxy for power")
    console.print("bars: cycles, Mbps and Mbps a LUT4 (lab/explore/bars.py); cost: of more keys and key lengths")
    if content["missing"]:
        console.print(f"{content['missing']} combinations of core and part are not built yet: run this again")


def _cycles(records: list[Record]) -> Table:
    """Returns a table of cycles per block for each datapath: of our cores with one engine, and of Hessel et al."""
    table = Table(title="Cycles a block, one engine")
    for name in ("datapath", "AES-128", "AES-192", "AES-256", "Hessel et al. 2009, AES-128 (quoted)"):
        table.add_column(name)
    found = {
        (r["datapath"], r["key_bits"]): r["cycles_per_block"]
        for r in records
        if r["core"] == FAMILY and r["engines"] == 1 and r["cycles_per_block"]
    }
    for datapath in DATAPATHS:
        cells = [found.get((datapath, bits)) for bits in KEY_SETS["all"]]
        if any(cells):
            shown = ["" if cell is None else f"{cell:g}" for cell in cells]
            table.add_row(datapath, *shown, str(QUOTED_CYCLES.get(datapath, "")))
    return table


def _is_compared(record: Record) -> bool:
    """Returns True if a record belongs to a public core, or to one of our cores that stores only one AES-128 key."""
    return record["core"] != FAMILY or is_smallest(record)


def _parts(records: list[Record]) -> list[tuple[str, int]]:
    return sorted({(record["device"], record["speed"]) for record in records}, reverse=True)


def _figures(title: str, records: list[Record]) -> Table:
    table = Table(title=title)
    names = (
        "core",
        "key bits",
        "LUT4",
        "FF",
        "block RAM",
        "MHz",
        "cycles",
        "key cycles",
        "Mbps",
        "Mbps/LUT4",
        "toggles",
        "bars; cost",
    )
    for name in names:
        table.add_column(name)
    fields = ("lut4", "ff", "bram", "fmax_mhz", "cycles_per_block", "key_cycles", "mbps", "mbps_per_lut")
    for record in sorted(records, key=lambda r: -(r["mbps_per_lut"] or 0)):
        cells = [label(record), str(record["key_bits"])]
        if record["status"] == "failed":
            cells.append(f"failed: {record['reason']}")
        else:
            cells += [f"{record[name]:g}" if record[name] < 1000 else str(round(record[name])) for name in fields]
            cells += [str(round(record["toggles_per_block"])), record["bars"]]
        table.add_row(*cells)
    return table


def _clocks(title: str, records: list[Record]) -> Table:
    """Returns a table of the clocks that cores need for each data rate. The table contains all public cores, and our
    own cores with only one AES-128 key.
    """
    table = Table(title=title)
    for name in ("core", "MHz reached", *(f"{rate} Mbps" for rate in DATA_RATES_MBPS)):
        table.add_column(name)
    for record in records:
        if record["status"] == "built" and record["key_bits"] == 128 and _is_compared(record):
            needed = [record["clock_mhz_for_mbps"][str(rate)] for rate in DATA_RATES_MBPS]
            cells = [f"{mhz:g}" if mhz <= record["fmax_mhz"] else f"{mhz:g} (not reached)" for mhz in needed]
            table.add_row(label(record), f"{record['fmax_mhz']:g}", *cells)
    return table


def plots(records: list[Record]) -> dict[str, str]:
    """Returns a dict that maps names of plots to SVG texts. The plots show AES-128 on the first FPGA part, with one bar
    or point per core.
    """
    parts = _parts(records)
    chosen = [
        r for r in records if r["status"] == "built" and r["key_bits"] == 128 and (r["device"], r["speed"]) == parts[0]
    ]
    if not chosen:
        return {}
    where = f"{parts[0][0]}, speed grade {parts[0][1]}, AES-128 (est)"
    drawn = {name: svg.values(where, title, _rows(chosen, name)) for name, title in BARS.items()}
    compared = tuple(Point(label(r), r["lut4"], r["mbps"], _series(r)) for r in chosen if _is_compared(r))
    drawn["area"] = points(f"Throughput and area: {where}", "LUT4", "Mbps", (("", compared),))
    for rate in DATA_RATES_MBPS:
        needed = [{**r, "needed": r["clock_mhz_for_mbps"][str(rate)]} for r in chosen]
        reached = [r for r in needed if r["needed"] <= r["fmax_mhz"]]
        if reached:
            drawn[f"clock-{rate}"] = svg.values(
                where, f"MHz that {rate} Mbps need, where they are reached", _rows(reached, "needed")
            )
    return drawn


def _series(record: Record) -> str:
    return "this family" if record["core"] == FAMILY else "public cores"


def _rows(records: list[Record], name: str) -> tuple[tuple[str, float, str], ...]:
    return tuple(sorted(((label(r), r[name], _series(r)) for r in records), key=lambda row: row[1]))
