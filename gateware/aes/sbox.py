"""SubBytes on one byte, and its inverse: combinational S-boxes (FIPS-197, 5.1.1 and 5.3.2).

The byte is a signal of 8 bits, bit 0 the least significant. Latency: none (combinational).

``table``
    A table of 256 entries for synthesis to map. Portable; what simulation uses.
``ecp5``
    The same table as sixteen LUT4 an output bit and the slices' own wide multiplexers (PFUMX, L6MUX21),
    the eighth input on a last multiplexer: 128 LUT4 and two levels of general routing, where the
    mapper left to itself takes more LUTs and up to eight levels.
"""

from migen import Case, Constant, Instance, Module, Mux, Signal

from gateware.aes.field import INV_SBOX, SBOX

IMPLEMENTATIONS = ("table", "ecp5")


class SBox(Module):
    """One S-box.

    Parameters
    ----------
    inverse : bool
        InvSubBytes instead of SubBytes.
    implementation : str
        One of `IMPLEMENTATIONS`.

    Attributes
    ----------
    i, o : Signal(8)
        Input byte and its substitution.
    """

    def __init__(self, *, inverse: bool = False, implementation: str = "table"):
        if implementation not in IMPLEMENTATIONS:
            raise ValueError(f"S-box implementation {implementation!r} is not one of {', '.join(IMPLEMENTATIONS)}")
        self.i = Signal(8)
        self.o = Signal(8)

        # # #

        table = INV_SBOX if inverse else SBOX
        if implementation == "table":
            self.comb += Case(self.i, {x: self.o.eq(y) for x, y in enumerate(table)})
        else:
            for bit in range(8):
                truth = [(y >> bit) & 1 for y in table]
                halves = [self._lut7(truth[128 * half : 128 * half + 128]) for half in range(2)]
                self.comb += self.o[bit].eq(Mux(self.i[7], halves[1], halves[0]))

    def _lut7(self, truth: list[int]) -> Signal:
        """A function of the input's low seven bits, from its truth table of 128 entries."""
        level = []
        for first in range(0, 128, 16):
            z = Signal()
            init = sum(bit << x for x, bit in enumerate(truth[first : first + 16]))
            self.specials += Instance(
                "LUT4", p_INIT=Constant(init, 16), i_A=self.i[0], i_B=self.i[1], i_C=self.i[2], i_D=self.i[3], o_Z=z
            )
            level.append(z)
        level = [self._mux("PFUMX", "BLUT", "ALUT", "C0", self.i[4], pair) for pair in _pairs(level)]
        level = [self._mux("L6MUX21", "D0", "D1", "SD", self.i[5], pair) for pair in _pairs(level)]
        (result,) = (self._mux("L6MUX21", "D0", "D1", "SD", self.i[6], pair) for pair in _pairs(level))
        return result

    def _mux(self, cell: str, port0: str, port1: str, port_select: str, select, pair) -> Signal:
        z = Signal()
        ports = {f"i_{port0}": pair[0], f"i_{port1}": pair[1], f"i_{port_select}": select, "o_Z": z}
        self.specials += Instance(cell, **ports)
        return z


def _pairs(values: list) -> list:
    return list(zip(values[0::2], values[1::2], strict=True))
