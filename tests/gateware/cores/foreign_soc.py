# SPDX-License-Identifier: BSD-2-Clause
"""Generate a standard LiteX SoC with a generated `cfu` core, whose Verilog file is CFU: ``python foreign_soc.py CFU
FOLDER [IMAGE]``.

This program imports nothing of this project. It writes the SoC's Verilog into a folder, and prints the SoC's sources
and the address of its console. A write to the console's first register prints a word; a write to the second register
ends the simulation.
"""

import contextlib
import sys
from pathlib import Path

from litex.build.generic_platform import Pins
from litex.build.io import CRG
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect.csr import CSRStorage
from migen import Display, Finish, If

ROM_BYTES = 0x2000


class Console(LiteXModule):
    """Prints words that the simulated program writes, and ends the simulation when the program asks for it."""

    def __init__(self):
        self.word = CSRStorage(32)
        self.done = CSRStorage(1)
        self.sync += [If(self.word.re, Display("word %x", self.word.storage)), If(self.done.re, Finish())]


def words(image: list[str]) -> list[int]:
    """Return the ROM's words: the content of the one file in the list `image`, or a zero word if the list is empty."""
    data = Path(*image).read_bytes() if image else bytes(4)
    return [int.from_bytes(data[n : n + 4], "little") for n in range(0, len(data), 4)]


def write(soc: SoCCore, folder: Path) -> tuple[list[str], int]:
    """Write `top.v`, the SoC's Verilog, into a folder. Return the source files that `top.v` needs, and the address of
    the SoC's console.
    """
    folder.mkdir(parents=True, exist_ok=True)
    soc.finalize()
    with contextlib.chdir(folder):
        soc.platform.get_verilog(soc, name="top").write("top.v")
    return [source for source, *_ in soc.platform.sources], soc.csr.regions["console"].origin


def main() -> None:
    """Write the Verilog of an SoC whose ROM contains the program IMAGE. Print the names of the SoC's source files and
    the address of its console.
    """
    cfu, folder, *image = sys.argv[1:]
    platform = SimPlatform("SIM", [("sys_clk", 0, Pins(1))])
    soc = SoCCore(
        platform,
        clk_freq=1_000_000,
        cpu_type="vexriscv",
        cpu_variant="full+cfu",
        cpu_cfu=cfu,
        integrated_rom_size=ROM_BYTES,
        integrated_rom_init=words(image),
        integrated_sram_size=0x1000,
        ident="",
        with_uart=False,
    )
    soc.crg = CRG(platform.request("sys_clk"))
    soc.console = Console()
    sources, console = write(soc, Path(folder))
    print("sources", *sources)
    print(f"console {console:#x}")


if __name__ == "__main__":
    main()
