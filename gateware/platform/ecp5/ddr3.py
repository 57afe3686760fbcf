# SPDX-License-Identifier: BSD-2-Clause
"""DDR3 on a board with an ECP5: the clocks of LiteDRAM's PHY, and the PHY."""

from collections.abc import Callable
from typing import Any

from litedram.phy import ECP5DDRPHY
from litex.gen import LiteXModule
from litex.soc.cores.clock import ECP5PLL
from migen import ClockDomain, ClockSignal, If, Instance, Signal
from migen.genlib.resetsync import AsyncResetSynchronizer

from ...description import Sdram

_INIT_HZ = 25e6  # frequency of the clock that starts the PHY's delay lines


class _CRG(LiteXModule):
    """The clocks of a board with DDR3: a fast clock for the memory's pins, and the system clock at half its frequency.

    So the two are in phase. When its delay lines have locked, the PHY stops the fast clock and resets the divider
    (`stop`, `reset`). It does this in the clock domain `init`, which never stops; the system is in reset meanwhile.
    All domains stay in reset for 2^16 cycles after power-on, and while the pad named `reset_name` is low.
    """

    def __init__(self, platform, sys_clk_freq, *, clock_name: str, clock_hz: float, reset_name: str):
        self.rst = Signal()
        self.stop = Signal()
        self.reset = Signal()
        self.cd_sys = ClockDomain()
        self.cd_por = ClockDomain(reset_less=True)
        self.cd_init = ClockDomain()
        self.cd_sys2x = ClockDomain(reset_less=True)
        self.cd_fast = ClockDomain(reset_less=True)  # a clock gate makes the clock of `sys2x` from this clock
        # `start` has the same clock as `sys`. The reset of `start` passes through a global buffer, and becomes the
        # reset of `sys`.
        self.cd_start = ClockDomain()

        # # #

        clock = platform.request(clock_name)
        reset_n = platform.request(reset_name)
        por_count = Signal(16, reset=2**16 - 1)
        self.comb += self.cd_por.clk.eq(clock)
        self.sync.por += If(por_count != 0, por_count.eq(por_count - 1))

        self.pll = pll = ECP5PLL()
        self.comb += pll.reset.eq((por_count != 0) | ~reset_n | self.rst)
        pll.register_clkin(clock, clock_hz)
        pll.create_clkout(self.cd_fast, 2 * sys_clk_freq, with_reset=False)
        pll.create_clkout(self.cd_init, _INIT_HZ)
        self.specials += [
            Instance("ECLKSYNCB", i_ECLKI=ClockSignal("fast"), i_STOP=self.stop, o_ECLKO=self.cd_sys2x.clk),
            Instance(
                "CLKDIVF",
                p_DIV="2.0",
                i_ALIGNWD=0,
                i_CLKI=self.cd_sys2x.clk,
                i_RST=self.reset,
                o_CDIVX=self.cd_start.clk,
            ),
            AsyncResetSynchronizer(self.cd_start, ~pll.locked | self.reset),
            Instance("DCCA", i_CLKI=self.cd_start.rst, i_CE=1, o_CLKO=self.cd_sys.rst),
        ]
        self.comb += self.cd_sys.clk.eq(self.cd_start.clk)


def _create_phy(platform, crg, sys_clk_freq):
    phy = ECP5DDRPHY(platform.request("ddram"), sys_clk_freq=sys_clk_freq)
    crg.comb += [crg.stop.eq(phy.init.stop), crg.reset.eq(phy.init.reset)]
    return phy


def create_ddr3(module: Callable[..., Any], clock_name: str, clock_hz: float, reset_name: str) -> Sdram:
    """Return the `Sdram` of a board with DDR3 chips. `module` is LiteDRAM's class for these chips.

    The board's clock and its low-active reset come from the pads `clock_name` and `reset_name`.
    """

    def create_crg(platform, sys_clk_freq):
        return _CRG(platform, sys_clk_freq, clock_name=clock_name, clock_hz=clock_hz, reset_name=reset_name)

    return Sdram(module=module, rate="1:2", create_phy=_create_phy, create_crg=create_crg)
