# SPDX-License-Identifier: BSD-2-Clause
"""Combinational S-boxes: SubBytes or InvSubBytes on one byte (FIPS-197, 5.1.1 and 5.3.2).

The byte is a signal of 8 bits, bit 0 the least significant. Latency: none (combinational).

``table``
    A table of 256 entries that synthesis maps. Portable; simulation uses it.
``ecp5``
    The same table as sixteen LUT4 for each output bit and the slices' own wide multiplexers (PFUMX, L6MUX21). The
    eighth input controls a last multiplexer. This takes 128 LUT4 and two levels of general routing. The mapper by
    itself takes more LUTs and up to eight levels.
``onehot``
    Bertoni's: a decoder to 256 lines of which one is 1, a permutation of the lines (only wiring), and an encoder.
``tower``
    Canright's: inversion in a tower of fields (`gateware.aes.composite`), the smallest and the slowest.

`gateware.aes.sbox_pair` has both directions on one byte, with a register. `gateware.aes.column_sbox` has them on a
column, in block RAM too. `gateware.aes.sbox_ram` has a registered S-box in block RAM.
"""

from collections.abc import Sequence

from migen import Case, Cat, Module, Mux, Signal

from .cells import lut7_halves
from .composite import AFFINE_CONSTANT, best_tower, inversion, linear
from .field import INV_SBOX, SBOX
from .transforms import masked

IMPLEMENTATIONS = ("table", "ecp5", "tower", "onehot")


class ByteTable(Module):
    """A combinational look-up table with an entry for each value of a byte.

    Parameters
    ----------
    table : sequence of int
        256 bytes.
    implementation : str
        ``table``, ``ecp5`` or ``onehot``.

    Attributes
    ----------
    i, o : Signal(8)
        Input byte and its substitution.
    """

    def __init__(self, table: Sequence[int], implementation: str = "table"):
        self.i = Signal(8)
        self.o = Signal(8)

        # # #

        if implementation == "table":
            self.comb += Case(self.i, {x: self.o.eq(y) for x, y in enumerate(table)})
        elif implementation == "ecp5":
            for bit in range(8):
                halves = lut7_halves(self, self.i, [(y >> bit) & 1 for y in table])
                self.comb += self.o[bit].eq(Mux(self.i[7], halves[1], halves[0]))
        elif implementation == "onehot":
            self.comb += self.o.eq(_encode(_decode(self, self.i), table))


class SBox(ByteTable):
    """One S-box: applies SubBytes or InvSubBytes to a byte.

    Parameters
    ----------
    inverse : bool
        InvSubBytes instead of SubBytes.
    implementation : str
        One of `IMPLEMENTATIONS`.
    """

    def __init__(self, *, inverse: bool = False, implementation: str = "table"):
        check_implementation(implementation, IMPLEMENTATIONS)
        ByteTable.__init__(self, INV_SBOX if inverse else SBOX, implementation)

        # # #

        if implementation == "tower":
            tower = best_tower()
            into, out_of = Signal(8), Signal(8)
            self.comb += out_of.eq(Cat(*inversion(tower, list(into), namer(self))))
            if inverse:
                linear_part = [self.i[bit] ^ (AFFINE_CONSTANT >> bit & 1) for bit in range(8)]
                self.comb += into.eq(Cat(*linear(tower.from_affine, linear_part)))
                self.comb += self.o.eq(Cat(*linear(tower.to_bytes, list(out_of))))
            else:
                self.comb += into.eq(Cat(*linear(tower.to_tower, list(self.i))))
                self.comb += self.o.eq(Cat(*linear(tower.to_affine, list(out_of), AFFINE_CONSTANT)))


def namer(module: Module):
    """Return a function that adds named signals to `module`. It is the argument `name` of `composite.inversion`."""

    def name(what: str, bits: list) -> list:
        signal = Signal(len(bits), name=what)
        module.comb += signal.eq(Cat(*bits))
        return list(signal)

    return name


def check_implementation(implementation: str, known: tuple[str, ...]) -> None:
    """Raise `ValueError` unless the name in `implementation` is one of the names in `known`."""
    if implementation not in known:
        raise ValueError(f"S-box implementation {implementation!r} is not one of {', '.join(known)}")


# The S-box by Bertoni et al.: a decoder to 256 one-bit signals, and an encoder. ---------------------------------------


def _decode(module: Module, byte: Signal) -> Signal:
    """Return a signal of 256 bits. Only the bit with the number `byte` is 1."""
    low, high, lines = Signal(16), Signal(16), Signal(256)
    module.comb += [
        *[low[n].eq(byte[:4] == n) for n in range(16)],
        *[high[n].eq(byte[4:] == n) for n in range(16)],
        *[lines[16 * n : 16 * n + 16].eq(masked(high[n], low)) for n in range(16)],
    ]
    return lines


def _encode(lines: Signal, table) -> Cat:
    """Return `table[n]`, where n is the number of the only bit in `lines` that is 1."""
    return Cat(*[lines & sum((y >> bit & 1) << x for x, y in enumerate(table)) != 0 for bit in range(8)])
