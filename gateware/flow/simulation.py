# SPDX-License-Identifier: BSD-2-Clause
"""Builds the simulated board: the SoC in Verilator on LiteX's simulator, with the firmware in its ROM.

LiteX writes the Verilog and the simulator's configuration. From LiteX's simulator, the model uses only the modules that
the board needs, and no tracing. Clock edges at which a unit is idle are skipped (`gateware.flow.idle`).

The result is a folder that the host tool starts (``cipherlane ... --port sim``); `board.json` describes its contents.
If only the firmware changes, the model is not recompiled, because it reads its ROM from a file when it starts.

With waveforms, the model is compiled once, without a profile, and keeps all edges. Each run then writes `trace.fst`
into that folder. If the environment contains CIPHERLANE_TRACE=FIRST:BEHIND, it records only the cycles from FIRST to
BEHIND - 1.
"""

import contextlib
import json
import os
import platform
import shutil
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from cipherlane.errors import CipherlaneError
from cipherlane.link.device import Device
from cipherlane.transport.sim import SimTransport, SimUdpTransport
from cipherlane.transport.simboard import SimulatedBoard
from cipherlane_base.wire.layout import Engine
from litex.build.sim.config import SimConfig
from litex.build.sim.verilator import core_directory
from litex.soc.integration.builder import Builder

from ..soc.soc import CipherlaneSoC
from ..targets import Target
from . import build_id, cache, progress, toolchain
from .cache import Stamp, digest
from .firmware import build_firmware
from .idle import IdleEdgesLeftOut

NAME = "sim"  # LiteX names the files of every simulated board with this prefix
EXECUTABLE = "obj_dir/Vsim"
UART_MODULE = "loopback_uart"  # the simulator's module for the UART: loopback_uart.c in this folder
DEFAULT_TCP_PORT = 2430
# Address of the host's TAP device in the board's network; the netmask has 24 bits.
HOST_ADDRESS = "192.168.1.100"
GMII_HZ = 125_000_000
_STEP_PS = 2000  # simulated time per step; the value is arbitrary, because only the ratio of the clocks counts
# Units that are mostly idle; the simulator skips clock edges that cannot change them (`gateware.flow.idle`).
IDLING = ("aes_unit", "accelerator", "ctr_service")
SIMULATOR = Path(__file__).with_name("simulator.cpp")
LITEX_SIMULATOR = Path(core_directory)
VERILATOR = ["verilator", "--cc", "--exe", "--prefix", "Vsim", "--top-module", "sim", "--relative-includes"]
VERILATOR += ["-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert", "--unroll-count", "256"]
# Splits the model's C++ into several files, which compilers can process in parallel.
VERILATOR += ["--output-split", "20000", "--output-split-cfuncs", "20000"]
# Suppresses warnings that LiteX's Verilog would cause.
VERILATOR += ["-Wno-fatal", "-Wno-lint", "-Wno-BLKANDNBLK", "-Wno-COMBDLY", "-Wno-CASEINCOMPLETE"]
LIBRARIES = "-lpthread -Wl,--no-as-needed -ljson-c -lz -lm -ldl -levent"
# Code that runs once (OPT_SLOW) is not optimized: its optimization would take most of the compile time.
OPTIMIZATION = ["OPT_GLOBAL=-O2", "OPT_SLOW=-O0"]
OPT_FAST = "OPT_FAST=-O2 -march=native"
# Code that runs often is compiled twice: first to profile its branches, then with that profile.
PROFILING = "-fprofile-generate"
PROFILED = "-fprofile-use -fprofile-partial-training"
TRACING = ["--trace-fst"]
# Bytes that each engine of the board encrypts during profiling.
TRAINING = {Engine.TABLE: 1024, Engine.ISE_VMEM: 20_000, Engine.ACCELERATOR: 50_000}


class Modules(SimConfig):
    """Configures the simulator's modules: UART and system clock; on boards with Ethernet also GMII and its clock.

    The simulator evaluates the model once a step, so a period has as few steps as the ratio of the clocks allows.
    """

    def __init__(self, target: Target):
        super().__init__()
        self._add_clocks(target)
        pads = ["serial", "uart_break"] if target.configuration.code_size else "serial"
        self.add_module(UART_MODULE, pads, args={"port": DEFAULT_TCP_PORT})
        if target.configuration.ethernet:
            arguments = {"interface": "tap0", "ip": HOST_ADDRESS}
            self.add_module("gmii_ethernet", "gmii_eth", clocks=("sys_clk", 1), args=arguments)

    def _add_clocks(self, target: Target) -> None:
        if not target.configuration.ethernet:
            self._add_clock("sys_clk", 2)
            return
        ratio = Fraction(GMII_HZ, target.sys_clk_freq)
        factor = 1 if min(ratio.numerator, ratio.denominator) > 1 else 2
        self._add_clock("sys_clk", factor * ratio.numerator)
        self._add_clock(("sys_clk", 1), factor * ratio.denominator)

    def _add_clock(self, name: str | tuple[str, int], steps: int) -> None:
        self.add_clocker(name, 10**12 // (steps * _STEP_PS))

    def get_json(self) -> str:
        """Returns the configuration file's text."""
        return json.dumps([*self.modules, {"timebase": _STEP_PS}], indent=4)


class SimulationError(RuntimeError):
    """The simulated board could not be built."""


def build(target: Target, directory: Path, traced: bool = False) -> Path:
    """Builds the simulated board in a folder, with waveforms if `traced`; returns the path of its `board.json`.

    Raises
    ------
    SimulationError
        Verilator or the C++ compiler failed; the message names the log.
    """
    print(f"1/3 firmware and Verilog of the {target.title}: about 10 s", flush=True)
    commands, sources = lay_out(target, directory, () if traced else IDLING)
    if traced:
        commands = compiled_once(commands, OPT_FAST, *TRACING)
    gateware = directory / "gateware"
    model = key(commands, sources, directory)
    stamp = Stamp(directory / "model.digest", model)
    if not (stamp.is_current() and (gateware / EXECUTABLE).exists()):
        stamp.clear()

        def make(folder: Path) -> None:
            log = directory / "verilator.log"
            compile_model(commands, gateware, log, lambda: _train(describe(target, directory).parent))
            _copy_programs(gateware, folder)

        _copy_programs(cache.made_once(cache.FOLDER / "boards" / model[:24], make), gateware)
        stamp.set()
    return describe(target, directory)


def key(commands: list[list[str]], sources: list[Path], directory: Path) -> str:
    """Returns a digest of everything from which the simulator is built. The digest ignores the locations of folders."""
    places = (directory, LITEX_SIMULATOR, sys.prefix, cache.REPOSITORY)
    used = [path for path in LITEX_SIMULATOR.rglob("*") if path.suffix in (".c", ".h", "") and path.is_file()]
    texts = [*(cache.code(path) for path in sorted([*sources, *used])), json.dumps(commands)]
    for place in places:
        texts = [text.replace(str(place), "") for text in texts]
    tools = toolchain.versions(os.environ, ("verilator", "g++"))
    return digest([], *sorted(texts), json.dumps(tools), processor())


def _copy_programs(source: Path, target: Path) -> None:
    """Copies the simulator, and the modules that it loads, from one folder to another."""
    modules = [path.relative_to(source) for path in (source / "modules").glob("*.so")]
    for name in (Path(EXECUTABLE), *modules):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        part = target / f"{name}.part"
        shutil.copy2(source / name, part)
        part.replace(target / name)


def processor() -> str:
    """Returns this machine's list of processor features. A model compiled for them can fail on another machine."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    return next((line for line in lines if line.startswith(("flags", "Features"))), platform.machine())


def lay_out(target: Target, directory: Path, idling: tuple[str, ...]) -> tuple[list[list[str]], list[Path]]:
    """Writes firmware, Verilog and the simulator's configuration into a folder.

    Parameters
    ----------
    target, directory : Target, Path
        The board and configuration, and the folder.
    idling : tuple[str, ...]
        The units of the SoC that skip their idle edges.

    Returns
    -------
    tuple[list[list[str]], list[Path]]
        The commands that make the program, to be run in the subfolder `gateware`, and the files that it depends on.
    """
    firmware = build_firmware(target, directory / "firmware")
    config = Modules(target)
    if target.configuration.console:
        config.add_module("serial2console", ("serial", 1))
    options = lay_out_module(directory / "modules")
    soc = CipherlaneSoC(target, **firmware)
    for name in idling:
        unit = getattr(soc, name)
        IdleEdgesLeftOut(name, _while_valid(unit))(unit)
    builder = Builder(soc, output_dir=directory, compile_software=False, csr_json=directory / "csr.json")
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        builder.build(sim_config=config, run=False, **options)
    build_id.complete(directory / "gateware", NAME)
    return commands(soc.platform, config, directory)


def _while_valid(unit) -> dict:
    """Maps inputs of the unit to valid signals. The unit uses an input only while the input's valid signal is 1.

    The inputs are operands, read data and written registers.
    """
    inputs = {}
    if hasattr(unit, "cmd_valid"):
        inputs |= dict.fromkeys([unit.cmd_function_id, *unit.cmd_inputs], unit.cmd_valid)
    if hasattr(unit, "bus"):
        inputs[unit.bus.dat_r] = unit.bus.ack
    for port in getattr(unit, "ports", ()):
        inputs |= dict.fromkeys([port.keys.word, port.keys.index], port.keys.write)
    if hasattr(unit, "get_csrs"):
        inputs |= {csr.r: csr.re for csr in unit.get_csrs() if hasattr(csr, "r")}
    return inputs


def describe(target: Target, directory: Path) -> Path:
    """Writes `board.json`, which describes a simulated board to the host tool; returns the file's path."""
    description = {
        "name": target.name,
        "gateware": "gateware",
        "executable": EXECUTABLE,
        "clock_hz": target.sys_clk_freq,
        "clock_met_by": target.clock_met_by,
        "rx_window": target.board.rx_window,
        "console": target.configuration.console,
        "tools": toolchain.versions(os.environ, toolchain.SIMULATION),
    }
    if target.configuration.ethernet:
        description["ip_address"] = target.configuration.ethernet.ip_address
    path = directory / "board.json"
    path.write_text(json.dumps(description, indent=2) + "\n")
    return path


def lay_out_module(directory: Path) -> dict[str, Any]:
    """Copies the sources of the simulator's UART module; returns the options that make LiteX build it."""
    folder = directory / UART_MODULE
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(Path(__file__).with_name(f"{UART_MODULE}.c"), folder / f"{UART_MODULE}.c")
    (folder / "Makefile").write_text("include ../../variables.mak\ninclude $(SRC_DIR)/modules/rules.mak\n")
    return {
        "opt_level": "O3",
        "interactive": False,
        "extra_mods": [UART_MODULE],
        "extra_mods_path": str(directory),
    }


def commands(platform: Any, config: Modules, directory: Path) -> tuple[list[list[str]], list[Path]]:
    """Returns the build commands and their source files. The platform's Verilog is in the subfolder `gateware`."""
    verilog = [path for path, *_ in platform.sources if path.endswith(".v")]
    modules = sorted({module["module"] for module in config.modules} - {UART_MODULE})
    gateware = directory / "gateware"
    sources = [*map(Path, verilog), *gateware.glob("*.cpp"), *gateware.glob("*.h"), gateware / "variables.mak"]
    return _commands(verilog, modules), [*sources, SIMULATOR, *(directory / "modules" / UART_MODULE).iterdir()]


def _commands(verilog: list[str], modules: list[str]) -> list[list[str]]:
    """Returns the commands that build the simulator's modules, its main loop, the model's C++ and the program."""
    objects = [f"{path.stem}.o" for path in sorted(LITEX_SIMULATOR.glob("*.c"))]
    litex = ["make", "-f", str(LITEX_SIMULATOR / "Makefile"), "OPT_LEVEL=O2", f"MODULES={' '.join(modules)}"]
    verilator = [*VERILATOR, "-CFLAGS", f"-I{LITEX_SIMULATOR}", "-LDFLAGS", LIBRARIES]
    compiler = ["make", "-C", "obj_dir", "-f", "Vsim.mk", *OPTIMIZATION, "Vsim"]
    return [
        [*litex, "modules", *objects],
        [*verilator, *verilog, "../sim_init.cpp", str(SIMULATOR), *objects],
        [*compiler, f"{OPT_FAST} {PROFILING}", f"USER_LDFLAGS={PROFILING}"],
        [*compiler, f"{OPT_FAST} {PROFILED}"],
    ]


def compiled_once(commands: list[list[str]], options: str, *verilator_options: str) -> list[list[str]]:
    """Returns build commands that compile the model only once, with the given options and without a profile."""
    modules, verilator, *_, compiler = commands
    compiler = [options if word.startswith(OPT_FAST) else word for word in compiler]
    return [modules, [*verilator, *verilator_options], compiler]


def _train(directory: Path) -> None:
    """Runs typical work on the simulated board, to collect a profile for the C++ compiler.

    Raises
    ------
    CipherlaneError
        The board does not run. A board with Ethernet may lack the privilege to create its network.
    """
    transport = (SimUdpTransport if SimulatedBoard(directory).ip_address else SimTransport)(directory)
    with Device(transport) as device:
        engines = device.info().engines
        for engine, size in TRAINING.items():
            if engine in engines:
                device.bench(engine, 128, total_bytes=size)


def compile_model(
    commands: list[list[str]], gateware: Path, log: Path, train: Callable[[], None] = lambda: None
) -> None:
    """Compiles the simulated board with the given commands, and prints the progress."""
    built = gateware / "obj_dir"
    for folder in (built, gateware / "modules"):
        shutil.rmtree(folder, ignore_errors=True)
    log.unlink(missing_ok=True)

    def still() -> str:
        return "still at it"

    def compiled() -> str:
        sources = list(built.glob("*.cpp"))
        return f"{sum(source.with_suffix('.o').exists() for source in sources)} of {len(sources)} files"

    def run(command: list[str], how_far: Callable[[], str]) -> None:
        jobs = [f"-j{os.cpu_count()}"] if command[0] == "make" else []
        if progress.run([*command, *jobs], gateware, log, how_far):
            raise SimulationError(f"the simulated board did not compile: see {log}")

    modules, verilator, *passes = commands
    print("2/3 simulator's modules, Verilator: about 10 s", flush=True)
    run(modules, still)
    run(verilator, still)
    print(f"3/3 C++ compiler, {'twice' if passes[1:] else 'once'}: about 45 s on two cores", flush=True)
    run(passes[0], compiled)
    if not passes[1:]:
        return
    print("    one run to collect a profile", flush=True)
    try:
        train()
    except CipherlaneError as error:
        print(f"    compiled without a profile, so a quarter slower: {error}", flush=True)
    for source in (*built.glob("*.cpp"), gateware / "sim_init.cpp", SIMULATOR):
        if not source.stem.endswith("__Slow"):
            (built / source.name).with_suffix(".o").unlink()
    run(passes[1], compiled)
