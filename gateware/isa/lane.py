"""One lane of the vector AES unit: a vector processing element of 32 bits that holds a column of the state.

A column is 32 bits with row ``r`` at bits ``8*r+7 : 8*r``. The lane has the part of each pipeline
stage that needs its own column only; ShiftRows, which crosses lanes, lies in front of the first::

    (shuffle network between the lanes)
    stage 1:  column ──► SubBytes / InvSubBytes / pass ──► register
    stage 2:  column ──► MixColumns / InvMixColumns / pass ──► + round key ──► result

Throughput: one column a cycle. Latency: one register, in `gateware.aes.column_sbox`.
"""

from migen import Cat, Module, Mux, Signal

from gateware.aes.column_sbox import ColumnSBox
from gateware.aes.transforms import byte_list, mix_column


class Lane(Module):
    """Stages 1 and 2 of one column.

    Parameters
    ----------
    sbox : str
        Implementation of the S-boxes (`gateware.aes.column_sbox`).

    Attributes
    ----------
    column : Signal(32), in
        Stage 1: the column to substitute.
    substitute, inverse : Signal(), in
        Stage 1: SubBytes; or InvSubBytes, with `substitute`. Else it passes.
    substituted : Signal(32), out
        Stage 2: what stage 1 gave.
    mix : Signal(), in
        Stage 2: apply MixColumns behind SubBytes, and its inverse to what else stage 1 gave.
    replacement, replace : Signal(32), Signal(), in
        Stage 2: what comes from elsewhere, and whether it takes the place of the mixed column.
    round_key : Signal(32), in
        Stage 2: added to the result.
    result : Signal(32), out
        Stage 2: combinational.
    """

    def __init__(self, *, sbox: str = "table"):
        self.column = Signal(32)
        self.substitute = Signal()
        self.inverse = Signal()
        self.mix = Signal()
        self.replacement = Signal(32)
        self.replace = Signal()
        self.round_key = Signal(32)
        self.result = Signal(32)

        # # #

        # Stage 1: SubBytes, up to the register in the S-boxes.
        self.submodules.boxes = boxes = ColumnSBox(implementation=sbox)
        self.substituted = boxes.o
        self.comb += [
            boxes.i.eq(self.column),
            boxes.substitute.eq(self.substitute),
            boxes.inverse.eq(self.inverse),
        ]

        # Stage 2: MixColumns. The inverse is an addend behind the same circuit.
        mixed = Signal(32)
        self.comb += [
            mixed.eq(Cat(*mix_column(byte_list(self.substituted), byte_list(boxes.doubled))) ^ boxes.addend),
            self.result.eq(
                Mux(self.replace, self.replacement, Mux(self.mix, mixed, self.substituted)) ^ self.round_key
            ),
        ]
