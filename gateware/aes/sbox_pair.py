# SPDX-License-Identifier: BSD-2-Clause
"""Applies SubBytes or InvSubBytes to a byte, or outputs another byte unchanged, in one cycle (FIPS-197, 5.1.1, 5.3.2).

::

    i, inverse ──► S-boxes ─┤ register ├─► o
    operand, passes ────────┘

Throughput: a byte a cycle. Latency: one cycle.

``table``
    Two tables that synthesis maps; the register comes last. Portable; simulation uses it.
``ecp5``
    The tables as LUT4s and the slices' wide multiplexers, as in `gateware.aes.sbox`. The register lies between the
    wide multiplexers and the last two levels. This halves the delay that it adds to the next stage. The bypass costs
    nothing: clearing the register passes the operand.
``tower``
    Both directions share one inversion in a tower of fields (`gateware.aes.composite`); the register comes last.
"""

from migen import Cat, If, Module, Mux, Signal

from .cells import flip_flop, lut4, lut7_halves, mux
from .composite import AFFINE_CONSTANT, best_tower, inversion, linear
from .field import INV_SBOX, SBOX
from .sbox import SBox, check_implementation, namer

IMPLEMENTATIONS = ("table", "ecp5", "tower")
# Truth table of a LUT4 that computes D ^ (C ? B : A). The LUT4's inputs A to D are bits 0 to 3 of the index into this
# table.
MUX_AND_ADD = sum((((x >> 1 if x & 4 else x) ^ x >> 3) & 1) << x for x in range(16))


class SBoxPair(Module):
    """Applies SubBytes or InvSubBytes to the byte `i`, or returns the byte in `operand` unchanged.

    Parameters
    ----------
    implementation : str
        One of `IMPLEMENTATIONS`.

    Attributes
    ----------
    i : Signal(8), in
        Byte to substitute.
    inverse : Signal(), in
        Apply InvSubBytes instead of SubBytes.
    passes, operand : Signal(), Signal(8), in
        Return `operand` instead of a substitution.
    o : Signal(8), out
        The result, one cycle after its inputs.
    """

    def __init__(self, *, implementation: str = "table"):
        check_implementation(implementation, IMPLEMENTATIONS)
        self.i = Signal(8)
        self.inverse = Signal()
        self.passes = Signal()
        self.operand = Signal(8)
        self.o = Signal(8)

        # # #

        {"table": self._table, "ecp5": self._ecp5, "tower": self._tower}[implementation]()

    def _table(self) -> None:
        forward, inverse = SBox(), SBox(inverse=True)
        self.submodules += forward, inverse
        self.comb += [forward.i.eq(self.i), inverse.i.eq(self.i)]
        self.sync += self.o.eq(Mux(self.passes, self.operand, Mux(self.inverse, inverse.o, forward.o)))

    def _ecp5(self) -> None:
        half = Signal()  # the eighth input
        operand = Signal(8)
        self.sync += [half.eq(self.i[7]), operand.eq(self.operand), If(~self.passes, operand.eq(0))]
        # Each S-box has its own copy of this register. So place-and-route can put the copy near the eight multiplexers
        # that it controls.
        inverse = flip_flop(self, self.inverse)
        for bit in range(8):
            outputs = []
            for table in (SBOX, INV_SBOX):
                halves = Signal(2)
                self.sync += [
                    halves.eq(Cat(*lut7_halves(self, self.i, [(y >> bit) & 1 for y in table]))),
                    If(self.passes, halves.eq(0)),
                ]
                outputs.append(lut4(self, MUX_AND_ADD, [halves[0], halves[1], half, operand[bit]]))
            self.comb += self.o[bit].eq(mux(self, "PFUMX", outputs, inverse))

    def _tower(self) -> None:
        tower = best_tower()
        into, out_of = Signal(8), Signal(8)
        linear_part = [self.i[bit] ^ (AFFINE_CONSTANT >> bit & 1) for bit in range(8)]
        backward = Cat(*linear(tower.from_affine, linear_part))
        self.comb += [
            into.eq(Mux(self.inverse, backward, Cat(*linear(tower.to_tower, list(self.i))))),
            out_of.eq(Cat(*inversion(tower, list(into), namer(self)))),
        ]
        substituted = Mux(
            self.inverse,
            Cat(*linear(tower.to_bytes, list(out_of))),
            Cat(*linear(tower.to_affine, list(out_of), AFFINE_CONSTANT)),
        )
        self.sync += self.o.eq(Mux(self.passes, self.operand, substituted))
