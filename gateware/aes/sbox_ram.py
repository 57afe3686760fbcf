"""SubBytes and InvSubBytes in a block RAM: two bytes at a time, one of its ports each.

The table of 512 bytes has SubBytes in its lower half and InvSubBytes in its upper half. Latency: one
cycle. Throughput: two bytes a cycle.
"""

from migen import READ_FIRST, Cat, Memory, Module, Signal

from gateware.aes.field import INV_SBOX, SBOX

PORTS = 2


class BlockRAMSBox(Module):
    """Two registered S-boxes, both directions.

    Parameters
    ----------
    has_enable : bool
        The ports read only where `enable` is 1, else always.

    Attributes
    ----------
    i : list of 2 Signal(8), in
        Bytes to substitute.
    inverse : list of 2 Signal(), in
        InvSubBytes instead of SubBytes, for each byte.
    enable : list of 2 Signal(), in
        Take the byte; only with `has_enable`.
    o : list of 2 Signal(8), out
        Their substitutions, one cycle later.
    """

    def __init__(self, *, has_enable: bool = False):
        self.i = [Signal(8, name=f"i{n}") for n in range(PORTS)]
        self.inverse = [Signal(name=f"inverse{n}") for n in range(PORTS)]
        self.enable = [Signal(name=f"enable{n}") for n in range(PORTS)]
        self.o = [Signal(8, name=f"o{n}") for n in range(PORTS)]

        # # #

        memory = Memory(8, 512, init=[*SBOX, *INV_SBOX], name="sbox_table")
        self.specials += memory
        for i, inverse, enable, o in zip(self.i, self.inverse, self.enable, self.o, strict=True):
            port = memory.get_port(mode=READ_FIRST, has_re=has_enable)
            self.specials += port
            if has_enable:
                self.comb += port.re.eq(enable)
            self.comb += [port.adr.eq(Cat(i, inverse)), o.eq(port.dat_r)]
