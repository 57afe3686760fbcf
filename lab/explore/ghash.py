# SPDX-License-Identifier: BSD-2-Clause
"""Measures the GHASH units on ECP5: ``python -m lab.explore.ghash`` (`make explore-ghash`).

Each member (`lab.explore.ghash_members`) is synthesised by itself. Its mapped netlist is simulated (tags, cycles,
switching activity, see `gateware.flow.mapped`), placed and routed. Results are kept, so an interrupted run can
resume. A distributed RAM of 4 bits also uses the slice with its write port. This slice has two more LUT sites, which
`lut4` does not count. `sites` counts them too.
"""

import argparse
import json
from collections import Counter
from pathlib import Path
from statistics import median

from cipherlane_base.figures import write
from rich.console import Console
from rich.table import Table

from gateware.flow import toolchain
from gateware.flow.cache import REPOSITORY
from gateware.flow.mapped import NetlistError
from gateware.flow.sweep import count
from lab.explore.flow import DEVICES, SYNTHESIS, TARGET_MHZ, FlowError, load, place, synthesise
from lab.explore.ghash_members import MEMBERS, Member, Message, measure
from lab.explore.measure import WrongResult
from lab.explore.protocols import ProtocolError
from lab.explore.records import BLOCK_BITS

PARTS = ("85F-8",)
SEEDS = 3
WRITE_PORT_LUTS = 2  # LUT sites that the write port of a distributed RAM occupies in addition to "lut4"


def build(
    member: Member, parts: list[str], seeds: tuple[int, ...], folder: Path, environment: dict[str, str], versions: str
) -> list[dict]:
    """Builds one GHASH unit; returns its records, one for each FPGA part.

    Raises
    ------
    FlowError, WrongResult, NetlistError, ProtocolError
        See there.
    """
    design, ports = member.design()
    area = synthesise(design, folder, environment, versions)
    module = load(folder / "core.json")
    memories = Counter(cell["type"] for cell in module["cells"].values())["TRELLIS_DPR16X4"]
    message = measure(module, ports)
    found = []
    for part in parts:
        clocks = [place(design, folder, DEVICES[part], seed, environment) for seed in seeds]
        found.append(record(member, part, area, memories, message, clocks))
    return found


def record(
    member: Member, part: str, area: dict[str, int], memories: int, message: Message, clocks: list[float]
) -> dict:
    """Returns a record that contains all results of one GHASH unit on one FPGA part."""
    mhz = median(clocks)
    mbps = BLOCK_BITS * mhz / message.cycles_per_block
    return {
        "cycles": member.cycles,
        "portable": member.portable,
        "device": DEVICES[part].name,
        "speed": DEVICES[part].speed,
        **area,
        "sites": area["lut4"] + WRITE_PORT_LUTS * memories,
        "fmax_mhz": round(mhz, 2),
        "fmax_least_mhz": round(min(clocks), 2),
        "fmax_most_mhz": round(max(clocks), 2),
        "cycles_per_block": message.cycles_per_block,
        "subkey_cycles": message.subkey_cycles,
        "tag_cycles": message.tag_cycles,
        "mbps": round(mbps, 1),
        "mbps_per_lut": round(mbps / area["lut4"], 4),
        "toggles_per_block": round(message.toggles_per_block, 1),
    }


def main() -> None:
    """Builds GHASH units with changed sources, writes ``build/results/explore-ghash.json`` and prints a table."""
    parser = argparse.ArgumentParser(prog="python -m lab.explore.ghash", description=__doc__.splitlines()[0])
    parser.add_argument("--device", nargs="+", choices=DEVICES, default=list(PARTS), metavar="DEVICE")
    parser.add_argument("--seeds", type=count, default=SEEDS, help=f"runs of place-and-route, from seed 1 on ({SEEDS})")
    options = parser.parse_args()
    seeds = tuple(range(1, options.seeds + 1))
    console = Console()
    records: list[dict] = []
    path = REPOSITORY / "build" / "results" / "explore-ghash.json"
    try:
        environment = toolchain.environment(REPOSITORY / "build" / "tools")
        versions = toolchain.versions(environment)
        for member in MEMBERS:
            console.print(f"explore-ghash: {member.name}", style="dim")
            folder = REPOSITORY / "build" / "explore-ghash" / member.name
            records += build(member, options.device, seeds, folder, environment, json.dumps(versions))
            write(
                path,
                {"kind": "est", "seeds": list(seeds), "target_mhz": TARGET_MHZ, "records": records},
                command="make explore-ghash",
                board="none: each unit alone",
                configuration={"synthesis": SYNTHESIS},
                tools=versions,
            )
    except (FlowError, WrongResult, NetlistError, ProtocolError, toolchain.ToolError) as error:
        raise SystemExit(f"explore-ghash: error: {error}") from error
    except KeyboardInterrupt:
        raise SystemExit("explore-ghash: stopped; the same command resumes") from None
    table = Table("cycles", "cells", "part", "LUT4", "sites", "FF", "MHz", "Mbps", "Mbps per LUT4", "subkey", "toggles")
    names = ("lut4", "sites", "ff", "fmax_mhz", "mbps", "mbps_per_lut", "subkey_cycles", "toggles_per_block")
    for found in records:
        part = f"{found['device']}-{found['speed']}"
        cells = "portable" if found["portable"] else "ECP5"
        table.add_row(str(found["cycles"]), cells, part, *(str(found[name]) for name in names))
    console.print(table)
    console.print(f"every tag is correct after synthesis; results in {path}", soft_wrap=True)


if __name__ == "__main__":
    main()
