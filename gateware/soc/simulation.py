"""Builds the simulated board: the SoC through LiteX's Verilator flow, with the firmware in its ROM.

The result is a folder that the host tool starts (``cipherlane ... --port sim``): `board.json` says
what is in it. A change of the firmware alone does not recompile the model, which reads its ROM from
a file when it starts.
"""

import contextlib
import json
import os
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

from litex.build.sim.config import SimConfig
from litex.soc.integration.builder import Builder

from gateware.boards import Board
from gateware.soc import toolchain
from gateware.soc.cache import Stamp, digest
from gateware.soc.firmware import build_firmware
from gateware.soc.soc import CipherlaneSoC

UART_MODULE = "loopback_uart"  # compiled with the model from the file of this name beside this one
DEFAULT_TCP_PORT = 2430
# What the TAP device's end has of the board's network, with a mask of 24 bits.
HOST_ADDRESS = "192.168.1.100"
GMII_HZ = 125_000_000
_STEP_PS = 2000  # of simulated time; only the clocks' ratio means something


class _Clocks(SimConfig):
    """The simulator's modules, with a system clock and, of a board with Ethernet, GMII's in the right ratio to it.

    The simulator evaluates the model once a step, so that a period is as few steps as the ratio allows.
    """

    def __init__(self, board: Board):
        super().__init__()
        if not board.ethernet:
            self._add_clock("sys_clk", 2)
            return
        ratio = Fraction(GMII_HZ, board.sys_clk_freq)
        factor = 1 if min(ratio.numerator, ratio.denominator) > 1 else 2
        self._add_clock("sys_clk", factor * ratio.numerator)
        self._add_clock(("sys_clk", 1), factor * ratio.denominator)

    def _add_clock(self, name: str | tuple[str, int], steps: int) -> None:
        self.add_clocker(name, 10**12 // (steps * _STEP_PS))

    def get_json(self) -> str:
        """The configuration file's text."""
        return json.dumps([*self.modules, {"timebase": _STEP_PS}], indent=4)


class SimulationError(RuntimeError):
    """The simulated board could not be built."""


def build(board: Board, directory: Path) -> Path:
    """Builds the simulated board in a folder and returns the path of its `board.json`.

    Raises
    ------
    SimulationError
        Verilator or the C++ compiler failed; the message names the log.
    """
    firmware = build_firmware(board, directory / "firmware")
    gateware = directory / "gateware"
    config = _Clocks(board)
    config.add_module(UART_MODULE, "serial", args={"port": DEFAULT_TCP_PORT})
    if board.console_name:
        config.add_module("serial2console", ("serial", 1))
    if board.ethernet:
        arguments = {"interface": "tap0", "ip": HOST_ADDRESS}
        config.add_module("gmii_ethernet", "gmii_eth", clocks=("sys_clk", 1), args=arguments)
    modules = _lay_out_module(directory / "modules")
    builder = Builder(
        CipherlaneSoC(board, firmware=firmware),
        output_dir=directory,
        compile_software=False,
        csr_json=directory / "csr.json",
    )
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        builder.build(
            sim_config=config,
            run=False,
            opt_level="O3",
            interactive=False,
            extra_mods=[UART_MODULE],
            extra_mods_path=str(modules),
        )

    sources = [*gateware.glob("*.v"), *gateware.glob("*.cpp"), *gateware.glob("*.h"), gateware / "variables.mak"]
    sources += (modules / UART_MODULE).iterdir()
    stamp = Stamp(directory / "model.digest", digest(sources))
    executable = gateware / "obj_dir" / "Vsim"
    if not (stamp.is_current() and executable.exists()):
        stamp.clear()
        _compile(gateware, directory / "verilator.log")
        stamp.set()
    description = {
        "name": board.name,
        "gateware": "gateware",
        "executable": "obj_dir/Vsim",
        "clock_hz": board.sys_clk_freq,
        "clock_met_by": board.clock_met_by,
        "rx_window": board.rx_window,
        "console": bool(board.console_name),
        "tools": toolchain.versions(os.environ, toolchain.SIMULATION),
    }
    if board.ethernet:
        description["ip_address"] = board.ethernet.ip_address
    path = directory / "board.json"
    path.write_text(json.dumps(description, indent=2) + "\n")
    return path


def _lay_out_module(directory: Path) -> Path:
    """Lays out the sources of the simulator's module for the UART as LiteX's build expects them; returns the folder."""
    folder = directory / UART_MODULE
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(Path(__file__).with_name(f"{UART_MODULE}.c"), folder / f"{UART_MODULE}.c")
    (folder / "Makefile").write_text("include ../../variables.mak\ninclude $(SRC_DIR)/modules/rules.mak\n")
    return directory


def _compile(gateware: Path, log: Path) -> None:
    # LiteX's script calls Verilator, whose makefiles choose -O0 by default for most of the model.
    environment = {**os.environ, "OPT_FAST": "-O2", "OPT_GLOBAL": "-O2", "JOBS": str(os.cpu_count())}
    with log.open("wb") as output:
        command = ["bash", "build_sim.sh"]
        result = subprocess.run(command, cwd=gateware, env=environment, stdout=output, stderr=subprocess.STDOUT)
    if result.returncode:
        raise SimulationError(f"the simulated board did not compile: see {log}")
