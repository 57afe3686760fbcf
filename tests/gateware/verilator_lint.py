# SPDX-License-Identifier: BSD-2-Clause
"""Run Verilator's lint on the Verilog of our cores: ``python -m tests.gateware.verilator_lint FOLDER``.

Each core is linted with the parameters that boards set for it, each set of parameters once.
"""

import contextlib
import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from cipherlane_base.wire.layout import UDP_PORT
from litex.gen.fhdl import verilog
from litex.soc.interconnect import csr_bus
from migen import ClockDomain, Module, Signal

from gateware.ctr.service import create_service
from gateware.net.records.peripheral import FastPathPeripheral, client
from gateware.random.source import RandomSource
from gateware.soc.buffer import BufferMemory
from tests.gateware import ecp5, units
from tests.gateware.boards import ACCELERATORS, FAST_PATHS, TARGETS, VECTOR_UNITS, title
from tests.gateware.support import flatten

# Warnings that the lint ignores, because they concern the form of the generated Verilog. They show no faults of our
# sources. LiteX uses nonblocking assignments for combinational signals, and its own simulation also ignores COMBDLY.
# Migen writes intermediate expressions that are wider than their target. Migen also puts a whole design into one
# module, and unrolls comparisons that are constant for some lanes.
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
    "PINMISSING",
)


def _buffer(size: int) -> Module:
    buffer = BufferMemory(size=size)
    top = Module()
    top.clock_domains.cd_sys = ClockDomain("sys")
    top.submodules += buffer
    top.ios = {top.cd_sys.clk, top.cd_sys.rst, *flatten([buffer.narrow, buffer.wide])}
    return top


def _fast_path(core: dict) -> Module:
    top = Module()
    top.submodules.service = service = create_service([client()], **core)
    unit = FastPathPeripheral(service=service.ports[0], port=UDP_PORT)
    top.clock_domains.cd_sys = ClockDomain("sys")
    top.submodules.unit = unit
    bank = csr_bus.CSRBank(unit.get_csrs(), bus=csr_bus.Interface(data_width=32, address_width=14))
    top.submodules.bank = bank
    path = unit.fast_path
    top.ios = {top.cd_sys.clk, top.cd_sys.rst, *flatten([bank.bus, path.sink, path.source, path.sender_mac])}
    top.ios |= set(flatten([path.destination, path.frame_event]))
    return top


def _random_source() -> Module:
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


def designs() -> Iterator[tuple[str, Module]]:
    """Yield the designs to lint, each with its name."""
    for unit in VECTOR_UNITS:
        boards = (t for t in TARGETS if not t.configuration.unit)
        target = next(t for t in boards if (t.fit.cfu_sbox, t.fit.product_cycles) == unit)
        yield f"vector_unit_{title(unit._asdict())}", units.UNITS["vector_unit"](target)
    for core in ACCELERATORS:
        target = next(t for t in TARGETS if [t.configuration.core_datapath, t.fit.core_sbox] == [*core.values()])
        yield f"accelerator_{title(core)}", units.UNITS["accelerator"](target)
    for core in FAST_PATHS:
        yield f"fast_path_{title(core)}", _fast_path(core)
    for size in sorted({target.configuration.buffer_size for target in TARGETS}):
        yield f"buffer_memory_{size}", _buffer(size)
    yield "random_source", _random_source()


def lint(directory: Path, found: Iterator[tuple[str, Module]]) -> int:
    """Write the Verilog of each design to a folder and lint it; return the exit status."""
    gc.set_threshold(100_000, 20, 100)  # as in conftest.py
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "cells.vlt").write_text('`verilator_config\nlint_off -file "cells.v"\n')
    status = 0
    for design, top in found:
        name = design.replace("-", "_")
        with contextlib.chdir(directory), open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
            source = verilog.convert(top, top.ios, name=name)
            source.set_main_source(ecp5.with_expressions(source.main_source))
            source.write(f"{name}.v")
        (directory / "cells.v").write_text(ecp5.models(source.main_source))
        command = ["verilator", "--lint-only", "-Wall", *(f"-Wno-{warning}" for warning in IGNORED)]
        command += ["--top-module", name, "cells.vlt", "cells.v", f"{name}.v"]
        result = subprocess.run(command, cwd=directory, capture_output=True, text=True)
        if result.returncode:
            sys.stderr.write(result.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(lint(Path(sys.argv[1]), designs()))
