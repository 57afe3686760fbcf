# SPDX-License-Identifier: BSD-2-Clause
"""Sizes from FIPS-197, and the codes that registers and ports use for key lengths."""

from migen import Mux

BLOCK_BITS = 128
BLOCK_BYTES = BLOCK_BITS // 8
WORD_BITS = 32
# Rows of a slot in a memory of round keys: the 15 round keys of AES-256, rounded up to a power of two.
ROUND_KEY_ROWS = 16

KEY_LENGTH_128, KEY_LENGTH_192, KEY_LENGTH_256 = range(3)
# Code, words of the key (Nk) and rounds (Nr), for each key length in bits.
KEY_LENGTHS = {128: KEY_LENGTH_128, 192: KEY_LENGTH_192, 256: KEY_LENGTH_256}
KEY_WORDS = {KEY_LENGTH_128: 4, KEY_LENGTH_192: 6, KEY_LENGTH_256: 8}
ROUNDS = {KEY_LENGTH_128: 10, KEY_LENGTH_192: 12, KEY_LENGTH_256: 14}


def by_length(length, values: dict):
    """Select one of `values` by the code of a key length; a code that is not a key of `values` selects the last one."""
    codes = list(values)
    chosen = values[codes[-1]]
    for code in codes[-2::-1]:
        chosen = Mux(length == code, values[code], chosen)
    return chosen


def length_codes(key_lengths) -> tuple[int, ...]:
    """Return the codes of key lengths in bits, ascending.

    Raises
    ------
    ValueError
        None is given, or one that FIPS-197 does not define.
    """
    unknown = [bits for bits in key_lengths if bits not in KEY_LENGTHS]
    if unknown or not key_lengths:
        raise ValueError(f"key_lengths is {tuple(key_lengths)}; give one or more of {', '.join(map(str, KEY_LENGTHS))}")
    return tuple(sorted({KEY_LENGTHS[bits] for bits in key_lengths}))
