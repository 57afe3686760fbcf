# SPDX-License-Identifier: BSD-2-Clause
"""Adds tables to the pages that `gateware.cores` generates about cores. A table shows the resources and the clock of a
core, as estimated by place-and-route.
"""

import json
from pathlib import Path
from typing import Any

from gateware.cores import kinds
from gateware.cores.options import KEY_LENGTHS
from lab.explore.members import FAMILY, SBOXES

DATA = Path(__file__).resolve().parent / "results" / "data"
_HEADER = [
    "| part | speed grade | LUT4 | flip-flops | block RAMs | clock, MHz |",
    "| --- | --- | --- | --- | --- | --- |",
]


def _row(record: dict[str, Any], bram: int) -> str:
    cells = (record["device"], record["speed"], record["lut4"], record["ff"], bram, round(record["fmax_mhz"]))
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def aes(values: dict[str, Any]) -> list[str]:
    """Return the lines of a table with resources and clock of an AES core, from `make explore`. Return an empty list if
    the core was not measured.
    """
    names = {name: short for short, name in SBOXES.items()}
    wanted = {
        "core": FAMILY,
        "datapath": str(values["datapath"]),
        "sbox": names.get(values["sbox"]),
        "engines": values["engines"],
        "key_lengths": list(values["key_lengths"]),
        "slots": values["slots"],
    }
    if values["stages"] or wanted["key_lengths"] not in ([128], list(KEY_LENGTHS)):
        return []
    records = json.loads((DATA / "explore.json").read_text())["records"]
    rows = [_row(r, r["bram"]) for r in records if all(r.get(key) == value for key, value in wanted.items())]
    return [*_HEADER, *rows] if rows else []


def ghash(values: dict[str, Any]) -> list[str]:
    """Return the lines of a table with resources and clock of a GHASH unit, from `make explore-ghash`. Return an empty
    list if the unit was not measured.
    """
    portable = values["cells"] == "portable"
    records = json.loads((DATA / "explore-ghash.json").read_text())["records"]
    rows = [_row(r, 0) for r in records if r["cycles"] == values["cycles"] and r["portable"] == portable]
    return [*_HEADER, *rows] if rows else []


kinds.register_figures("aes", aes)
kinds.register_figures("ghash", ghash)
