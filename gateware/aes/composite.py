# SPDX-License-Identifier: BSD-2-Clause
"""The S-box, computed in a tower of fields, GF(((2^2)^2)^2): see D. Canright, A Very Compact S-Box for AES (2005).

Inversion in GF(2^8) becomes inversion and products in GF(2^4), and these become operations in GF(2^2), where inversion
exchanges two bits. The bases are normal: both elements have trace 1 and norm N over the field below. The inverse of
``a1 Y^q + a0 Y`` is then::

    d = N (a1 + a0)^2 + a1 a0          (in the field of q elements)
    (d^-1 a0) Y^q + (d^-1 a1) Y

An element is a list of bits, bit 0 first: the coefficients of the second element of the basis, then the coefficients of
the first. No constant is copied. Bases and changes of basis are computed from FIPS-197's field. Of all such towers,
this file takes the one with the fewest ones in its changes of basis.
"""

from collections.abc import Callable
from functools import cache, reduce
from operator import xor

from .field import multiply

AFFINE_CONSTANT = 0x63


class Tower:
    """One choice of bases for the fields of the tower.

    Each basis consists of an element and its conjugate: ``w`` for GF(2^2), ``z`` for GF(2^4), ``y`` for GF(2^8).

    Attributes
    ----------
    to_bytes : list of int
        Byte (FIPS-197's polynomial basis) of each element of the tower's basis of GF(2^8), bit 0 first.
    to_tower : list of int
        Tower representation of the bytes 1, 2, 4, ... 128.
    to_affine : list of int
        `to_bytes` followed by SubBytes' affine matrix.
    from_affine : list of int
        The inverse of `to_affine`: the inverse affine matrix, followed by `to_tower`.
    """

    def __init__(self, w: int, z: int, y: int):
        pair_w, pair_z, pair_y = ((element, _power(element, q)) for element, q in ((w, 2), (z, 4), (y, 16)))
        self.to_bytes = [multiply(multiply(a, b), c) for c in pair_y for b in pair_z for a in pair_w]
        self.to_tower = invert(self.to_bytes)
        self.to_affine = [_affine(column) for column in self.to_bytes]
        self.from_affine = invert(self.to_affine)
        self.norm_z = self._coordinates(_power(z, 5))[:2]
        self.norm_y = self._coordinates(_power(y, 17))[:4]

    def _coordinates(self, byte: int) -> list[int]:
        # Return the bits of `byte` in the tower's basis. The caller passes an element of a subfield. The two
        # coefficients of such an element are equal, because the two elements of each basis sum to 1. So the caller
        # reads only the first coefficient.
        value = apply(self.to_tower, byte)
        return [value >> i & 1 for i in range(8)]

    @property
    def weight(self) -> int:
        """Number of ones in the four change-of-basis matrices. More ones cost more XOR gates."""
        matrices = (self.to_bytes, self.to_tower, self.to_affine, self.from_affine)
        return sum(column.bit_count() for matrix in matrices for column in matrix)


@cache
def best_tower() -> Tower:
    """Return the tower with the smallest `weight`: its changes of basis need the fewest XOR gates."""
    candidates = (Tower(w, z, y) for w in _trace_one(2) for z in _trace_one(4) for y in _trace_one(16))
    return min(candidates, key=lambda tower: tower.weight)


def apply(matrix: list[int], value: int) -> int:
    """Multiply a matrix over GF(2) by a vector.

    An integer stands for a vector of bits. A matrix is a list of such integers, its columns.
    """
    return reduce(xor, (column for i, column in enumerate(matrix) if value >> i & 1), 0)


def invert(matrix: list[int]) -> list[int]:
    """Return the inverse of a square matrix over GF(2) by Gauss-Jordan elimination. Matrices are lists of columns."""
    size = len(matrix)
    rows = [(column, 1 << i) for i, column in enumerate(matrix)]
    for bit in range(size):
        pivot = next(i for i in range(bit, size) if rows[i][0] >> bit & 1)
        rows[bit], rows[pivot] = rows[pivot], rows[bit]
        for i in range(size):
            if i != bit and rows[i][0] >> bit & 1:
                rows[i] = (rows[i][0] ^ rows[bit][0], rows[i][1] ^ rows[bit][1])
    return [right for _, right in rows]


def linear(matrix: list[int], bits: list, constant: int = 0) -> list:
    """Return the product of a matrix over GF(2) and a vector of one-bit expressions, XORed with a constant."""
    outputs = []
    for row in range(len(matrix)):
        terms = [bits[i] for i, column in enumerate(matrix) if column >> row & 1]
        total = reduce(xor, terms)
        outputs.append(~total if constant >> row & 1 else total)
    return outputs


def inversion(tower: Tower, bits: list, name: Callable[[str, list], list]) -> list:
    """Return the inverse of an element of GF(2^8), given by eight one-bit expressions. The inverse of 0 is 0.

    Parameters
    ----------
    tower : Tower
        The bases.
    bits : list
        The element in the tower's basis, bit 0 first.
    name : callable
        Names a list of expressions: returns signals with their values. So Verilog and synthesis compute a shared
        expression only once.
    """
    low, high = bits[:4], bits[4:]
    total = name("total", _add(high, low))
    scaled = _multiply_constant(tower, square4(tower, total), tower.norm_y)
    norm = name("norm", _add(scaled, name("product", multiply4(tower, high, low))))
    root = name("root", _invert4(tower, norm, name))
    return name("upper", multiply4(tower, root, high)) + name("lower", multiply4(tower, root, low))


# Functions for field elements as lists of bits. -------------------------------------------------------------


def _add(a: list, b: list) -> list:
    return [x ^ y for x, y in zip(a, b, strict=True)]


def multiply2(a: list, b: list) -> list:
    """Return the product of two elements of GF(2^2)."""
    cross = (a[1] ^ a[0]) & (b[1] ^ b[0])
    return [(a[0] & b[0]) ^ cross, (a[1] & b[1]) ^ cross]


def _square2(a: list) -> list:
    """Return the square of an element of GF(2^2). The square is also the element's inverse."""
    return [a[1], a[0]]


def multiply4(tower: Tower, a: list, b: list) -> list:
    """Return the product of two elements of GF(2^4)."""
    cross = scale2(multiply2(_add(a[2:], a[:2]), _add(b[2:], b[:2])), tower.norm_z)
    return _add(multiply2(a[:2], b[:2]), cross) + _add(multiply2(a[2:], b[2:]), cross)


def scale2(a: list, factor: list[int]) -> list:
    """Return the product of `a` and a constant, in GF(2^2). This costs at most one gate."""
    columns = [multiply2([1, 0], factor), multiply2([0, 1], factor)]
    return linear([column[0] | column[1] << 1 for column in columns], a)


def square4(tower: Tower, a: list) -> list:
    """Return the square of an element of GF(2^4)."""
    # For a = a1 Z^4 + a0 Z, the square is a1^2 Z^8 + a0^2 Z^2. With the norm N of Z: Z^2 = Z + N, Z^8 = Z^4 + N, and
    # Z^4 + Z = 1.
    low, high = _square2(a[:2]), _square2(a[2:])
    both = scale2(_add(low, high), tower.norm_z)
    return _add(low, both) + _add(high, both)


def _multiply_constant(tower: Tower, a: list, factor: list[int]) -> list:
    """Return the product of `a` and a constant, in GF(2^4). The product is linear in `a`, so a matrix computes it."""
    columns = [multiply4(tower, [int(i == k) for i in range(4)], factor) for k in range(4)]
    return linear([sum(bit << i for i, bit in enumerate(column)) for column in columns], a)


def _invert4(tower: Tower, a: list, name: Callable[[str, list], list]) -> list:
    low, high = a[:2], a[2:]
    scaled = scale2(_square2(_add(high, low)), tower.norm_z)
    root = name("root_of_norm", _square2(_add(scaled, multiply2(high, low))))
    return multiply2(root, high) + multiply2(root, low)


# Functions for field elements as bytes. -------------------------------------------------------------------


def _power(element: int, exponent: int) -> int:
    return reduce(multiply, [element] * exponent)


def _trace_one(q: int) -> list[int]:
    """Return the elements of GF(q^2) that have trace 1 over GF(q)."""
    return [a for a in range(1, 256) if _power(a, q * q) == a and a ^ _power(a, q) == 1]


def _affine(byte: int) -> int:
    """Return a byte multiplied by the matrix of SubBytes. Does not add the constant (FIPS-197, equation 5.2)."""
    rotated = byte
    result = byte
    for _ in range(4):
        rotated = (rotated << 1 | rotated >> 7) & 0xFF
        result ^= rotated
    return result
