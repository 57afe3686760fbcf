# SPDX-License-Identifier: BSD-2-Clause
"""Run Verilator's lint on the Verilog of the laboratory's cores: ``python -m lab.tests.verilator_lint FOLDER``."""

import sys
from collections.abc import Iterator
from pathlib import Path

from migen import ClockDomain, Module

from gateware.isa.cfu import CFUUnit
from lab.isa.comparators import ComparatorUnit, WideComparatorUnit
from lab.isa.zkn import ScalarAESUnit
from lab.snow3g.core import Snow3GCore
from lab.tests.isa.units import SBOXES
from tests.gateware.support import flatten
from tests.gateware.verilator_lint import lint


def _cfu_unit(unit: CFUUnit) -> Module:
    top = Module()
    top.clock_domains.cd_sys = ClockDomain("sys")
    top.submodules.unit = unit
    ports = [unit.cmd_valid, unit.cmd_ready, unit.cmd_function_id, *unit.cmd_inputs]
    top.ios = {top.cd_sys.clk, top.cd_sys.rst, *ports, unit.rsp_valid, unit.rsp_ready, unit.rsp_output}
    return top


def _snow3g_core() -> Module:
    top = Module()
    top.clock_domains.cd_sys = ClockDomain("sys")
    top.submodules.core = core = Snow3GCore()
    signals = [core.key_slot, core.key_length, core.key_valid, core.clear, core.clear_slot, core.flush, core.idle]
    top.ios = {top.cd_sys.clk, top.cd_sys.rst, core.key_busy, *signals}
    top.ios |= {*flatten([core.sink, core.source, core.key])}
    return top


def designs() -> Iterator[tuple[str, Module]]:
    """Yield the name and the module of each design to lint."""
    for sbox in SBOXES:
        yield f"scalar_unit_{sbox}", _cfu_unit(ScalarAESUnit(sbox=sbox))
        yield f"comparator_unit_{sbox}", _cfu_unit(ComparatorUnit(sbox=sbox))
        yield f"wide_comparator_unit_{sbox}", _cfu_unit(WideComparatorUnit(sbox=sbox))
    yield "snow3g_core", _snow3g_core()


if __name__ == "__main__":
    sys.exit(lint(Path(sys.argv[1]), designs()))
