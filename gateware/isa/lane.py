# SPDX-License-Identifier: BSD-2-Clause
"""One lane of the vector AES unit: a 32-bit processing element that works on one column of the AES state.

A column is 32 bits with row ``r`` at bits ``8*r+7 : 8*r``. The lane does the part of each pipeline stage that needs
only its own column. ShiftRows, which crosses lanes, comes before the first stage::

    (shuffle network between the lanes)
    stage 1:  column ──► SubBytes / InvSubBytes / pass ──► register
    stage 2:  column ──► MixColumns / InvMixColumns / pass ──► + round key ──► result

Throughput: one column a cycle. Latency: one register, in `gateware.aes.column_sbox`.
"""

from itertools import product

from migen import Cat, Module, Mux, Signal

from ..aes.cells import Functions, sum_of
from ..aes.column_sbox import ColumnSBox
from ..aes.sub_bytes import BLOCK_RAM
from ..aes.transforms import byte_list, inverse_mix_correction, masked, mix_column

# With these implementations of the S-boxes, the lane instantiates ECP5 cells for stage 2.
OF_CELLS = (BLOCK_RAM, "ecp5")


class Lane(Module):
    """Pipeline stages 1 and 2 of the unit, for one column of the state.

    Parameters
    ----------
    sbox : str
        Implementation of the S-boxes (`gateware.aes.column_sbox`).

    Attributes
    ----------
    column : Signal(32), in
        Stage 1: the column to substitute.
    substitute, inverse : Signal(), in
        Stage 1: apply SubBytes; with `inverse` as well, InvSubBytes. Without `substitute` the column passes unchanged.
    substituted : Signal(32), out
        Stage 2: the result of stage 1.
    mix : Signal(), in
        Stage 2: apply MixColumns after SubBytes, otherwise InvMixColumns.
    replacement, replace : Signal(32), Signal(), in
        Stage 2: a value from elsewhere, and whether it replaces the mixed column.
    round_key, add_key : Signal(32), Signal(), in
        Stage 2: the round key, and whether it is added to the result.
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
        self.add_key = Signal()
        self.result = Signal(32)

        # # #

        # Stage 1 computes SubBytes, and ends at the register inside the S-boxes.
        self.submodules.boxes = boxes = ColumnSBox(implementation=sbox)
        self.substituted = boxes.o
        self.comb += [
            boxes.i.eq(self.column),
            boxes.substitute.eq(self.substitute),
            boxes.inverse.eq(self.inverse),
        ]

        if sbox in OF_CELLS:
            self._stage_2_of_cells()
            return

        # Stage 2 has one circuit for MixColumns and InvMixColumns. For InvMixColumns, a correction is first added to
        # the input.
        column = byte_list(self.substituted)
        corrected = Signal(32)
        mixed = Signal(32)
        self.comb += [
            corrected.eq(self.substituted ^ masked(~boxes.forward, Cat(*inverse_mix_correction(column)))),
            mixed.eq(Cat(*mix_column(byte_list(corrected)))),
            self.result.eq(
                Mux(self.replace, self.replacement, Mux(self.mix, mixed, self.substituted))
                ^ masked(self.add_key, self.round_key)
            ),
        ]

    def _stage_2_of_cells(self) -> None:
        """Build stage 2 with at most three LUT4s in a path, because a block RAM answers late in the cycle.

        Synthesis does not know that and would use eight levels.

        InvMixColumns is MixColumns with an addend. Let e be {04} times the sum of the even rows, and o {04} times the
        sum of the odd rows. The addend is ``e + {02}(e + o)`` in the even rows and ``o + {02}(e + o)`` in the odd rows.
        """
        function = Functions(self, portable=False)
        column, doubled = byte_list(self.boxes.o), byte_list(self.boxes.doubled)

        def bits(rows):  # returns the bits of {02} times the XOR of the given rows
            return [function([doubled[row][bit] for row in rows], sum_of) for bit in range(8)]

        every = bits(range(4))
        addends = []
        for row in range(2):
            own, pair = bits((row, row + 2)), (doubled[row], doubled[row + 2])
            third_and_last = function([byte[bit] for byte in pair for bit in (3, 7)], sum_of)
            terms = [
                [own[7], every[6]],
                [own[0], own[7], every[6], every[7]],
                [own[1], every[0], every[7]],
                [own[2], own[7], every[1], every[6]],
                [third_and_last, every[2], every[6], every[7]],
                [own[4], every[3], every[7]],
                [own[5], every[4]],
                [own[6], every[5]],
            ]
            addends.append([function(bits, sum_of) for bits in terms])
        mixes, adds = Signal(), Signal()
        self.comb += [mixes.eq(self.mix & ~self.replace), adds.eq(mixes & ~self.boxes.forward)]
        for row, bit in product(range(4), range(8)):
            n = 8 * row + bit
            others = [column[(row + following) % 4][bit] for following in range(1, 4)]
            most = function([*others, doubled[row][bit]], sum_of)
            unmixed = function(
                [self.mix, column[row][bit], self.replacement[n], self.replace],
                lambda mix, o, replacement, replace: replacement if replace else o & ~mix,
            )
            mixed = function(
                [most, doubled[(row + 1) % 4][bit], mixes, unmixed], lambda a, b, mixes, c: (a ^ b) & mixes ^ c
            )
            key = function([self.round_key[n], self.add_key], int.__and__)
            addend = addends[row % 2][bit]
            result = function([mixed, addend, adds, key], lambda a, b, adds, key: a ^ b & adds ^ key)
            self.comb += self.result[n].eq(result)
