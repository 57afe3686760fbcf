# SPDX-License-Identifier: BSD-2-Clause
"""Sizes from FIPS-197, and the codes for key lengths in registers and ports."""

from migen import Mux

BLOCK_BITS = 128
BLOCK_BYTES = BLOCK_BITS // 8
WORD_BITS = 32
# Number of rows for each slot in a memory of round keys. AES-256 has 15 round keys; 16 is the next power of two.
ROUND_KEY_ROWS = 16

KEY_LENGTH_128, KEY_LENGTH_192, KEY_LENGTH_256 = range(3)
# KEY_LENGTHS maps a key length in bits to its code. KEY_WORDS maps this code to the number of words in the key (Nk),
# and ROUNDS maps it to the number of rounds (Nr).
KEY_LENGTHS = {128: KEY_LENGTH_128, 192: KEY_LENGTH_192, 256: KEY_LENGTH_256}
KEY_WORDS = {KEY_LENGTH_128: 4, KEY_LENGTH_192: 6, KEY_LENGTH_256: 8}
ROUNDS = {KEY_LENGTH_128: 10, KEY_LENGTH_192: 12, KEY_LENGTH_256: 14}


def by_length(length, values: dict):
    """Return the value in `values` for the code `length`. If `values` has no such code, return the last value."""
    codes = list(values)
    chosen = values[codes[-1]]
    for code in codes[-2::-1]:
        chosen = Mux(length == code, values[code], chosen)
    return chosen


def length_codes(key_lengths) -> tuple[int, ...]:
    """Return the codes of the given key lengths (in bits), in ascending order.

    Raises
    ------
    ValueError
        None is given, or one that FIPS-197 does not define.
    """
    unknown = [bits for bits in key_lengths if bits not in KEY_LENGTHS]
    if unknown or not key_lengths:
        raise ValueError(f"key_lengths is {tuple(key_lengths)}; give one or more of {', '.join(map(str, KEY_LENGTHS))}")
    return tuple(sorted({KEY_LENGTHS[bits] for bits in key_lengths}))
