# SPDX-License-Identifier: BSD-2-Clause
"""Clock and reset of boards with an ECP5."""

from collections.abc import Callable
from typing import Any

from litex.gen import LiteXModule
from litex.soc.cores.clock import ECP5PLL
from migen import ClockDomain, If, Instance, Signal


class _CRG(LiteXModule):
    """Makes the system clock from the board's oscillator, and a reset of 2^16 cycles after power-on.

    The reset drives thousands of flip-flops, so it uses a global net, like a clock. `pressed` takes the pad named
    `reset_name` and returns a signal that is high while reset is requested.
    """

    def __init__(
        self,
        platform,
        sys_clk_freq,
        *,
        clock_name: str,
        clock_hz: float,
        reset_name: str,
        pressed: Callable[[Signal], Any],
        high_names: tuple[str, ...] = (),
    ):
        self.rst = Signal()
        self.cd_sys = ClockDomain()
        self.cd_por = ClockDomain(reset_less=True)
        # `start` has the same clock as `sys`. The reset of `start` passes through a global buffer, and becomes the
        # reset of `sys`.
        self.cd_start = ClockDomain()

        # # #

        self.comb += [platform.request(name).eq(1) for name in high_names]
        clock = platform.request(clock_name)
        reset = platform.request(reset_name)
        por_count = Signal(16, reset=2**16 - 1)
        self.comb += self.cd_por.clk.eq(clock)
        self.sync.por += If(por_count != 0, por_count.eq(por_count - 1))

        self.pll = pll = ECP5PLL()
        self.comb += pll.reset.eq((por_count != 0) | pressed(reset) | self.rst)
        pll.register_clkin(clock, clock_hz)
        pll.create_clkout(self.cd_start, sys_clk_freq)
        self.comb += self.cd_sys.clk.eq(self.cd_start.clk)
        self.specials += Instance("DCCA", i_CLKI=self.cd_start.rst, i_CE=1, o_CLKO=self.cd_sys.rst)


def create_crg(
    clock_name: str, clock_hz: float, reset_name: str, *, active_low: bool = True, high_names: tuple[str, ...] = ()
) -> Callable:
    """Return a board's function `create_crg`. This function creates the module that makes the system clock and reset.

    The module reads the pads `clock_name` and `reset_name`, and sets the pads in `high_names` to 1.
    """

    def create(platform, sys_clk_freq):
        return _CRG(
            platform,
            sys_clk_freq,
            clock_name=clock_name,
            clock_hz=clock_hz,
            reset_name=reset_name,
            pressed=(lambda pad: ~pad) if active_low else (lambda pad: pad),
            high_names=high_names,
        )

    return create
