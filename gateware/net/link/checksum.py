# SPDX-License-Identifier: BSD-2-Clause
"""Computes the sum of the Internet checksum over a stream of words (RFC 1071), for UDP (RFC 768) and IPv4 (RFC 791).

It is the ones'-complement sum of 16-bit halves of words. Halves are added as they lie in the words, first byte in the
low bits. Swapping the bytes of every half only swaps the bytes of the sum (RFC 1071, 2 (B)). The sum over data that
include their correct checksum is `RIGHT`. A checksum is the complement of the sum over the other data.

A 32-bit adder adds two halves at a time, and adds their carry with the next word. A 16-bit adder adds the two columns.
Latency: 2 cycles. Throughput: one word a cycle. Handshake: none.
"""

from litex.gen import reverse_bytes
from migen import Cat, If, Module, Signal

from .. import WORD_BITS
from ..layouts import CHECKSUM_BITS

RIGHT = 0xFFFF
PROTOCOL_UDP = 17


def half(number: int) -> int:
    """Convert a constant to a 16-bit operand of the checksum, in the sum's byte order. The constant can be negative."""
    return int.from_bytes((number % RIGHT).to_bytes(2, "big"), "little")


def halves(number: Signal) -> Cat:
    """Convert a number of 16 or 32 bits to the sum's byte order (big-endian on the wire)."""
    return reverse_bytes(number)


def doubled(number: Signal) -> Cat:
    """Double a 16-bit number in ones' complement, by rotating it by one bit."""
    return Cat(number[-1], number[:-1])


class ChecksumSum(Module):
    """Adds 32-bit words to a sum in ones' complement.

    Parameters
    ----------
    initial : int
        First value of the sum, 1 to 0xFFFF. A sum that is not 0 never becomes 0, so each value has only one form.

    Attributes
    ----------
    word : Signal(32), in
        Two halves to add.
    add : Signal(), in
        Add `word`.
    clear : Signal(), in
        Begin a new sum; not in a cycle with `add`.
    value : Signal(16), out
        The sum, two cycles after `add` or `clear`.

    Raises
    ------
    ValueError
        `initial` is out of its range.
    """

    def __init__(self, *, initial: int):
        if not 0 < initial <= RIGHT:
            raise ValueError(f"the sum begins with {initial}; give 1 to {RIGHT}")
        self.word = Signal(WORD_BITS)
        self.add = Signal()
        self.clear = Signal()
        self.value = Signal(CHECKSUM_BITS)

        # # #

        # The adders `added` and `folding` also add `carry`. For this, their operands have an additional lowest bit: 1
        # in one operand, `carry` in the other. `columns` is never all ones while `carry` is 1, because `carry` starts
        # at 0. So `value`, which adds the carry of `folded`, always fits in 16 bits.
        columns, carry = Signal(WORD_BITS, reset=initial), Signal()
        added, folding = Signal(WORD_BITS + 2), Signal(CHECKSUM_BITS + 2)
        folded = Signal(CHECKSUM_BITS + 1)
        self.comb += [
            added.eq(Cat(1, columns) + Cat(carry, self.word)),
            folding.eq(Cat(1, columns[:CHECKSUM_BITS]) + Cat(carry, columns[CHECKSUM_BITS:])),
            self.value.eq(folded[:CHECKSUM_BITS] + folded[CHECKSUM_BITS]),
        ]
        self.sync += [
            If(self.add, Cat(columns, carry).eq(added[1:])),
            If(self.clear, columns.eq(initial), carry.eq(0)),
            folded.eq(folding[1:]),
        ]
