# SPDX-License-Identifier: BSD-2-Clause
"""Measures the vector AES unit and its parts on ECP5: ``python -m lab.explore.isa`` (`make explore-isa`).

Each part is synthesised, placed and routed by itself between registers (`lab.explore.harness`), with several
seeds, for the ECPIX-5's LFE5UM5G-85F of speed grade 8. Delay is the longest path from register to register, with its
wires, that place-and-route found; the median of the seeds counts. The delay includes the clock-to-output time of the
flip-flop or block RAM at the path's beginning, which is also listed separately.

In nextpnr, a block RAM's clock-to-output time in the LFE5UM5G is a third of the time in the LFE5UM of the same grade.
So the part made of block RAM is timed with both. Resources do not include the harness. Results lie next to a digest of
their sources and tools and are reused while these are unchanged, so an interrupted run can resume.
"""

import argparse
import contextlib
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from statistics import median_low

from cipherlane_base.figures import write
from migen import Cat, Module, Signal
from rich.console import Console
from rich.table import Table

from gateware.aes.sbox_pair import SBoxPair
from gateware.aes.sbox_ram import BlockRAMSBox
from gateware.aes.sub_bytes import BLOCK_RAM
from gateware.aes.transforms import byte_list, inv_shift_rows, inverse_mix_correction, masked, mix_column, shift_rows
from gateware.flow import tethered, toolchain
from gateware.flow.cache import Stamp, digest
from gateware.flow.sweep import count
from gateware.isa.lane import Lane
from gateware.isa.vector_unit import VectorAESUnit
from lab.explore.harness import Harness

REPOSITORY = Path(__file__).resolve().parents[2]
DEVICE = ("--um5g-85k", "--speed", "8", "--package", "CABGA554")
SYNTHESIS = "synth_ecp5 -nodsp"
TARGET_MHZ = 200
SEEDS = 3
TIMEOUT_S = 7200  # a step needs much less time, unless the machine is busy
Ports = tuple[Module, list[Signal], list[Signal]]


class ExploreError(RuntimeError):
    """A part could not be built."""


def _sub_bytes(sbox: str) -> Ports:
    """Creates logic for SubBytes and InvSubBytes of a whole state: 16 pairs of S-box and inverse S-box."""
    top = Module()
    i, inverse, o = Signal(128, name="i"), Signal(name="inverse"), Signal(128, name="o")
    for n in range(16):
        pair = SBoxPair(implementation=sbox)
        top.submodules += pair
        byte = slice(8 * n, 8 * n + 8)
        top.comb += [pair.i.eq(i[byte]), pair.inverse.eq(inverse), o[byte].eq(pair.o)]
    return top, [i, inverse], [o]


def _sub_bytes_ram() -> Ports:
    top = Module()
    i, inverse, o = Signal(128, name="i"), Signal(name="inverse"), Signal(128, name="o")
    for n in range(8):
        pair = BlockRAMSBox()
        top.submodules += pair
        for port in range(2):
            byte = slice(8 * (2 * n + port), 8 * (2 * n + port) + 8)
            top.comb += [pair.i[port].eq(i[byte]), pair.inverse[port].eq(inverse), o[byte].eq(pair.o[port])]
    return top, [i, inverse], [o]


def _mix_columns() -> Ports:
    """Creates logic for MixColumns and InvMixColumns of a whole state: the same logic as in the vector unit's lanes."""
    top = Module()
    i, inverse, o = Signal(128, name="i"), Signal(name="inverse"), Signal(128, name="o")
    for c in range(4):
        column = i[32 * c : 32 * c + 32]
        corrected = Signal(32)
        top.comb += [
            corrected.eq(column ^ masked(inverse, Cat(*inverse_mix_correction(byte_list(column))))),
            o[32 * c : 32 * c + 32].eq(Cat(*mix_column(byte_list(corrected)))),
        ]
    return top, [i, inverse], [o]


def _shuffle() -> Ports:
    """Creates the logic that moves bytes between the vector unit's lanes: ShiftRows, InvShiftRows, or no move."""
    top = Module()
    i, o = Signal(128, name="i"), Signal(128, name="o")
    forward, inverse = Signal(name="forward"), Signal(name="inverse")
    state = byte_list(i)
    straight = Signal()
    top.comb += [
        straight.eq(~forward & ~inverse),
        o.eq(
            masked(forward, Cat(*shift_rows(state)))
            | masked(inverse, Cat(*inv_shift_rows(state)))
            | masked(straight, i)
        ),
    ]
    return top, [i, forward, inverse], [o]


def _lane(sbox: str) -> Ports:
    lane = Lane(sbox=sbox)
    inputs = [lane.column, lane.substitute, lane.inverse, lane.mix]
    return (
        lane,
        [*inputs, lane.replacement, lane.replace, lane.round_key, lane.add_key],
        [lane.substituted, lane.result],
    )


def _unit(sbox: str) -> Ports:
    unit = VectorAESUnit(memory=(0x4000_0000, 0x10000), sbox=sbox)
    bus = unit.bus
    inputs = [unit.cmd_valid, unit.cmd_function_id, *unit.cmd_inputs, unit.rsp_ready, bus.dat_r, bus.ack, bus.err]
    outputs = [unit.cmd_ready, unit.rsp_valid, unit.rsp_output, bus.adr, bus.dat_w, bus.cyc, bus.stb, bus.we]
    return unit, inputs, outputs


def _multiplier() -> Ports:
    """Creates a 16x16 multiplier, to compare its area with the area of a lane, as Jenkins et al. do. The multiplier
    uses no DSP blocks, so its area is a number of LUTs.
    """
    top = Module()
    a, b, product = Signal(16, name="a"), Signal(16, name="b"), Signal(32, name="product")
    top.comb += product.eq(a * b)
    return top, [a, b], [product]


# Maps short names of S-boxes to their names in `gateware.aes.sbox_pair`. The keys of PARTS contain the short names.
SBOXES = {"table": "table", "ecp5": "ecp5", "canright": "tower"}
COLUMN_SBOXES = {**SBOXES, "block RAM": BLOCK_RAM}
OTHER_TIMING = "SubBytes, block RAM, LFE5UM timing"
PARTS: dict[str, Callable[[], Ports]] = {
    "multiplier 16x16": _multiplier,
    "SubBytes, block RAM": _sub_bytes_ram,
    OTHER_TIMING: _sub_bytes_ram,
    **{f"SubBytes, {name}": lambda sbox=sbox: _sub_bytes(sbox) for name, sbox in SBOXES.items()},
    "MixColumns": _mix_columns,
    "shuffle": _shuffle,
    **{f"lane, {name}": lambda sbox=sbox: _lane(sbox) for name, sbox in COLUMN_SBOXES.items()},
    **{f"unit, {name}": lambda sbox=sbox: _unit(sbox) for name, sbox in COLUMN_SBOXES.items()},
}
# Maps each part that is not placed on DEVICE to nextpnr's options for its device.
DEVICES = {OTHER_TIMING: ("--um-85k", *DEVICE[1:])}


def figures(part: str, widths: tuple[int, int], statistics: str, reports: list[dict]) -> dict:
    """Returns the results of a part as a record, which is a row of the results file.

    Parameters
    ----------
    part : str
        Its name.
    widths : tuple of int
        Bits of all its inputs, and of all its outputs.
    statistics : str
        Output of Yosys' ``stat -json``, possibly after other text.
    reports : list of dict
        nextpnr's reports, one a seed. With an even number, the slower of the two middle values counts as the median.
    """
    reached = {_reached(report): report for report in reports}
    mhz = median_low([_reached(report) for report in reports])
    (clock,) = reached[mhz]["fmax"]
    paths = reached[mhz]["critical_paths"]
    path = next(path["path"] for path in paths if clock in path["from"] and clock in path["to"])
    cells = json.loads(statistics[statistics.index("{") :])["design"]["num_cells_by_type"]
    width_in, width_out = widths
    return {
        "part": part,
        "delay_ns": round(1000 / mhz, 2),
        "clock_to_output_ns": round(sum(step["delay"] for step in path if step["type"] == "clk-to-q"), 2),
        "fmax_mhz": round(mhz, 1),
        "fmax_least_mhz": round(min(reached), 1),
        "fmax_most_mhz": round(max(reached), 1),
        # The harness adds an XOR for each output bit, and registers for every port. Subtract these resources.
        "lut4": toolchain.lut4s(cells) - width_out,
        "ff": cells.get("TRELLIS_FF", 0) - width_in - 2 * width_out - 1,
        "bram": cells.get("DP16KD", 0),
    }


def _reached(report: dict) -> float:
    (clock,) = report["fmax"].values()
    return clock["achieved"]


def explore(
    part: str, create: Callable[[], Ports], directory: Path, environment: dict[str, str], versions: str, seeds: int
) -> dict:
    """Synthesises and places the part that the function `create` returns, unless the part's files are up to date.
    Returns the record that the function `figures` makes.

    Raises
    ------
    ExploreError
        Synthesis or place-and-route failed; the message names the log.
    """
    name = part.replace(", ", "-").replace(" ", "-").lower()
    folder = directory / name
    folder.mkdir(parents=True, exist_ok=True)
    device = DEVICES.get(part, DEVICE)
    module, inputs, outputs = create()
    with contextlib.chdir(folder), open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        Harness(module, inputs, outputs).verilog("top").write("top.v")
    sources = digest(folder.glob("top*.[vi]*"), versions)
    script = f"read_verilog top.v; {SYNTHESIS} -top top -json top.json; tee -q -o stat.json stat -json"
    _step(f"synthesis of {part}", folder, "stat.json", sources, ["yosys", "-q", "-p", script], environment)
    options = [*device, "--freq", str(TARGET_MHZ), "--timing-allow-fail", "--lpf-allow-unconstrained"]
    reports = []
    for seed in range(1, seeds + 1):
        report = f"report-{seed}.json"
        placing = ["nextpnr-ecp5", *options, "--seed", str(seed), "--json", "top.json", "--report", report]
        _step(f"place-and-route of {part}", folder, report, sources, placing, environment)
        reports.append(json.loads((folder / report).read_text()))
    widths = tuple(sum(len(signal) for signal in signals) for signals in (inputs, outputs))
    return figures(part, widths, (folder / "stat.json").read_text(), reports)


def _step(what: str, folder: Path, made: str, sources: str, command: list[str], environment: dict[str, str]) -> None:
    """Runs a command that makes a file; does nothing if the file is up to date. Writes the command's output to a log
    file.
    """
    stamp = Stamp(folder / f"{made}.digest", digest([], sources, *command))
    if stamp.is_current() and (folder / made).exists():
        return
    stamp.clear()
    log = folder / f"{made}.log"
    with log.open("wb") as output:
        status = tethered.run(command, TIMEOUT_S, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
    if status:
        raise ExploreError(f"{what} failed: see {log}")
    stamp.set()


def run(name: str, parts: dict[str, Callable[[], Ports]], description: str) -> None:
    """Runs the command: builds the parts that are out of date, writes ``build/results/NAME.json``, and prints the
    table.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of: {'; '.join(parts)} (default: all)")
    parser.add_argument("--seeds", type=count, default=SEEDS, help=f"runs of place-and-route, from seed 1 on ({SEEDS})")
    options = parser.parse_args()
    chosen = options.parts
    for part in chosen:
        if part not in parts:
            parser.error(f"unknown part {part!r}: choose from {'; '.join(parts)}")
    console = Console()
    try:
        environment = toolchain.environment(REPOSITORY / "build" / "tools")
        versions = toolchain.versions(environment)
        results = []
        for part in chosen or parts:
            console.print(f"{name}: {part}", style="dim")
            folder = REPOSITORY / "build" / "explore-isa"
            results.append(explore(part, parts[part], folder, environment, str(versions), options.seeds))
    except (ExploreError, toolchain.ToolError, subprocess.TimeoutExpired) as error:
        raise SystemExit(f"{name}: error: {error}") from error
    report = {
        "kind": "est",
        "device": "LFE5UM5G-85F-8BG554",
        "speed_grade": "8",
        "target_mhz": TARGET_MHZ,
        "seeds": list(range(1, options.seeds + 1)),
        "parts": results,
    }
    path = REPOSITORY / "build" / "results" / f"{name}.json"
    if not chosen:
        write(
            path,
            report,
            command=f"make {name}",
            board=f"none: each part alone on {report['device']}",
            configuration={"synthesis": SYNTHESIS, "device": DEVICE},
            tools=versions,
        )
    table = Table(
        "part",
        "delay ns",
        "clock to output ns",
        "Fmax MHz",
        "least",
        "most",
        "LUT4",
        "FF",
        "block RAM",
        title="LFE5UM5G-85F-8, each part alone",
    )
    for result in results:
        table.add_row(*(str(value) for value in result.values()))
    console.print(table)


if __name__ == "__main__":
    run("explore-isa", PARTS, __doc__.splitlines()[0])
