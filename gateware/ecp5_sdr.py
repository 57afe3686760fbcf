"""SDR SDRAM on a board with an ECP5: the clock of its module, and LiteDRAM's PHY.

The module has the system's clock, a part of a cycle later, so that it takes commands and data while they stand. What it
gives is there so much later, too: the phase is to leave room for both ways.
"""

from collections.abc import Callable
from typing import Any

from litedram.phy import GENSDRPHY
from litex.build.io import DDROutput
from migen import ClockDomain, ClockSignal

from gateware.boards import Sdram


def _create_phy(platform, crg, sys_clk_freq):
    return GENSDRPHY(platform.request("sdram"), sys_clk_freq)


def create_sdr(module: Callable[..., Any], create_crg: Callable[..., Any], phase: float) -> Sdram:
    """What a board has as its `sdram`: a memory of LiteDRAM's class, its clock `phase` degrees behind the system's.

    ``create_crg`` is the board's: one PLL, which gives that clock too.
    """

    def create_both(platform, sys_clk_freq):
        crg = create_crg(platform, sys_clk_freq)
        crg.cd_sdram = ClockDomain(reset_less=True)
        crg.pll.create_clkout(crg.cd_sdram, sys_clk_freq, phase=phase, with_reset=False)
        crg.specials += DDROutput(1, 0, platform.request("sdram_clock"), ClockSignal("sdram"))
        return crg

    return Sdram(module=module, rate="1:1", create_phy=_create_phy, create_crg=create_both)
