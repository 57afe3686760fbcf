# SPDX-License-Identifier: BSD-2-Clause
"""Synthesises, places and routes one core on ECP5. Our cores and public cores go through the same flow.

::

    sources ──► Yosys ──► core.json ─────────┐
                             │ ports         ├─► top.json ──► nextpnr ──► Fmax
                             └──► harness ───┘

The core is synthesised by itself, so that it shares no resources with the harness and no optimisation crosses the
border. The harness then adds registered inputs and outputs (`lab.explore.harness`).

LUT4 counts the 4-input LUTs of Yosys' mapping, and the LUTs that carry cells (`CCU2C`, 2 each) and distributed RAM
(`TRELLIS_DPR16X4`, 4 each) occupy. Wide multiplexers (PFUMX, L6MUX21) are no LUTs. FF: `TRELLIS_FF`. Block RAM:
`DP16KD`.
"""

import contextlib
import json
import os
import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from migen import ClockSignal, Instance, Module, Signal

from gateware.flow import tethered, toolchain
from gateware.flow.cache import Stamp, digest
from lab.explore.harness import Harness

TARGET_MHZ = 250
TIMEOUT_S = 3 * 3600
SYNTHESIS = "synth_ecp5 -top {top} -json {json}"


class FlowError(RuntimeError):
    """A tool failed on a design; the message contains the tool's last error."""


@dataclass(frozen=True)
class Device:
    """An FPGA part with speed grade and package, as nextpnr names them."""

    name: str
    speed: int
    options: tuple[str, ...]


DEVICES = {
    "85F-8": Device("LFE5UM5G-85F", 8, ("--um5g-85k", "--speed", "8", "--package", "CABGA554")),
    "85F-6": Device("LFE5UM-85F", 6, ("--um-85k", "--speed", "6", "--package", "CABGA554")),
    "25F-6": Device("LFE5U-25F", 6, ("--25k", "--speed", "6", "--package", "CABGA381")),
}


@dataclass(frozen=True)
class Design:
    """The Verilog sources of a core.

    Attributes
    ----------
    top, clock : str
        Its module and the name of its clock's port.
    sources : dict
        Text of each Verilog file, by name.
    data : dict
        Text of each file that the sources read, by name.
    """

    top: str
    clock: str
    sources: dict[str, str]
    data: dict[str, str] = field(default_factory=dict)

    def digest(self) -> str:
        """Returns a digest of everything that the netlist depends on, except the versions of the tools."""
        parts = [f"{name}\n{text}" for name, text in sorted({**self.sources, **self.data}.items())]
        return digest([], self.top, self.clock, SYNTHESIS, *parts)


def synthesise(design: Design, folder: Path, environment: dict[str, str], tools: str) -> dict[str, int]:
    """Synthesises a core unless its netlist ``core.json`` is up to date; returns the resources of the core.

    Parameters
    ----------
    design : Design
        The core.
    folder : Path
        A folder for only this core.
    environment : dict
        Environment with the tools on its PATH.
    tools : str
        Versions of the tools, part of the digest.

    Returns
    -------
    dict
        lut4, ff, bram.

    Raises
    ------
    FlowError
        Yosys refuses the design.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stamp = Stamp(folder / "netlist.digest", netlist_digest(design, tools))
    if not stamp.is_current():
        stamp.clear()
        for name, text in {**design.sources, **design.data}.items():
            (folder / name).write_text(text)
        verilog = [name for name in design.sources if name.endswith(".v")]
        script = f"read_verilog -I. {' '.join(verilog)}; " + SYNTHESIS.format(top=design.top, json="core.json")
        _run("synthesis", ["yosys", "-q", "-p", script], folder, environment)
        stamp.set()
    return area(load(folder / "core.json"))


def netlist_digest(design: Design, tools: str) -> str:
    """Returns the digest of everything that the netlist depends on, including the tools' versions."""
    return digest([], design.digest(), tools)


def area(module: dict) -> dict[str, int]:
    """Returns the numbers of LUT4s, flip-flops and block RAMs of a netlist that is mapped to ECP5 cells."""
    kinds = Counter(cell["type"] for cell in module["cells"].values())
    return {"lut4": toolchain.lut4s(kinds), "ff": kinds["TRELLIS_FF"], "bram": kinds["DP16KD"]}


def load(path: Path) -> dict:
    """Returns the top module of a netlist file that Yosys wrote."""
    modules = json.loads(path.read_text())["modules"]
    return next(m for m in modules.values() if int(m["attributes"].get("top", "0"), 2))


def place(design: Design, folder: Path, device: Device, seed: int, environment: dict[str, str]) -> float:
    """Returns the maximum clock in MHz that one nextpnr run reaches for the synthesised core in its harness. Stores
    nextpnr's report in the folder of the netlist.

    Raises
    ------
    FlowError
        The core does not fit, or cannot be routed.
    """
    name = f"{device.name}-{device.speed}-{seed}"
    netlist = (folder / "netlist.digest").read_text()
    value = digest([], netlist, *device.options, str(seed), str(TARGET_MHZ))
    stamp = Stamp(folder / f"{name}.digest", value)
    report = folder / f"{name}.json"
    if not stamp.is_current():
        stamp.clear()
        _in_harness(design, folder, environment)
        options = [*device.options, "--freq", str(TARGET_MHZ), "--timing-allow-fail", "--lpf-allow-unconstrained"]
        options += ["--seed", str(seed), "--json", "top.json", "--report", report.name]
        _run(name, ["nextpnr-ecp5", *options], folder, environment)
        stamp.set()
    return fmax(json.loads(report.read_text()))


def fmax(report: dict) -> float:
    """Returns the maximum clock in MHz of a design, read from nextpnr's report. The design has only one clock."""
    (achieved,) = (clock["achieved"] for clock in report["fmax"].values())
    return achieved


def _in_harness(design: Design, folder: Path, environment: dict[str, str]) -> None:
    """Writes ``top.json``: the netlist of the core connected to the harness of shift registers."""
    stamp = Stamp(folder / "top.digest", (folder / "netlist.digest").read_text())
    if stamp.is_current():
        return
    stamp.clear()
    core = load(folder / "core.json")
    part = Module()
    ports = {"input": [], "output": []}
    connections = {f"i_{design.clock}": ClockSignal()}
    header = []
    for name, port in core["ports"].items():
        width = len(port["bits"])
        header.append(f"{port['direction']} [{width - 1}:0] {name}")
        if name != design.clock:
            signal = Signal(width, name=name)
            ports[port["direction"]].append(signal)
            connections[f"{port['direction'][0]}_{name}"] = signal
    part.specials += Instance(design.top, name="core", **connections)
    with contextlib.chdir(folder), open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        Harness(part, ports["input"], ports["output"]).verilog("top_harness").write("harness.v")
    (folder / "core_ports.v").write_text(f"(* blackbox *) module {design.top}({', '.join(header)}); endmodule\n")
    script = "read_verilog core_ports.v harness.v; " + SYNTHESIS.format(top="top_harness", json="harness.json")
    _run("harness", ["yosys", "-q", "-p", script], folder, environment)
    whole = json.loads((folder / "harness.json").read_text())
    core["attributes"].pop("top")
    whole["modules"][design.top] = core
    (folder / "top.json").write_text(json.dumps(whole))
    stamp.set()


def _run(step: str, command: list[str], folder: Path, environment: dict[str, str]) -> None:
    log = folder / f"{step}.log"
    with log.open("wb") as output:
        try:
            status = tethered.run(
                command, TIMEOUT_S, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT
            )
        except subprocess.TimeoutExpired as error:
            raise FlowError(f"{command[0]}: not done after {TIMEOUT_S} s") from error
    if status:
        errors = re.findall(r"^ERROR: (.*)$", log.read_text(errors="replace"), re.MULTILINE)
        raise FlowError(f"{command[0]}: {errors[-1] if errors else f'exit status {status}, see {log.name}'}")
