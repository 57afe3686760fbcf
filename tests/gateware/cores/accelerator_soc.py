# SPDX-License-Identifier: BSD-2-Clause
"""Generate a standard LiteX SoC with the accelerator of the installed gateware: ``python accelerator_soc.py FOLDER
[IMAGE]``.

Of this project, this program imports only `cipherlane_gateware`. It writes the SoC's Verilog and C macros for the
addresses of its registers into a folder, and prints the SoC's sources.
"""

import sys
from pathlib import Path

from cipherlane_gateware.integration import add_accelerator
from foreign_soc import Console, words, write
from litex.build.generic_platform import Pins
from litex.build.io import CRG
from litex.build.sim import SimPlatform
from litex.soc.integration.soc_core import SoCCore


def main() -> None:
    """Write the files of an SoC whose ROM contains the program IMAGE."""
    folder, *image = sys.argv[1:]
    platform = SimPlatform("SIM", [("sys_clk", 0, Pins(1))])
    soc = SoCCore(
        platform,
        clk_freq=1_000_000,
        cpu_type="vexriscv",
        cpu_variant="full",
        integrated_rom_size=0x2000,
        integrated_rom_init=words(image),
        integrated_sram_size=0x1000,
        integrated_main_ram_size=0x1000,
        ident="",
        with_uart=False,
    )
    soc.crg = CRG(platform.request("sys_clk"))
    soc.console = Console()
    add_accelerator(soc, ["main_ram"], datapath=32, gcm_cycles=16)
    sources, _ = write(soc, Path(folder))
    lines = [
        f"#define {name.upper()}_{register.name.upper()} {region.origin + 4 * n:#x}u\n"
        for name, region in soc.csr.regions.items()
        if isinstance(region.obj, list)
        for n, register in enumerate(region.obj)
    ]
    (Path(folder) / "registers.h").write_text("".join(lines))
    print("sources", *sources)


if __name__ == "__main__":
    main()
