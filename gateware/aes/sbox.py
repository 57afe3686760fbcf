"""SubBytes on one byte, and its inverse: combinational S-boxes (FIPS-197, 5.1.1 and 5.3.2).

The byte is a signal of 8 bits, bit 0 the least significant. Latency: none (combinational).

``table``
    A table of 256 entries for synthesis to map. Portable; what simulation uses.
``ecp5``
    The same table as sixteen LUT4 an output bit and the slices' own wide multiplexers (PFUMX, L6MUX21),
    the eighth input on a last multiplexer: 128 LUT4 and two levels of general routing, where the
    mapper left to itself takes more LUTs and up to eight levels.
``onehot``
    Bertoni's: a decoder to 256 lines of which one is 1, a permutation of the lines, which is wiring, and an encoder.
``canright``
    Inversion in a tower of fields (`gateware.aes.composite`): the smallest, and the slowest.

`SBoxPair` is both directions on one byte, chosen by a signal. A registered S-box in block RAM is in
`gateware.aes.sbox_ram`.
"""

from migen import Case, Cat, Module, Mux, Signal

from gateware.aes.cells import lut4, mux
from gateware.aes.composite import AFFINE_CONSTANT, best_tower, inversion, linear
from gateware.aes.field import INV_SBOX, SBOX
from gateware.aes.transforms import masked

PAIR_IMPLEMENTATIONS = ("table", "ecp5", "canright")
IMPLEMENTATIONS = (*PAIR_IMPLEMENTATIONS, "onehot")
# The byte that SubBytes takes to zero.
ZERO_AFTER_SUBSTITUTION = INV_SBOX[0]


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
        _check(implementation, IMPLEMENTATIONS)
        self.i = Signal(8)
        self.o = Signal(8)

        # # #

        table = INV_SBOX if inverse else SBOX
        if implementation == "table":
            self.comb += Case(self.i, {x: self.o.eq(y) for x, y in enumerate(table)})
        elif implementation == "ecp5":
            for bit in range(8):
                halves = _lut7_halves(self, self.i, [(y >> bit) & 1 for y in table])
                self.comb += self.o[bit].eq(Mux(self.i[7], halves[1], halves[0]))
        elif implementation == "onehot":
            self.comb += self.o.eq(_encode(_decode(self, self.i), table))
        else:
            tower = best_tower()
            into, out_of = Signal(8), Signal(8)
            self.comb += out_of.eq(Cat(*inversion(tower, list(into), _namer(self))))
            if inverse:
                linear_part = [self.i[bit] ^ (AFFINE_CONSTANT >> bit & 1) for bit in range(8)]
                self.comb += into.eq(Cat(*linear(tower.from_affine, linear_part)))
                self.comb += self.o.eq(Cat(*linear(tower.to_bytes, list(out_of))))
            else:
                self.comb += into.eq(Cat(*linear(tower.to_tower, list(self.i))))
                self.comb += self.o.eq(Cat(*linear(tower.to_affine, list(out_of), AFFINE_CONSTANT)))


class SBoxPair(Module):
    """SubBytes and InvSubBytes on one byte, and a sum behind them.

    The sum costs nothing in ``ecp5``: the last LUT4 of each output bit has an input to spare. With an input
    of `ZERO_AFTER_SUBSTITUTION`, forward, it is a way to pass `operand` through.

    Parameters
    ----------
    implementation : str
        One of `PAIR_IMPLEMENTATIONS`. With ``canright`` the directions share one inversion.

    Attributes
    ----------
    i : Signal(8), in
        Byte to substitute.
    inverse : Signal(), in
        InvSubBytes instead of SubBytes.
    operand : Signal(8), in
        Added to the substitution.
    o : Signal(8), out
        Combinational.
    """

    def __init__(self, *, implementation: str = "table"):
        _check(implementation, PAIR_IMPLEMENTATIONS)
        self.i = Signal(8)
        self.inverse = Signal()
        self.operand = Signal(8)
        self.o = Signal(8)

        # # #

        if implementation == "table":
            forward, inverse = SBox(), SBox(inverse=True)
            self.submodules += forward, inverse
            self.comb += [
                forward.i.eq(self.i),
                inverse.i.eq(self.i),
                self.o.eq(Mux(self.inverse, inverse.o, forward.o) ^ self.operand),
            ]
        elif implementation == "ecp5":
            for bit in range(8):
                outputs = []
                for table in (SBOX, INV_SBOX):
                    halves = _lut7_halves(self, self.i, [(y >> bit) & 1 for y in table])
                    outputs.append(lut4(self, MUX_AND_ADD, [*halves, self.i[7], self.operand[bit]]))
                self.comb += self.o[bit].eq(mux(self, "PFUMX", outputs, self.inverse))
        else:
            tower = best_tower()
            into, out_of = Signal(8), Signal(8)
            linear_part = [self.i[bit] ^ (AFFINE_CONSTANT >> bit & 1) for bit in range(8)]
            self.comb += [
                into.eq(
                    Mux(
                        self.inverse,
                        Cat(*linear(tower.from_affine, linear_part)),
                        Cat(*linear(tower.to_tower, list(self.i))),
                    )
                ),
                out_of.eq(Cat(*inversion(tower, list(into), _namer(self)))),
                self.o.eq(
                    Mux(
                        self.inverse,
                        Cat(*linear(tower.to_bytes, list(out_of))),
                        Cat(*linear(tower.to_affine, list(out_of), AFFINE_CONSTANT)),
                    )
                    ^ self.operand
                ),
            ]


def _namer(module: Module):
    """Gives expressions names in a module, for `inversion`."""

    def name(what: str, bits: list) -> list:
        signal = Signal(len(bits), name=what)
        module.comb += signal.eq(Cat(*bits))
        return list(signal)

    return name


def _check(implementation: str, known: tuple[str, ...]) -> None:
    if implementation not in known:
        raise ValueError(f"S-box implementation {implementation!r} is not one of {', '.join(known)}")


# Bertoni's lines. -----------------------------------------------------------------------------------------


def _decode(module: Module, byte: Signal) -> Signal:
    """256 lines, one for each value of the byte, from two decoders of four bits."""
    low, high, lines = Signal(16), Signal(16), Signal(256)
    module.comb += [
        *[low[n].eq(byte[:4] == n) for n in range(16)],
        *[high[n].eq(byte[4:] == n) for n in range(16)],
        *[lines[16 * n : 16 * n + 16].eq(masked(high[n], low)) for n in range(16)],
    ]
    return lines


def _encode(lines: Signal, table) -> Cat:
    """The byte whose line, after the permutation by the table, is 1."""
    return Cat(*[lines & sum((y >> bit & 1) << x for x, y in enumerate(table)) != 0 for bit in range(8)])


# The ECP5's own cells. ------------------------------------------------------------------------------------

# Contents of a LUT4 for D ^ (C ? B : A); its inputs A to D are bits 0 to 3 of the index.
MUX_AND_ADD = sum((((x >> 1 if x & 4 else x) ^ x >> 3) & 1) << x for x in range(16))


def _lut7_halves(module: Module, address: Signal, truth: list[int]) -> list[Signal]:
    """A function of eight inputs, from its truth table, for each value of the eighth."""
    return [_lut7(module, address, truth[128 * half : 128 * half + 128]) for half in range(2)]


def _lut7(module: Module, address: Signal, truth: list[int]) -> Signal:
    """A function of the address' low seven bits, from its truth table of 128 entries."""
    level = []
    for first in range(0, 128, 16):
        contents = sum(bit << x for x, bit in enumerate(truth[first : first + 16]))
        level.append(lut4(module, contents, list(address[:4])))
    for cell, bit in (("PFUMX", 4), ("L6MUX21", 5), ("L6MUX21", 6)):
        level = [mux(module, cell, pair, address[bit]) for pair in zip(level[0::2], level[1::2], strict=True)]
    return level[0]
