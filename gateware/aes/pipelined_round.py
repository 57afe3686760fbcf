# SPDX-License-Identifier: BSD-2-Clause
"""One round of the pipelined cipher (FIPS-197, 5.1): SubBytes, ShiftRows, MixColumns, AddRoundKey.

::

    i ─┬─► SubBytes with its registers ─► ShiftRows ─► MixColumns ─(+)─► o
       │                                  (not in the last round)   ▲    ▲
       └─► as many registers ──────────────── passes ───────────────│────┘
                                                                   key

Byte order: as in `gateware.aes`. Latency: `stages` cycles from `i` to `o`; `key` and `passes` belong to the block at
`o`. Throughput: a block a cycle.
"""

from migen import Cat, If, Module, Mux, Signal

from .standard import BLOCK_BITS, BLOCK_BYTES
from .sub_bytes import SubBytes
from .transforms import COLUMNS, byte_list, mix_column, shift_rows


class PipelinedRound(Module):
    """Applies one AES round to the block that is in this part of the pipeline.

    Parameters
    ----------
    sbox : str
        Implementation of the S-boxes (`gateware.aes.sub_bytes`).
    stages : int
        Number of registers in the S-boxes.
    is_last : bool
        Leave out MixColumns, as in the last round.
    can_pass : bool
        Blocks may pass this round unchanged.

    Attributes
    ----------
    i : Signal(128), in
        The state before the round.
    enable : Signal(), in
        The first registers take `i`. The later registers take their inputs in every cycle.
    key : Signal(128), in
        The round key.
    passes : Signal(), in
        With `can_pass`: `o` is the unchanged `i`.
    o : Signal(128), out
        The state after the round.
    """

    def __init__(self, *, sbox: str, stages: int, is_last: bool = False, can_pass: bool = False):
        self.i = Signal(BLOCK_BITS)
        self.enable = Signal()
        self.key = Signal(BLOCK_BITS)
        self.passes = Signal()
        self.o = Signal(BLOCK_BITS)

        # # #

        enable = [self.enable, *[1] * (stages - 1)]
        self.submodules.sub_bytes = sub_bytes = SubBytes(BLOCK_BYTES, sbox=sbox, stages=stages)
        self.comb += [sub_bytes.i.eq(self.i), sub_bytes.enable.eq(Cat(*enable))]
        columns = shift_rows(byte_list(sub_bytes.o))
        if not is_last:
            columns = [byte for c in range(COLUMNS) for byte in mix_column(columns[4 * c : 4 * c + 4])]
        state = Cat(*columns) ^ self.key
        if can_pass:
            unchanged = self.i
            for taken in enable:
                delayed = Signal(BLOCK_BITS, reset_less=True)
                self.sync += If(taken, delayed.eq(unchanged))
                unchanged = delayed
            state = Mux(self.passes, unchanged, state)
        self.comb += self.o.eq(state)
