# SPDX-License-Identifier: BSD-2-Clause
"""Canright's S-box, divided into 55 functions of four inputs (LUT4s), with pipeline registers between them.

In the tower of `gateware.aes.composite`, an element of GF(2^8) is ``A Y^16 + B Y``. An element A of GF(2^4) is ``A1 Z^4
+ A0 Z``, with halves A1 and A0 in GF(2^2). A product in GF(2^2) has two bits. Each is a function of four bits, so the
product takes two LUT4s::

    i ─► change of basis ─┬─► A, B, A1+A0, B1+B0 ──────────────────────────────┐
                          └─► P = A1 B1, A0 B0, (A1+A0)(B1+B0), squares inside ─► d ─► 1/d ─► products ─► o
                cells:  14                  8                                   4     6       12          11

`d` is the norm. Its square and constant terms are functions of the same four bits as the products, so they cost
nothing. Both changes of basis share sums (`gateware.aes.xor_network`) and are two cells deep.

There are `stages` registers, the first at the input::

    stages  registers at
    1       i
    2       i, products
    3       i, d, o
    4       i, P, products, o

Latency: `stages` cycles. Throughput: a byte a cycle.
"""

from functools import reduce
from operator import xor

from migen import Cat, If, Module, Signal

from .cells import Functions
from .composite import AFFINE_CONSTANT, apply, best_tower, multiply2, multiply4, scale2, square4
from .xor_network import shared_sums, terms

CUTS = {1: (), 2: ("product",), 3: ("norm", "output"), 4: ("norm products", "product", "output")}


class TowerSBox(Module):
    """One S-box (SubBytes) of LUTs with pipeline registers.

    Parameters
    ----------
    stages : int
        Number of registers, 1 to 4.
    portable : bool
        Use no cells of the ECP5.

    Attributes
    ----------
    i, o : Signal(8)
        Input byte and, `stages` cycles later, its substitution.
    enable : Signal(stages), in
        Bit n: the register of stage n takes its input.
    """

    def __init__(self, *, stages: int = 1, portable: bool = True):
        if stages not in CUTS:
            raise ValueError(f"stages is {stages}; give 1 to {max(CUTS)}")
        self.i = Signal(8)
        self.enable = Signal(stages)
        self.o = Signal(8)

        # # #

        self._cuts = CUTS[stages]
        cell = Functions(self, portable=portable)
        tower = best_tower()

        # Change of basis: convert the byte to its coefficients A and B in GF(2^4). Also compute the sum of the two
        # halves of each coefficient: A1 + A0 and B1 + B0.
        taken = Signal(8, reset_less=True)
        self.sync += If(self.enable[0], taken.eq(self.i))
        rows = _rows(tower.to_tower)
        halves = [rows[n] ^ rows[n + 2] for n in (0, 1, 4, 5)]
        element = _linear(cell, [*rows, *halves], list(taken))
        b, a, b_sum, a_sum = element[:4], element[4:8], element[8:10], element[10:12]

        # The norm is d = N (A + B)^2 + A B. The term N (A + B)^2 is linear over GF(2). All bits that this term depends
        # on are already inputs of the LUTs for A B, so the same LUTs also compute this term.
        columns = [_pack(_square_part(tower, [int(i == k) for i in range(4)])) for k in range(4)]
        low, sums = _split(columns, high=False)
        high, sums_high = _split(columns, high=True)
        products = [
            *_products(cell, b[:2], a[:2], lambda x, y: multiply2(x, y), low),
            *_products(cell, b[2:], a[2:], lambda x, y: multiply2(x, y), high),
            *_products(cell, b_sum, a_sum, lambda x, y: scale2(multiply2(x, y), tower.norm_z), sums),
            *_products(cell, b_sum, a_sum, lambda x, y: scale2(multiply2(x, y), tower.norm_z), sums_high),
        ]
        element, products = self._cut("norm products", element, products)
        norm = [cell([products[n], products[n + 4]], xor) for n in range(4)]
        element, norm = self._cut("norm", element, norm)

        # Look up the inverse of the norm, and the sum of the two halves of this inverse.
        inverse = [_inverse4(tower, x) for x in range(16)]
        root = [cell(norm, lambda *bits, n=n: inverse[_pack(bits)] >> n & 1) for n in range(4)]
        root_sum = [
            cell(norm, lambda *bits, n=n: (inverse[_pack(bits)] >> n ^ inverse[_pack(bits)] >> n + 2) & 1)
            for n in range(2)
        ]

        # With the norm d, the inverse of the byte has the coefficients d^-1 B and d^-1 A. Each coefficient consists of
        # three products in GF(2^2). The last change of basis adds these products.
        b, a, b_sum, a_sum = element[:4], element[4:8], element[8:10], element[10:12]
        parts = []
        for factor, factor_sum in ((a, a_sum), (b, b_sum)):
            parts += _products(cell, root[:2], factor[:2], lambda x, y: multiply2(x, y))
            parts += _products(cell, root[2:], factor[2:], lambda x, y: multiply2(x, y))
            parts += _products(cell, root_sum, factor_sum, lambda x, y: scale2(multiply2(x, y), tower.norm_z))
        (parts,) = self._cut("product", parts)
        output_rows = []
        for row in _rows(tower.to_affine):
            bits = [n for n in range(8) if row >> n & 1]
            # A coefficient is the product of two factors. For each coefficient, `parts` contains three products of two
            # bits each: product 1 of the factors' low halves, product 2 of the high halves, product 3 of the sums of
            # the halves. The coefficient's low half is product 1 XOR product 3, and its high half is product 2 XOR
            # product 3.
            output_rows.append(reduce(xor, [1 << 6 * (n // 4) + n % 4 ^ 1 << 6 * (n // 4) + 4 + n % 2 for n in bits]))
        outputs = _linear(cell, output_rows, parts, AFFINE_CONSTANT)
        (outputs,) = self._cut("output", outputs)
        self.comb += self.o.eq(Cat(*outputs))

    def _cut(self, where: str, *groups: list) -> list[list]:
        """Return the groups of signals, delayed by registers if a pipeline stage ends at the point `where`."""
        if where not in self._cuts:
            return list(groups)
        enable = self.enable[1 + self._cuts.index(where)]
        registered = []
        for group in groups:
            register = Signal(len(group), reset_less=True)
            self.sync += If(enable, register.eq(Cat(*group)))
            registered.append(list(register))
        return registered


def _pack(bits) -> int:
    return sum(bit << n for n, bit in enumerate(bits))


def _rows(columns: list[int]) -> list[int]:
    """Convert a matrix from columns to rows. Each row is a mask of the inputs that sum to one output."""
    return [sum((column >> n & 1) << i for i, column in enumerate(columns)) for n in range(8)]


def _linear(cell: Functions, rows: list[int], inputs: list, constant: int = 0) -> list[Signal]:
    """Multiply by a matrix and add `constant`. Bit n of the product is the XOR of the inputs in the mask `rows[n]`."""
    sums = shared_sums(tuple(rows), len(inputs))
    shared = [cell([inputs[i] for i in range(len(inputs)) if mask >> i & 1], _parity) for mask in sums]
    outputs = []
    for n, row in enumerate(rows):
        used, rest = terms(row, sums)
        signals = [*(shared[k] for k in used), *(inputs[i] for i in range(len(inputs)) if rest >> i & 1)]
        inverted = constant >> n & 1
        outputs.append(cell(signals, lambda *bits, inverted=inverted: _parity(*bits) ^ inverted))
    return outputs


def _parity(*bits: int) -> int:
    return sum(bits) & 1


def _products(cell: Functions, x: list, y: list, product, square=None) -> list[Signal]:
    """Return the two bits of ``product(x, y)`` in GF(2^2). If a matrix `square` is given, add ``square * (x + y)``."""

    def bit(n):
        def function(x0, x1, y0, y1):
            added = apply(square, (x0 ^ y0) | (x1 ^ y1) << 1) if square else 0
            return product([x0, x1], [y0, y1])[n] ^ (added >> n & 1)

        return function

    return [cell([*x, *y], bit(n)) for n in range(2)]


def _square_part(tower, total: list[int]) -> list[int]:
    """Return the tower's norm N times the square of `total`, an element of GF(2^4)."""
    return multiply4(tower, square4(tower, total), tower.norm_y)


def _split(columns: list[int], *, high: bool) -> tuple[list[int], list[int]]:
    """Write two output bits of a linear map of t as the sum of two maps. The first map takes one half of t. The second
    map takes the sum of both halves of t.

    With t = (t1, t0) and ts = t1 + t0: ``l1 t1 + l0 t0 = l1 ts + (l1 + l0) t0 = l0 ts + (l1 + l0) t1``.
    """
    part = [column >> 2 if high else column & 3 for column in columns]
    both = [part[n] ^ part[n + 2] for n in range(2)]
    return both, part[:2] if high else part[2:]


def _inverse4(tower, value: int) -> int:
    """Return the inverse of an element of GF(2^4), found by trying all elements. The inverse of 0 is 0."""
    one = next(e for e in range(16) if all(_multiply(tower, e, x) == x for x in range(16)))
    return next((x for x in range(16) if _multiply(tower, value, x) == one), 0)


def _multiply(tower, x: int, y: int) -> int:
    return _pack(multiply4(tower, [x >> n & 1 for n in range(4)], [y >> n & 1 for n in range(4)]))
