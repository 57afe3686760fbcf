# SPDX-License-Identifier: BSD-2-Clause
"""Arithmetic in GF(2^128) as GCM defines it (SP 800-38D, 6.3), and the order of coefficients in a block.

The field's polynomial is x^128 + x^7 + x^2 + x + 1. In numbers and signals here, bit i is the coefficient of x^i. In a
block, GCM writes the coefficient of x^0 as the leftmost bit: coefficient i is bit 7 - i mod 8 of byte i div 8. In the
byte order of `gateware.aes` this is bit 8 * (i div 8) + 7 - i mod 8 of the block's signal.
"""

from migen import Cat

from ..aes.cells import Functions, sum_of

BITS = 128
TAPS = (0, 1, 2, 7)  # x^128 = x^7 + x^2 + x + 1
FAN_IN = 4


def in_order(bits) -> Cat:
    """Convert a block to its coefficients, or back. Both directions use the same permutation of the bits."""
    return Cat(*[bits[n ^ 7] for n in range(BITS)])


def reduced(terms: list[list]) -> list[list]:
    """Reduce a polynomial of degree below 249 modulo the field's polynomial.

    `terms` lists for each coefficient the bits whose XOR is the coefficient. The returned list has this form too.
    """
    low = [list(bits) for bits in terms[:BITS]]
    for n, bits in enumerate(terms[BITS:]):
        for tap in TAPS:
            low[n + tap] += bits
    return low


def total_of(function: Functions, bits: list):
    """Return the XOR of bits, as a tree of four-input functions. Put late-arriving signals last in the list."""
    while len(bits) > FAN_IN:
        bits = [*bits[FAN_IN:], function(bits[:FAN_IN], sum_of)]
    return function(bits, sum_of) if len(bits) > 1 else bits[0]
