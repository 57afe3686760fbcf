# SPDX-License-Identifier: BSD-2-Clause
"""The tables of SNOW 3G, computed from their definitions (3GPP TS 35.216, 3.1 to 3.4) with Python integers."""

from gateware.aes.field import SBOX

S_R = SBOX
S_R_POLYNOMIAL, S_Q_POLYNOMIAL, ALPHA_POLYNOMIAL = 0x1B, 0x69, 0xA9
INITIALISATION_CLOCKS = 32
_S_Q_CONSTANT = 0x25
_S_Q_EXPONENTS = (1, 9, 13, 15, 33, 41, 45, 47, 49)


def mulx(v: int, c: int) -> int:
    """Return the polynomial `v` (a byte) times x, modulo x^8 + `c` (3.1.1)."""
    return (v << 1 ^ (c if v & 0x80 else 0)) & 0xFF


def mulx_pow(v: int, i: int, c: int) -> int:
    """Return `v` multiplied `i` times by x with `mulx` (3.1.2)."""
    for _ in range(i):
        v = mulx(v, c)
    return v


def _multiply(a: int, b: int, c: int) -> int:
    product = 0
    for i in range(8):
        if b >> i & 1:
            product ^= mulx_pow(a, i, c)
    return product


def _power(x: int, e: int, c: int) -> int:
    result = 1
    for _ in range(e):
        result = _multiply(result, x, c)
    return result


def _s_q(x: int) -> int:
    result = _S_Q_CONSTANT
    for e in _S_Q_EXPONENTS:
        result ^= _power(x, e, S_Q_POLYNOMIAL)
    return result


def _word(c: int, exponents: tuple[int, ...]) -> int:
    return int.from_bytes(mulx_pow(c, i, ALPHA_POLYNOMIAL) for i in exponents)


S_Q = tuple(_s_q(x) for x in range(256))
MUL_ALPHA = tuple(_word(c, (23, 245, 48, 239)) for c in range(256))
DIV_ALPHA = tuple(_word(c, (16, 39, 6, 64)) for c in range(256))
