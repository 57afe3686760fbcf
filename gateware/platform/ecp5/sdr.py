# SPDX-License-Identifier: BSD-2-Clause
"""SDR SDRAM on a board with an ECP5: the clock of its memory chip, and LiteDRAM's PHY.

The chip's clock lags the system clock by part of a cycle, so the chip samples commands and data while they are stable.
Its own data arrive later by the same time. The phase must leave room for both directions.
"""

from collections.abc import Callable
from typing import Any

from litedram.phy import GENSDRPHY
from litex.build.io import DDROutput
from migen import ClockDomain, ClockSignal

from ...description import Sdram


def _create_phy(platform, crg, sys_clk_freq):
    return GENSDRPHY(platform.request("sdram"), sys_clk_freq)


def create_sdr(module: Callable[..., Any], create_crg: Callable[..., Any], phase: float) -> Sdram:
    """Return the `Sdram` of a board with SDR SDRAM chips. `module` is LiteDRAM's class for these chips.

    The chips' clock lags the system clock by `phase` degrees. The PLL in the board's `create_crg` makes this clock too.
    """

    def create_both(platform, sys_clk_freq):
        crg = create_crg(platform, sys_clk_freq)
        crg.cd_sdram = ClockDomain(reset_less=True)
        crg.pll.create_clkout(crg.cd_sdram, sys_clk_freq, phase=phase, with_reset=False)
        crg.specials += DDROutput(1, 0, platform.request("sdram_clock"), ClockSignal("sdram"))
        return crg

    return Sdram(module=module, rate="1:1", create_phy=_create_phy, create_crg=create_both)
