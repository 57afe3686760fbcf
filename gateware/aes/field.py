# SPDX-License-Identifier: BSD-2-Clause
"""Arithmetic in GF(2^8) with the AES polynomial x^8 + x^4 + x^3 + x + 1 (FIPS-197, section 4).

Plain Python on integers 0 to 255. Every table of the gateware is computed from it.
"""

AES_POLYNOMIAL = 0x11B


def multiply(a: int, b: int) -> int:
    """Return the product of two field elements (FIPS-197, 4.2)."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a <<= 1
        if a & 0x100:
            a ^= AES_POLYNOMIAL
        b >>= 1
    return product


def inverse(a: int) -> int:
    """Return the multiplicative inverse, with 0 mapped to 0 (FIPS-197, 5.1.1)."""
    result = 1
    for _ in range(254):  # a^254 is the inverse of a, because the multiplicative group has 255 elements
        result = multiply(result, a)
    return result if a else 0


def _affine(b: int) -> int:
    """Return the byte after the affine transformation of SubBytes (FIPS-197, equation 5.2)."""
    result = 0
    for i in range(8):
        bit = (b >> i) ^ (b >> (i + 4) % 8) ^ (b >> (i + 5) % 8) ^ (b >> (i + 6) % 8) ^ (b >> (i + 7) % 8) ^ (0x63 >> i)
        result |= (bit & 1) << i
    return result


SBOX = tuple(_affine(inverse(x)) for x in range(256))
INV_SBOX = tuple(SBOX.index(x) for x in range(256))
