# SPDX-License-Identifier: BSD-2-Clause
"""Computes counter blocks T_1 + n (SP 800-38A, 6.5 and appendix B.1). The counter has 32, 64 or 128 bits.

A counter block is a big-endian number. Byte 15, bits 127:120 of the signal, is the least significant. With a width of
m bits, the last m bits count modulo 2^m, and the other bits stay unchanged:

=============  =========================================================================================
width          used by
=============  =========================================================================================
``WIDTH_128``  SP 800-38A with m = b
``WIDTH_64``   128-EEA2 (3GPP TS 33.401, annex B.1.3): T_1 = COUNT (32) || BEARER (5) || DIRECTION (1) || 90 zeros
``WIDTH_32``   GCM's inc32 (SP 800-38D, 6.2), IPsec (RFC 3686)
=============  =========================================================================================

::

    message ─► T_1 + index, low half ─► high half ─► limbs ─► source
                  (next but one)          (next)     (present message)

The number is kept in four limbs of 32 bits; limb 0 is the least significant. A limb steps when all lower limbs are all
ones. Each limb keeps that condition ready as one bit, so no carry chain of a step is longer than 32 bits.

Throughput: a block a cycle, also from the last block of a message to the first of the next one. A message takes two
cycles; a register tells whether one is accepted. Latency: 3 cycles from an accepted message to its first block.
Handshake: valid and ready on both sides. Two messages wait while a third is under way. `flush` drops them all.
"""

from litex.soc.interconnect import stream
from migen import Case, Cat, If, Module, Signal

from ..aes.standard import BLOCK_BITS
from ..aes.transforms import byte_list

INDEX_BITS = 64
LIMB_BITS = 32
LIMBS = BLOCK_BITS // LIMB_BITS
LIMB_ONES = 2**LIMB_BITS - 1

WIDTH_128, WIDTH_64, WIDTH_32 = range(3)
WIDTHS = {WIDTH_128: 128, WIDTH_64: 64, WIDTH_32: 32}
WIDTH_BITS = 2


def message_layout(count_bits: int, slot_bits: int) -> list[tuple[str, int]]:
    """Fields of a message: T_1, number of blocks to skip, number of blocks, code of the counter's width, key slot."""
    return [
        ("initial", BLOCK_BITS),
        ("index", INDEX_BITS),
        ("count", count_bits),
        ("width", WIDTH_BITS),
        ("slot", slot_bits),
    ]


class CounterBlocks(Module):
    """Computes the counter blocks of messages, one message after another.

    Parameters
    ----------
    count_bits, slot_bits : int
        Sizes of `count` and `slot`.

    Attributes
    ----------
    message : stream.Endpoint, initial(128), index(64), count(count_bits), width(2), slot(slot_bits), in
        `initial` is T_1 in the byte order of `gateware.aes`. The first block is T_1 + `index` in the width's modulus.
        `count` blocks follow each other; 0 makes none. `width` is one of `WIDTHS`; other values count as `WIDTH_128`.
    source : stream.Endpoint, data(128), slot(slot_bits), out
        Counter blocks; `last` marks the last block of a message.
    flush : Signal(), in
        Drop every message.
    idle : Signal(), out
        No message is here.
    """

    def __init__(self, *, count_bits: int = 29, slot_bits: int = 3):
        if count_bits < 1 or slot_bits < 1:
            raise ValueError(f"count_bits is {count_bits} and slot_bits {slot_bits}; give at least 1")
        self.message = stream.Endpoint(message_layout(count_bits, slot_bits))
        self.source = stream.Endpoint([("data", BLOCK_BITS), ("slot", slot_bits)])
        self.flush = Signal()
        self.idle = Signal()

        # # #

        message = self.message
        # Type of `low_rest`, `sum_rest` and `rest`, which count the remaining blocks of a message. Each contains the
        # number of blocks that follow the present block, minus one. The value for the last block is -1, so the type is
        # signed.
        rest_type = (count_bits + 1, True)

        # The first stage adds the lower halves of T_1 and n, in two limbs of 32 bits. If the counter has 32 bits, the
        # first stage adds only limb 0, and limb 1 of T_1 stays unchanged.
        low_valid = Signal()
        low_ready = Signal()
        low = [Signal(LIMB_BITS, name=f"low_{k}") for k in range(LIMBS)]
        low_carry = Signal()
        low_whole, low_half = Signal(), Signal()
        low_slot = Signal(slot_bits)
        low_rest = Signal(rest_type)
        # `half`: the counter has 64 or 128 bits; `whole`: the counter has 128 bits
        whole, half = Signal(), Signal()
        initial = Cat(*reversed(byte_list(message.initial)))
        limb = [initial[LIMB_BITS * k : LIMB_BITS * (k + 1)] for k in range(LIMBS)]
        total = [Signal(LIMB_BITS + 1, name=f"total_{k}") for k in range(2)]
        self.comb += [
            Case(
                message.width,
                {
                    WIDTH_32: [half.eq(0), whole.eq(0)],
                    WIDTH_64: [half.eq(1), whole.eq(0)],
                    "default": [half.eq(1), whole.eq(1)],
                },
            ),
            total[0].eq(limb[0] + message.index[:LIMB_BITS]),
            total[1].eq(limb[1]),
            If(half, total[1].eq(limb[1] + message.index[LIMB_BITS:] + total[0][LIMB_BITS])),
            message.ready.eq(~low_valid),
        ]
        self.sync += [
            If(low_ready, low_valid.eq(0)),
            If(
                message.ready,
                low_valid.eq(message.valid & (message.count != 0)),
                *[low[k].eq(total[k] if k < 2 else limb[k]) for k in range(LIMBS)],
                low_carry.eq(total[1][LIMB_BITS] & whole),
                low_whole.eq(whole),
                low_half.eq(half),
                low_slot.eq(message.slot),
                low_rest.eq(message.count - 2),
            ),
        ]

        # The high half.
        sum_valid = Signal()
        sum_ready = Signal()
        sum_limbs = [Signal(LIMB_BITS, name=f"sum_{k}") for k in range(LIMBS)]
        sum_whole, sum_half = Signal(), Signal()
        sum_slot = Signal(slot_bits)
        sum_rest = Signal(rest_type)
        self.comb += low_ready.eq(~sum_valid | sum_ready)
        self.sync += [
            If(
                low_ready,
                sum_valid.eq(low_valid),
                Cat(*sum_limbs[:2]).eq(Cat(*low[:2])),
                Cat(*sum_limbs[2:]).eq(Cat(*low[2:]) + low_carry),
                sum_whole.eq(low_whole),
                sum_half.eq(low_half),
                sum_slot.eq(low_slot),
                sum_rest.eq(low_rest),
            ),
        ]

        # The present message.
        valid = Signal()
        step = Signal()
        limbs = [Signal(LIMB_BITS, name=f"limb_{k}") for k in range(LIMBS)]
        ones = [Signal(name=f"ones_{k}") for k in range(LIMBS)]  # all ones
        counts_whole, counts_half = Signal(), Signal()
        rest = Signal(rest_type)
        carry = step
        for k in range(LIMBS):
            increment = Signal(name=f"increment_{k}")
            enabled = (1, counts_half, counts_whole, counts_whole)[k]
            self.comb += increment.eq(carry & enabled)
            self.sync += [
                limbs[k].eq(limbs[k] + increment),
                ones[k].eq((limbs[k][1:] == LIMB_ONES >> 1) & (limbs[k][0] ^ increment)),
                If(sum_ready, limbs[k].eq(sum_limbs[k]), ones[k].eq(sum_limbs[k] == LIMB_ONES)),
            ]
            carry = carry & ones[k]
        self.comb += [
            self.source.valid.eq(valid),
            self.source.data.eq(Cat(*reversed(byte_list(Cat(*limbs))))),
            self.source.last.eq(rest[-1]),
            step.eq(valid & self.source.ready),
            sum_ready.eq(~valid | (step & rest[-1])),
            self.idle.eq(~low_valid & ~sum_valid & ~valid),
        ]
        self.sync += [
            If(step, rest.eq(rest - 1)),
            If(
                sum_ready,
                valid.eq(sum_valid),
                rest.eq(sum_rest),
                counts_whole.eq(sum_whole),
                counts_half.eq(sum_half),
                self.source.slot.eq(sum_slot),
            ),
            If(self.flush, low_valid.eq(0), sum_valid.eq(0), valid.eq(0)),
        ]
