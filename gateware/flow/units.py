"""Resources of the vector unit and of the accelerator with the CTR service, each synthesised alone for a target."""

import contextlib
import json
import os
import subprocess
from pathlib import Path

from litex.gen.fhdl import verilog
from litex.soc.interconnect import csr_bus
from migen import ClockDomain, Module, Record

from gateware.dma.accelerator import CTRAccelerator
from gateware.flow import toolchain
from gateware.flow.cache import Stamp, digest
from gateware.isa.vector_unit import VectorAESUnit
from gateware.soc.soc import BUFFER_ORIGIN, create_ctr_service
from gateware.targets import Target


class _Top(Module):
    """A unit with a clock domain of its own, and all its ports."""

    def __init__(self, unit: Module, ports: list):
        self.clock_domains.cd_sys = ClockDomain("sys")
        self.submodules.unit = unit
        self.ios = {self.cd_sys.clk, self.cd_sys.rst}
        for port in ports:
            self.ios |= set(port.flatten()) if isinstance(port, Record) else {port}


def _vector_unit(target: Target) -> _Top:
    unit = VectorAESUnit(memory=(BUFFER_ORIGIN, target.configuration.buffer_size), sbox=target.fit.cfu_sbox)
    ports = [unit.cmd_valid, unit.cmd_ready, unit.cmd_function_id, *unit.cmd_inputs]
    return _Top(unit, [*ports, unit.rsp_valid, unit.rsp_ready, unit.rsp_output, unit.bus])


def _accelerator(target: Target) -> _Top:
    regions = [(BUFFER_ORIGIN, target.configuration.buffer_size)]
    service = create_ctr_service(target)
    *others, port = service.ports
    unit = CTRAccelerator(service=port, regions=regions)
    bank = csr_bus.CSRBank(unit.get_csrs(), bus=csr_bus.Interface(data_width=32, address_width=14))
    ports = [unit.bus, bank.bus, unit.ev.irq]
    for other in others:
        ports += [other.request, other.keystream, other.flush, other.idle, *vars(other.keys).values()]
    top = _Top(unit, ports)
    top.submodules += service, bank
    return top


UNITS = {"vector_unit": _vector_unit, "accelerator": _accelerator}


def resources(target: Target, directory: Path, environment: dict[str, str]) -> dict[str, dict[str, int]]:
    """LUT4s, flip-flops, block RAMs and DSPs of each unit, by name; cached in the folder by content."""
    return {name: _synthesise(name, create(target), directory / "units", environment) for name, create in UNITS.items()}


def _synthesise(name: str, top: _Top, directory: Path, environment: dict[str, str]) -> dict[str, int]:
    directory.mkdir(parents=True, exist_ok=True)
    with contextlib.chdir(directory), open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        verilog.convert(top, top.ios, name=name).write(f"{name}.v")
    stamp = Stamp(directory / f"{name}.digest", digest(directory.glob(f"{name}*.[vi]*")))
    statistics = directory / f"{name}.stat.json"
    if not (stamp.is_current() and statistics.exists()):
        stamp.clear()
        script = [f"read_verilog {name}.v", f"synth_ecp5 -top {name}"]
        script.append(f"tee -q -o {statistics.name} stat -json")
        subprocess.run(
            ["yosys", "-q", "-p", "; ".join(script)], cwd=directory, env=environment, check=True, timeout=1800
        )
        stamp.set()
    text = statistics.read_text()
    cells = json.loads(text[text.index("{") :])["design"]["num_cells_by_type"]
    return {
        "lut4": toolchain.lut4s(cells),
        "ff": cells.get("TRELLIS_FF", 0),
        "bram": cells.get("DP16KD", 0),
        "dsp": cells.get("MULT18X18D", 0),
    }
