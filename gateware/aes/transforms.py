# SPDX-License-Identifier: BSD-2-Clause
"""The linear transformations of the AES round, as functions on Migen expressions.

Blocks and columns are in the byte order of `gateware.aes`; every function returns an expression or
a list of expressions and instantiates nothing.
"""

from migen import Cat, Replicate

BLOCK_BYTES = 16
COLUMNS = 4


def byte_list(word) -> list:
    """Return the bytes of a signal as a list, byte 0 (bits 7:0) first."""
    return [word[8 * i : 8 * i + 8] for i in range(len(word) // 8)]


def xtime(byte):
    """Multiply a byte by x, that is by {02} (FIPS-197, 4.2.1)."""
    overflow = byte[7]
    return Cat(overflow, byte[0] ^ overflow, byte[1], byte[2] ^ overflow, byte[3] ^ overflow, byte[4], byte[5], byte[6])


def mix_column(column: list, doubled: list | None = None) -> list:
    """Apply MixColumns to one column of four bytes, row 0 first (FIPS-197, 5.1.3).

    It is written as ``b_r = a_r + {02}(a_r + a_(r+1)) + (a_0 + a_1 + a_2 + a_3)``, which shares the sums. `doubled`
    takes the bytes times {02} if they are available: then every bit is the sum of five bits.
    """
    sums = [
        doubled[r] ^ doubled[(r + 1) % 4] if doubled else xtime_of_sum(column[r], column[(r + 1) % 4]) for r in range(4)
    ]
    return [sums[r] ^ column[(r + 1) % 4] ^ column[(r + 2) % 4] ^ column[(r + 3) % 4] for r in range(4)]


def xtime_of_sum(a, b):
    """Return ``{02}(a + b)`` for two bytes, in GF(2^8), without an intermediate signal."""
    s = [a[i] ^ b[i] for i in range(8)]
    return Cat(s[7], s[0] ^ s[7], s[1], s[2] ^ s[7], s[3] ^ s[7], s[4], s[5], s[6])


def inverse_mix_correction(column: list) -> list:
    """Return a correction for a column, so that InvMixColumns(column) = mix_column(column XOR correction).

    InvMixColumns = MixColumns x (I + {04}[1 0 1 0; 0 1 0 1; 1 0 1 0; 0 1 0 1]). So MixColumns and InvMixColumns can
    share one MixColumns circuit; InvMixColumns adds the correction in front of it.
    """
    even = _times_four(column[0], column[2])
    odd = _times_four(column[1], column[3])
    return [even, odd, even, odd]


def _times_four(a, b):
    s = [a[i] ^ b[i] for i in range(8)]
    return Cat(s[6], s[6] ^ s[7], s[0] ^ s[7], s[1] ^ s[6], s[2] ^ s[6] ^ s[7], s[3] ^ s[7], s[4], s[5])


def shift_rows(state: list) -> list:
    """Apply ShiftRows to sixteen bytes: row ``r`` moves ``r`` columns to the left (FIPS-197, 5.1.2)."""
    return [state[4 * ((c + r) % 4) + r] for c in range(4) for r in range(4)]


def inv_shift_rows(state: list) -> list:
    """Apply InvShiftRows to sixteen bytes (FIPS-197, 5.3.1)."""
    return [state[4 * ((c - r) % 4) + r] for c in range(4) for r in range(4)]


def masked(enable, value):
    """Return ``value`` if the one-bit ``enable`` is 1, otherwise zero. This is an AND: cheaper than a multiplexer."""
    return Replicate(enable, len(value)) & value
