# SPDX-License-Identifier: BSD-2-Clause
"""The simulated board with SDR SDRAM. It has LiteDRAM's PHY, as on hardware, and a model of an SDRAM module at the
PHY's pins.

It has the clock, memory and configuration of a hardware board; the rest is the simulated board's. The module's clock is
half a cycle later than the system's.
"""

from collections.abc import Callable
from dataclasses import replace

from litedram.phy import GENSDRPHY
from litex.build.sim import SimPlatform
from migen import ClockDomain, ClockSignal, Module
from migen.fhdl.specials import Tristate

from gateware import boards, targets
from gateware.description import Fit, Sdram
from gateware.targets import Target
from tests.gateware.soc.sdr_module import Pads, SdrModule


class _Apart:
    """Replaces a three-state pad with three signals: the driven value, the output enable, and the value read."""

    @staticmethod
    def lower(pad: Tristate) -> Module:
        """Return a Migen module that replaces `pad`. The module connects the pad's three signals (output, output
        enable, input) to one bit of the data bus `dq`.
        """
        dq, n = pad.target.value, pad.target.start
        connections = Module()
        connections.comb += [dq.driven[n].eq(pad.o), dq.drives[n].eq(pad.oe), pad.i.eq(pad.target)]
        return connections


class _Platform(SimPlatform):
    def get_verilog(self, *arguments, special_overrides=None, **options):
        overrides = {**(special_overrides or {}), Tristate: _Apart}
        return super().get_verilog(*arguments, special_overrides=overrides, **options)


def _create_phy(sdram: Sdram, sys_clk_freq: float, short: bool) -> Callable:
    module = sdram.module(sys_clk_freq, sdram.rate)
    geometry, timing = module.geom_settings, module.timing_settings

    def create(platform, crg, sys_clk_freq):
        pads = Pads(geometry.addressbits, 32 if short else 16, short)
        crg.cd_sdr = ClockDomain(reset_less=True)
        crg.comb += crg.cd_sdr.clk.eq(~ClockSignal("sys"))
        # LiteDRAM can begin a refresh late, because it first finishes its current commands. So the model allows 100
        # cycles more than LiteDRAM's refresh interval.
        crg.module = SdrModule(
            pads, rows=1 << geometry.rowbits, columns=1 << geometry.colbits, refresh_cycles=timing.tREFI + 100
        )
        return GENSDRPHY(pads, sys_clk_freq)

    return create


def create_target(name: str) -> Target:
    """Return the target of a simulated board that has the SDRAM of the board called `name`. The simulated board is
    called `sim_` plus `name`, so no other board has the same build folder.
    """
    sim, hardware = boards.load("sim"), boards.load(name)
    frequency, short = hardware.sys_clk_freq, name == "colorlight_i5"
    make_io = sim.create_platform

    def create_platform():
        platform = make_io()
        platform.__class__ = _Platform
        return platform

    sdram = Sdram(
        module=hardware.sdram.module,
        rate=hardware.sdram.rate,
        create_phy=_create_phy(hardware.sdram, frequency, short),
        create_crg=sim.create_crg,
    )
    board = replace(
        sim,
        name=f"sim_{name}",
        models=hardware,
        sys_clk_freq=frequency,
        create_platform=create_platform,
        sdram=sdram,
        fits={"sdram": Fit()},
    )
    return Target(board, targets.load(name, "sdram").configuration, board.fits["sdram"])
