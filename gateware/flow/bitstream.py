# SPDX-License-Identifier: BSD-2-Clause
"""Builds the bitstream for an ECP5 board. The bitstream contains the firmware in the boot ROM.

The build fails if a clock misses its constraint. Place-and-route reports the clocks and resources of the whole design;
the share of each unit comes from the netlist.
"""

import contextlib
import json
import os
import shlex
import sys
from pathlib import Path

from cipherlane_base.bitstream import SUFFIX, Cable, Description
from cipherlane_base.figures import commit, write
from cipherlane_base.version import __version__
from litex.build.yosys_wrapper import YosysWrapper
from litex.soc.integration.builder import Builder
from rich.console import Console
from rich.table import Table

from ..memory import NO_RW_CHECK
from ..soc.soc import CipherlaneSoC
from ..targets import Target
from . import area, build_id, carries, constraints, toolchain
from .cache import Stamp, digest
from .firmware import REPOSITORY, build_firmware

# Adders of at most this many bits are built without a carry chain. This takes fewer LUTs, because nextpnr adds two
# carry cells to each chain.
LUT_SUM_BITS = 8
# The CPU's SpinalHDL source leaves a read undefined if the same word is written in the same cycle. But the Verilog that
# SpinalHDL generates returns the old value. To guarantee this value, synthesis would add 200 LUT4s to the CPU's longest
# paths. The attribute `no_rw_check` of the CPU's memories avoids these LUT4s.
CORE_MODULES = ("VexRiscv", "InstructionCache", "DataCache")
SYNTHESIS = [
    "hierarchy -top {build_name}",
    f"setattr -set {NO_RW_CHECK[0]} {NO_RW_CHECK[1]} {' '.join(f'{module}/m:*' for module in CORE_MODULES)}",
    "synth_{target} {synth_opts} -top {build_name} -run begin:map_gates",
    f"techmap t:$alu r:Y_WIDTH<={LUT_SUM_BITS} %i",
    "synth_{target} {synth_opts} -top {build_name} -run map_gates:",
]
LONGEST_PATH = "scratchpad -set abc9.D {ps}"
# Maps our name of each resource to its name in nextpnr's utilisation report.
RESOURCES = {"lut4": "TRELLIS_COMB", "ff": "TRELLIS_FF", "bram": "DP16KD", "dsp": "MULT18X18D"}


class BitstreamError(RuntimeError):
    """The bitstream could not be built."""


def build(target: Target, directory: Path, results: Path) -> Path:
    """Builds `<target>.bit` and `<target>.svf`, and writes `bitstream-<target>.json` into the results folder.

    Raises
    ------
    BitstreamError
        A tool failed, a clock missed its constraint or has none, or there is a combinational loop outside the random
        source's rings. The message tells which.
    """
    environment = tools()
    measured = commit()
    firmware = build_firmware(target, directory / "firmware")
    soc = write_sources(target, directory, firmware)

    gateware = directory / "gateware"
    made = stamp(directory)
    log = directory / "build.log"
    if not (made.is_current() and (gateware / f"{target.name}.bit").exists()):
        made.clear()
        print(f"synthesis, place-and-route and packing for {target.title}: some minutes, log in {log}", flush=True)
        with log.open("wb") as output:
            command = ["bash", f"build_{target.name}.sh"]
            status = toolchain.run(command, gateware, environment, output)
        if status is None:
            raise BitstreamError(
                f"not done after {toolchain.LIMIT_S // 3600} hours; try another pnr_seed of {target.name}: see {log}"
            )
        if status:
            raise BitstreamError(toolchain.failure(log))
        made.set()
    return report(target, directory, results, soc, environment, measured)


def tools() -> dict[str, str]:
    """Returns environment variables in which PATH contains the folder of the FPGA tools.

    Raises
    ------
    BitstreamError
        A tool is missing.
    """
    try:
        return toolchain.environment(REPOSITORY / "build" / "tools")
    except toolchain.ToolError as error:
        raise BitstreamError(str(error)) from error


def stamp(directory: Path) -> Stamp:
    """Returns the stored digest that tells whether the bitstream in a folder was made from the present sources."""
    gateware = directory / "gateware"
    inputs = [path for pattern in ("*.v", "*.init", "*.lpf", "*.ys", "*.sh") for path in gateware.glob(pattern)]
    return Stamp(directory / "bitstream.digest", digest(inputs))


def report(
    target: Target,
    directory: Path,
    results: Path,
    soc: CipherlaneSoC,
    environment: dict[str, str],
    measured: str | None = None,
) -> Path:
    """Checks the results of place-and-route, prints them, and writes the report. Returns the path of the bitstream.

    Raises
    ------
    BitstreamError
        A clock missed its constraint or has none, or there is a combinational loop outside the random source's rings.
    """
    gateware = directory / "gateware"
    bitstream = gateware / f"{target.name}.bit"
    module = json.loads((gateware / f"{target.name}.json").read_text())["modules"][target.name]
    figures = _report(target, gateware, module)
    _check_constraints(soc, gateware, module, figures["clocks"])
    path = results / f"bitstream-{target.name}.json"
    write(
        path,
        figures,
        command=f"make bitstream {target.variables}",
        board=target.name,
        configuration={"firmware": target.configuration.firmware, "pnr_options": target.fit.pnr_options},
        tools=toolchain.versions(environment),
        measured=measured,
    )
    missed = [clock["name"] for clock in figures["clocks"] if clock["achieved_mhz"] < clock["required_mhz"]]
    description = bitstream.with_name(f"{bitstream.name}{SUFFIX}")
    description.unlink(missing_ok=True)
    if missed:
        raise BitstreamError(f"clock {', '.join(missed)} missed its constraint: see {directory / 'build.log'}")
    description.write_text(describe(target, gateware).text())
    _show(figures, bitstream, path)
    return bitstream


def describe(target: Target, gateware: Path) -> Description:
    """Returns the description that `cipherlane flash` needs to load the target's bitstream."""
    board = target.board
    return Description.of(
        (gateware / f"{target.name}.bit").read_bytes(),
        board=board.name,
        configuration=target.configuration.name,
        title=board.title,
        part=board.part,
        bootloader=board.bootloader,
        cables=tuple(Cable(each.revision, each.revisions, each.usb, each.loader) for each in board.cables),
        build_id=build_id.read(gateware, target.name),
        version=__version__,
    )


def write_sources(target: Target, directory: Path, firmware: dict[str, list[int]]) -> CipherlaneSoC:
    """Writes the inputs of the FPGA tools into `<directory>/gateware`: Verilog, constraints, scripts. Returns the SoC.

    `firmware` is the result of `build_firmware`.
    """
    soc = CipherlaneSoC(target, **firmware)
    constrained = target.board.constraints
    for line in (REPOSITORY / "constraints" / constrained).read_text().splitlines() if constrained else ():
        if line and not line.startswith("#"):
            soc.platform.add_platform_command(line)
    tools = soc.platform.toolchain
    path = [LONGEST_PATH.format(ps=target.fit.path_ps)] if target.fit.path_ps else []
    for line in YosysWrapper._default_template:
        tools._yosys_template += [*path, *SYNTHESIS] if line.startswith("synth_") else [line]
    written = ["--report", f"{target.name}-report.json", "--write", routed(target)]
    tools._pnr_opts += " ".join([*written, *target.fit.pnr_options]) + " "
    builder = Builder(soc, output_dir=directory, compile_software=False, csr_json=directory / "csr.json")
    options = {"timingstrict": True, "seed": target.fit.pnr_seed, "compress": True, "ignoreloops": True}
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        builder.build(run=False, build_name=target.name, **options)
    script = directory / "gateware" / f"build_{target.name}.sh"
    between = shlex.join([sys.executable, carries.__file__, f"{target.name}.json"])
    script.write_text(script.read_text().replace("\nnextpnr-ecp5 ", f"\n{between}\nnextpnr-ecp5 "))
    build_id.complete(directory / "gateware", target.name)
    return soc


def routed(target: Target) -> str:
    """Returns the name of the routed netlist's file. Place-and-route writes this file next to its input files."""
    return f"{target.name}-routed.json"


def _report(target: Target, gateware: Path, module: dict) -> dict:
    pnr = json.loads((gateware / f"{target.name}-report.json").read_text())
    clocks = [
        {
            "name": (name := constraints.clock_name(net, clock["constraint"])),
            "required_mhz": round(constraints.required_mhz(name, clock["constraint"]), 2),
            "achieved_mhz": round(clock["achieved"], 2),
        }
        for net, clock in sorted(pnr["fmax"].items())
    ]
    used = {name: pnr["utilization"].get(cell, {"used": 0})["used"] for name, cell in RESOURCES.items()}
    return {
        "board": target.name,
        "device": target.board.device,
        "speed_grade": target.board.speed_grade,
        "kind": "est",
        "clocks": clocks,
        **used,
        "shares": area.by_unit(module),
        "seed": target.fit.pnr_seed,
        "build_id": build_id.read(gateware, target.name),
    }


def _check_constraints(soc: CipherlaneSoC, gateware: Path, module: dict, clocks: list[dict]) -> None:
    """Checks that timing analysis covered every clock, and that only the random source has combinational loops."""
    name = soc.target.name
    lpf = (gateware / f"{name}.lpf").read_text()
    if unknown := constraints.unknown_names(lpf, module):
        raise BitstreamError(f"{name}.lpf constrains {', '.join(unknown)}, which the netlist does not contain")
    wanted = {constraints.SYS_CLOCK: soc.target.sys_clk_freq / 1e6, **constraints.frequencies(lpf)}
    wanted[constraints.START_CLOCK] = constraints.START_MHZ
    if any(cell["type"] == "JTAGG" for cell in module["cells"].values()):
        wanted[constraints.JTAG_CLOCK] = constraints.JTAG_MHZ
    if missing := constraints.unconstrained(clocks, wanted):
        raise BitstreamError(f"clock {', '.join(missing)} was not timed for its frequency: constrain it by its pin")
    if (looping := len(constraints.looping(module))) != soc.random.noise.cells:
        raise BitstreamError(
            f"{looping} cells are in combinational loops instead of the {soc.random.noise.cells} in the rings"
        )


def _show(report: dict, bitstream: Path, path: Path) -> None:
    console = Console()
    clocks = Table(
        "clock", "required MHz", "achieved MHz", title=f"{report['board']}: {report['device']}, place-and-route"
    )
    for clock in report["clocks"]:
        clocks.add_row(clock["name"], f"{clock['required_mhz']:.2f}", f"{clock['achieved_mhz']:.2f}")
    console.print(clocks)
    resources = Table("part", "LUT4", "FF", "block RAM", "DSP", title="resources")
    resources.add_row("whole design, placed and routed", *(str(report[name]) for name in RESOURCES))
    for name, used in report["shares"].items():
        resources.add_row(name.replace("_", " "), *(str(used[resource]) for resource in RESOURCES))
    console.print(resources)
    console.print(f"bitstream {bitstream}, with an .svf next to it; report {path}", soft_wrap=True)
    console.print(f"build {report['build_id']}")
