"""SubBytes on one byte, and its inverse: combinational S-boxes (FIPS-197, 5.1.1 and 5.3.2).

The byte is a signal of 8 bits, bit 0 the least significant. Latency: none (combinational).
"""

from migen import Case, Module, Signal

from gateware.aes.field import INV_SBOX, SBOX


class SBox(Module):
    """One S-box as a table of 256 entries, which synthesis maps onto LUTs and wide multiplexers.

    Parameters
    ----------
    inverse : bool
        InvSubBytes instead of SubBytes.

    Attributes
    ----------
    i, o : Signal(8)
        Input byte and its substitution.
    """

    def __init__(self, *, inverse: bool = False):
        self.i = Signal(8)
        self.o = Signal(8)

        # # #

        table = INV_SBOX if inverse else SBOX
        self.comb += Case(self.i, {x: self.o.eq(y) for x, y in enumerate(table)})
