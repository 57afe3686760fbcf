# SPDX-License-Identifier: BSD-2-Clause
"""SubBytes and InvSubBytes in a block RAM. The RAM substitutes two bytes at a time, one at each port.

The lower half of the table is SubBytes, the upper half InvSubBytes. Next to each of the 512 bytes it stores {02} times
the byte, which costs nothing. Each bit of MixColumns is then the sum of five bits. Latency: one cycle. Throughput: two
bytes a cycle.
"""

from migen import READ_FIRST, Cat, Memory, Module, Signal

from .field import INV_SBOX, SBOX, multiply

PORTS = 2


class BlockRAMSBox(Module):
    """Applies SubBytes or InvSubBytes to two bytes; the result is valid one clock cycle later.

    Parameters
    ----------
    has_enable : bool
        The ports read only where `enable` is 1; otherwise always.

    Attributes
    ----------
    i : list of 2 Signal(8), in
        Bytes to substitute.
    inverse : list of 2 Signal(), in
        Apply InvSubBytes, for each byte.
    enable : list of 2 Signal(), in
        Take the byte; only with `has_enable`.
    o, doubled : list of 2 Signal(8), out
        The substituted bytes, one cycle later, and {02} times these.
    """

    def __init__(self, *, has_enable: bool = False):
        self.i = [Signal(8, name=f"i{n}") for n in range(PORTS)]
        self.inverse = [Signal(name=f"inverse{n}") for n in range(PORTS)]
        self.enable = [Signal(name=f"enable{n}") for n in range(PORTS)]
        self.o = [Signal(8, name=f"o{n}") for n in range(PORTS)]
        self.doubled = [Signal(8, name=f"doubled{n}") for n in range(PORTS)]

        # # #

        table = [y | multiply(2, y) << 8 for y in (*SBOX, *INV_SBOX)]
        memory = Memory(16, len(table), init=table, name="sbox_table")
        self.specials += memory
        for n in range(PORTS):
            port = memory.get_port(mode=READ_FIRST, has_re=has_enable)
            self.specials += port
            if has_enable:
                self.comb += port.re.eq(self.enable[n])
            self.comb += [
                port.adr.eq(Cat(self.i[n], self.inverse[n])),
                self.o[n].eq(port.dat_r[:8]),
                self.doubled[n].eq(port.dat_r[8:]),
            ]
