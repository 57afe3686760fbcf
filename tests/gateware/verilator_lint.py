"""Verilator's lint over the Verilog of our cores: ``python -m tests.gateware.verilator_lint FOLDER``."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from litex.gen.fhdl import verilog
from litex.soc.interconnect import csr_bus
from migen import ClockDomain, Module, Signal

from firmware.codegen.registers import FAST_PATH
from gateware import boards
from gateware.random.source import RandomSource
from gateware.soc import units
from gateware.soc.buffer import BufferMemory
from tests.gateware.support import flatten

# LiteX assigns combinational signals without blocking (its own simulation passes COMBDLY too). Migen writes wider
# intermediate expressions than it assigns, puts a design into one module, and unrolls comparisons that are constant
# for some lanes: the warnings about these say nothing about the sources.
IGNORED = (
    "COMBDLY",
    "CMPCONST",
    "WIDTH",
    "UNUSED",
    "UNDRIVEN",
    "DECLFILENAME",
    "VARHIDDEN",
    "BLKSEQ",
    "CASEINCOMPLETE",
    "TIMESCALEMOD",
)


def _buffer(board: boards.Board) -> Module:
    buffer = BufferMemory(size=board.buffer_size)
    top = Module()
    top.clock_domains.cd_sys = ClockDomain("sys")
    top.submodules += buffer
    top.ios = {top.cd_sys.clk, top.cd_sys.rst, *flatten([buffer.narrow, buffer.wide])}
    return top


def _fast_path(board: boards.Board) -> Module:
    unit = FAST_PATH.create()
    top = Module()
    top.clock_domains.cd_sys = ClockDomain("sys")
    top.submodules.unit = unit
    bank = csr_bus.CSRBank(unit.get_csrs(), bus=csr_bus.Interface(data_width=32, address_width=14))
    top.submodules.bank = bank
    path = unit.fast_path
    top.ios = {top.cd_sys.clk, top.cd_sys.rst, *flatten([bank.bus, path.sink, path.source, path.sender_mac])}
    top.ios |= set(flatten([path.receiver, path.frame_event]))
    return top


def _random_source(_board: boards.Board) -> Module:
    noise = Module()
    noise.bit = Signal()
    source = RandomSource(noise)
    top = Module()
    top.clock_domains.cd_sys = ClockDomain("sys")
    top.submodules.source = source
    top.submodules.bank = bank = csr_bus.CSRBank(
        source.get_csrs(), bus=csr_bus.Interface(data_width=32, address_width=14)
    )
    top.ios = {top.cd_sys.clk, top.cd_sys.rst, noise.bit, *flatten([bank.bus])}
    return top


UNITS = {**units.UNITS, "buffer_memory": _buffer, "fast_path": _fast_path, "random_source": _random_source}


def main() -> int:
    """Lints each core; returns the exit status."""
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    board = boards.load("sim")
    status = 0
    for name, create in UNITS.items():
        top = create(board)
        with contextlib.chdir(directory), open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
            verilog.convert(top, top.ios, name=name).write(f"{name}.v")
        command = ["verilator", "--lint-only", "-Wall", *(f"-Wno-{warning}" for warning in IGNORED), f"{name}.v"]
        result = subprocess.run(command, cwd=directory, capture_output=True, text=True)
        if result.returncode:
            sys.stderr.write(result.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
