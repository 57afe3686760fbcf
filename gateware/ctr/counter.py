"""Counter blocks T_n = T_1 + n modulo 2^128 (SP 800-38A, 6.5 and appendix B.1).

A counter block is a big-endian number: byte 15, bits 127:120 of the signal, is the least significant.
The number is kept as four limbs of 32 bits, limb 0 the least significant. Adding the index takes one
cycle for the sums within the limbs and one for each carry between them; after that, a limb steps when
all below it are all ones, which each limb keeps ready as one bit: no carry chain is longer than 32 bits.

Throughput: a block a cycle. Latency: 4 cycles from `start` to the first block, whatever the values.
Handshake: `start` samples `initial` and `index` and ends what was under way; valid and ready on `source`.
"""

from litex.soc.interconnect import stream
from migen import Cat, If, Module, Mux, Signal

from gateware.aes.iterative import BLOCK_BITS
from gateware.aes.transforms import byte_list

INDEX_BITS = 64
LIMB_BITS = 32
LIMBS = BLOCK_BITS // LIMB_BITS


class CounterBlocks(Module):
    """Counts from an initial block plus an index.

    Parameters
    ----------
    count_bits : int
        Size of `count`.

    Attributes
    ----------
    start : Signal(), in
        Begin a sequence of counter blocks.
    initial : Signal(128), in
        Counter block T_1, in the byte order of `gateware.aes`.
    index : Signal(64), in
        Number of blocks to skip.
    count : Signal(count_bits), in
        Number of blocks to give, sampled with `enable`; 0 is allowed.
    enable : Signal(), in
        Pulse at or after `start`: the blocks may leave.
    flush : Signal(), in
        End the sequence.
    source : stream.Endpoint, data(128), out
        Counter blocks.
    """

    def __init__(self, *, count_bits: int = 29):
        if count_bits < 1:
            raise ValueError(f"count_bits is {count_bits}; give at least 1")
        self.start = Signal()
        self.initial = Signal(BLOCK_BITS)
        self.index = Signal(INDEX_BITS)
        self.count = Signal(count_bits)
        self.enable = Signal()
        self.flush = Signal()
        self.source = stream.Endpoint([("data", BLOCK_BITS)])

        # # #

        initial = Cat(*reversed(byte_list(self.initial)))
        limbs = [Signal(LIMB_BITS, name=f"limb_{k}") for k in range(LIMBS)]
        setup = Signal(max=LIMBS)  # carries still to come from the addition of the index
        beyond = Signal((count_bits + 1, True), reset=-1)  # blocks to come after the next; negative: none to come
        step = Signal()

        # Limbs: the sum with the index, then its carries, then steps.
        below = 1  # every limb below is all ones
        carry_in = 0  # from the limb below, in the addition of the index
        for k, limb in enumerate(limbs):
            addend = self.index[LIMB_BITS * k : LIMB_BITS * (k + 1)] if LIMB_BITS * k < INDEX_BITS else 0
            total = Signal(LIMB_BITS + 1, name=f"total_{k}")
            increment = Signal(name=f"increment_{k}")
            ones = Signal(name=f"ones_{k}")
            carry = Signal(name=f"carry_{k}")
            self.comb += [
                increment.eq(Mux(setup != 0, carry_in, step & below)),
                total.eq(limb + increment),
                If(self.start, total.eq(initial[LIMB_BITS * k : LIMB_BITS * (k + 1)] + addend)),
            ]
            self.sync += [
                limb.eq(total),
                carry.eq(total[LIMB_BITS]),
                ones.eq((limb[1:] == 2 ** (LIMB_BITS - 1) - 1) & (limb[0] ^ increment)),
            ]
            below, carry_in = below & ones, carry

        # Sequence.
        self.comb += [
            self.source.valid.eq((setup == 0) & ~beyond[-1]),
            self.source.data.eq(Cat(*reversed(byte_list(Cat(*limbs))))),
            step.eq(self.source.valid & self.source.ready),
        ]
        self.sync += [
            If(setup != 0, setup.eq(setup - 1)),
            If(step, beyond.eq(beyond - 1)),
            If(self.start | self.flush, beyond.eq(-1)),
            If(self.enable & ~self.flush, beyond.eq(self.count - 1)),
            If(self.start, setup.eq(LIMBS - 1)),
        ]
