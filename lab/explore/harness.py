# SPDX-License-Identifier: BSD-2-Clause
"""Connects a part of the gateware to shift registers, so that the measured timing is only the timing of this part. The
whole design has three pins.

::

    serial_in ──► shift register ──► part ──► registers ──(+)──► shift register ──► serial_out

Without this top level, long paths to pins and the device's number of pins would determine the result.
"""

from litex.gen.fhdl import verilog
from migen import Cat, ClockDomain, Module, Signal


class Harness(Module):
    """Puts the design under test between shift registers. The clock domain `sys` drives all of them.

    Parameters
    ----------
    part : Module
        The design under test; not finalized.
    inputs, outputs : list of Signal
        All its ports.
    """

    def __init__(self, part: Module, inputs: list[Signal], outputs: list[Signal]):
        self.serial_in = Signal()
        self.serial_out = Signal()
        self.clock_domains.cd_sys = ClockDomain("sys", reset_less=True)
        self.submodules.part = part

        # # #

        stimulus = Signal(sum(len(signal) for signal in inputs))
        observed = Signal(sum(len(signal) for signal in outputs))
        chain = Signal(len(observed))
        self.comb += Cat(*inputs).eq(stimulus)
        self.sync += [
            stimulus.eq(Cat(self.serial_in, stimulus[:-1])),
            observed.eq(Cat(*outputs)),
            chain.eq(Cat(self.serial_in, chain[:-1]) ^ observed),
            self.serial_out.eq(chain[-1]),
        ]

    def verilog(self, name: str):
        """Returns LiteX's Verilog output for the harness. Its ports are clock, serial input and serial output."""
        return verilog.convert(self, {self.cd_sys.clk, self.serial_in, self.serial_out}, name=name)
