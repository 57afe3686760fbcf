"""One lane of the vector AES unit: a vector processing element of 32 bits that holds a column of the state.

A column is 32 bits with row ``r`` at bits ``8*r+7 : 8*r``. The lane has the part of each pipeline
stage that needs its own column only; ShiftRows, which crosses lanes, lies between the two::

    stage 1:  column ──► SubBytes / InvSubBytes / pass ──► register
    (shuffle network between the lanes)
    stage 2:  column ──► MixColumns / InvMixColumns / pass ──► + round key ──► result

Throughput: one column a cycle. Latency: one register, in `gateware.aes.sbox_pair`.
"""

from migen import Cat, Module, Mux, Signal

from gateware.aes.sbox_pair import SBoxPair
from gateware.aes.transforms import byte_list, inverse_mix_correction, masked, mix_column

SUBSTITUTE_FORWARD = 0
SUBSTITUTE_INVERSE = 1
SUBSTITUTE_PASS = 2


class Lane(Module):
    """Stages 1 and 2 of one column.

    Parameters
    ----------
    sbox : str
        Implementation of the S-boxes (`gateware.aes.sbox`).

    Attributes
    ----------
    column : Signal(32), in
        Stage 1: the column to substitute.
    substitute : Signal(2), in
        Stage 1: SUBSTITUTE_FORWARD, SUBSTITUTE_INVERSE or SUBSTITUTE_PASS (which takes `operand`).
    operand : Signal(32), in
        Stage 1: what passes unchanged when no substitution is wanted.
    substituted : Signal(32), out
        Stage 2: what stage 1 gave.
    shuffled : Signal(32), in
        Stage 2: this lane's column behind the shuffle network.
    mix, mix_inverse : Signal(), in
        Stage 2: apply MixColumns; its inverse instead.
    replacement, replace : Signal(32), Signal(), in
        Stage 2: what comes from elsewhere, and whether it takes the place of the mixed column.
    round_key : Signal(32), in
        Stage 2: added to the result.
    result : Signal(32), out
        Stage 2: combinational.
    """

    def __init__(self, *, sbox: str = "table"):
        self.column = Signal(32)
        self.substitute = Signal(2)
        self.operand = Signal(32)
        self.substituted = Signal(32)
        self.shuffled = Signal(32)
        self.mix = Signal()
        self.mix_inverse = Signal()
        self.replacement = Signal(32)
        self.replace = Signal()
        self.round_key = Signal(32)
        self.result = Signal(32)

        # # #

        # Stage 1: SubBytes, up to the register in the S-boxes.
        for i in range(4):
            pair = SBoxPair(implementation=sbox)
            self.submodules += pair
            byte = slice(8 * i, 8 * i + 8)
            self.comb += [
                pair.i.eq(self.column[byte]),
                pair.inverse.eq(self.substitute[0]),
                pair.passes.eq(self.substitute[1]),
                pair.operand.eq(self.operand[byte]),
                self.substituted[byte].eq(pair.o),
            ]

        # Stage 2: MixColumns. The inverse is a correction in front of the same circuit.
        corrected = Signal(32)
        mixed = Signal(32)
        self.comb += [
            corrected.eq(
                self.shuffled ^ masked(self.mix_inverse, Cat(*inverse_mix_correction(byte_list(self.shuffled))))
            ),
            mixed.eq(Cat(*mix_column(byte_list(corrected)))),
            self.result.eq(Mux(self.replace, self.replacement, Mux(self.mix, mixed, self.shuffled)) ^ self.round_key),
        ]
