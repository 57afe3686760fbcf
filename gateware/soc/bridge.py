"""A register stage between two Wishbone buses: neither sees the other's combinational paths.

A request is registered, carried out on the other side, and answered from registers: an access takes two
cycles more than the slave's own. Classic accesses only; the master's burst tags are not passed on.
"""

from litex.soc.interconnect import wishbone
from migen import If, Module


class RegisteredBridge(Module):
    """Passes accesses of one bus on to another of the same width.

    Parameters
    ----------
    data_width : int
        Width of both buses in bits.

    Attributes
    ----------
    master : wishbone.Interface
        Where accesses come from (the bridge is the slave).
    slave : wishbone.Interface
        Where they go (the bridge is the master).
    """

    def __init__(self, *, data_width: int):
        self.master = master = wishbone.Interface(data_width=data_width, address_width=32, addressing="word")
        self.slave = slave = wishbone.Interface(data_width=data_width, address_width=32, addressing="word")

        # # #

        self.comb += slave.stb.eq(slave.cyc)
        self.sync += [
            master.ack.eq(0),
            master.err.eq(0),
            If(
                ~slave.cyc,
                # The answer takes a cycle to reach the master, which holds its request until then.
                If(
                    master.cyc & master.stb & ~master.ack & ~master.err,
                    slave.cyc.eq(1),
                    slave.we.eq(master.we),
                    slave.adr.eq(master.adr),
                    slave.sel.eq(master.sel),
                    slave.dat_w.eq(master.dat_w),
                ),
            ).Elif(
                slave.ack | slave.err,
                slave.cyc.eq(0),
                master.ack.eq(slave.ack),
                master.err.eq(slave.err),
                master.dat_r.eq(slave.dat_r),
            ),
        ]
