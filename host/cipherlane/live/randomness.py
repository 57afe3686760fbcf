# SPDX-License-Identifier: BSD-2-Clause
"""Measures how evenly byte values occur in a picture, as entropy and as chi-square."""

import math
from dataclasses import dataclass

VALUES = 256
_FREEDOM = VALUES - 1
SUSPICIOUS = 1e-6  # a chi-square probability below this is suspicious: it occurs in one of a million random pictures


@dataclass(frozen=True)
class Evenness:
    """Entropy in bits per byte, chi-square over the 256 byte values, and the probability that random bytes give at
    least this chi-square.

    `entropy` is computed from the counts: for n random bytes it is about 8 - 255 / (2 n ln 2), not 8.
    """

    entropy: float
    chi_square: float
    probability: float


def evenness(data: bytes) -> Evenness:
    """Return how evenly byte values occur in `data`; raise ValueError if `data` are empty."""
    if not data:
        raise ValueError("no bytes")
    from PIL import Image

    size = len(data)
    counts = Image.frombytes("L", (size, 1), data).histogram()  # Pillow counts much faster than a loop in Python
    expected = size / VALUES
    entropy = math.log2(size) - sum(count * math.log2(count) for count in counts if count) / size
    squares = sum((count - expected) ** 2 for count in counts)
    chi_square = squares / expected
    return Evenness(max(0.0, entropy), chi_square, tail(chi_square))


def tail(chi_square: float, freedom: int = _FREEDOM) -> float:
    """Return the probability that a chi-square variable with `freedom` degrees of freedom is at least `chi_square`.

    Approximation of Wilson and Hilferty (1931): the cube root is nearly normal.
    """
    variance = 2 / (9 * freedom)
    score = ((chi_square / freedom) ** (1 / 3) - (1 - variance)) / math.sqrt(variance)
    return 0.5 * math.erfc(score / math.sqrt(2))
