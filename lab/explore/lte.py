# SPDX-License-Identifier: BSD-2-Clause
"""Measures the ciphers of LTE on ECP5: ``python -m lab.explore.lte`` (`make explore-lte`).

Each member (`lab.explore.lte_members`) is synthesised by itself. Its mapped netlist is simulated (results, cycles,
switching activity, see `gateware.flow.mapped`), placed and routed. The first counted cycle is the one in which the
core accepts key and block, or initialisation vector. Results are kept, so an interrupted run can resume.
"""

import argparse
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
from lab.explore.lte_members import MEMBERS, MESSAGE_BYTES, Member, Message
from lab.explore.measure import WrongResult
from lab.explore.protocols import ProtocolError

PARTS = ("85F-8",)
SEEDS = 3
# Hessel et al. 2009 compare cores at three data rates. At these rates, one byte takes the following times, in ns.
TIMES = (4, 14, 24)


def build(
    member: Member, parts: list[str], seeds: tuple[int, ...], folder: Path, environment: dict[str, str], versions: str
) -> list[dict]:
    """Builds one cipher core; returns its records, one for each FPGA part.

    Raises
    ------
    FlowError, WrongResult, NetlistError, ProtocolError
        See there.
    """
    design, ports = member.design()
    area = synthesise(design, folder, environment, versions)
    message = member.measure(load(folder / "core.json"), ports)
    found = []
    for part in parts:
        clocks = [place(design, folder, DEVICES[part], seed, environment) for seed in seeds]
        found.append(record(member, part, area, message, clocks))
    return found


def record(member: Member, part: str, area: dict[str, int], message: Message, clocks: list[float]) -> dict:
    """Returns a record that contains all results of one cipher core on one FPGA part."""
    cycles_a_byte, mhz = message.cycles / MESSAGE_BYTES, median(clocks)
    mbps = 8 * mhz / cycles_a_byte
    return {
        "algorithm": member.algorithm,
        "datapath": member.datapath,
        "sbox": member.sbox,
        "s_q": member.s_q,
        "engines": member.engines,
        "device": DEVICES[part].name,
        "speed": DEVICES[part].speed,
        **area,
        "fmax_mhz": round(mhz, 2),
        "fmax_least_mhz": round(min(clocks), 2),
        "fmax_most_mhz": round(max(clocks), 2),
        "cycles_first": message.first,
        "cycles_a_byte": round(cycles_a_byte, 4),
        "mbps": round(mbps, 1),
        "mbps_per_lut": round(mbps / area["lut4"], 4),
        "least_ns_a_byte": round(1000 * cycles_a_byte / mhz, 2),
        "mhz_for_ns_a_byte": {str(ns): round(1000 * cycles_a_byte / ns, 2) for ns in TIMES},
        "toggles_a_byte": round(message.toggles / MESSAGE_BYTES, 1),
    }


def main() -> None:
    """Builds the cipher cores that are out of date, writes ``build/results/explore-lte.json``, and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m lab.explore.lte", description=__doc__.splitlines()[0])
    parser.add_argument("--device", nargs="+", choices=DEVICES, default=list(PARTS), metavar="DEVICE")
    parser.add_argument("--seeds", type=count, default=SEEDS, help=f"runs of place-and-route, from seed 1 on ({SEEDS})")
    options = parser.parse_args()
    seeds = tuple(range(1, options.seeds + 1))
    console = Console()
    records = []
    try:
        environment = toolchain.environment(REPOSITORY / "build" / "tools")
        versions = toolchain.versions(environment)
        for member in MEMBERS:
            console.print(f"explore-lte: {member.name}", style="dim")
            folder = REPOSITORY / "build" / "explore-lte" / member.name
            records += build(member, options.device, seeds, folder, environment, str(versions))
    except (FlowError, WrongResult, NetlistError, ProtocolError, toolchain.ToolError) as error:
        raise SystemExit(f"explore-lte: error: {error}") from error
    except KeyboardInterrupt:
        raise SystemExit("explore-lte: stopped; the same command resumes") from None
    path = REPOSITORY / "build" / "results" / "explore-lte.json"
    write(
        path,
        {"kind": "est", "seeds": list(seeds), "target_mhz": TARGET_MHZ, "records": records},
        command="make explore-lte",
        board="none: each core alone",
        configuration={"synthesis": SYNTHESIS, "message_bytes": MESSAGE_BYTES},
        tools=versions,
    )
    table = Table("core", "part", "LUT4", "FF", "MHz", "first", "cycles a byte", "Mbps", "ns a byte", "toggles a byte")
    names = ("lut4", "ff", "fmax_mhz", "cycles_first", "cycles_a_byte", "mbps", "least_ns_a_byte", "toggles_a_byte")
    for found in records:
        core = " ".join(str(found[name]) for name in ("algorithm", "datapath", "sbox", "s_q", "engines"))
        table.add_row(core, f"{found['device']}-{found['speed']}", *(str(found[name]) for name in names))
    console.print(table)
    console.print(f"every result is correct after synthesis; results in {path}", soft_wrap=True)


if __name__ == "__main__":
    main()
