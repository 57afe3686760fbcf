# SPDX-License-Identifier: BSD-2-Clause
"""Builds linear maps over GF(2) from few LUTs of four inputs, in two levels.

Every output of the map is the XOR of at most four terms. A term is an input, or a sum of two to four inputs that
outputs share. The search is greedy: it adds the sum that removes most surplus terms from the outputs, until no output
has a surplus.
"""

from functools import cache
from itertools import combinations

TERMS = 4


@cache
def shared_sums(rows: tuple[int, ...], inputs: int) -> tuple[int, ...]:
    """Return sums of inputs, as masks. With these sums, each output of the map is the XOR of at most four terms. A term
    is an input or one of the sums.

    Parameters
    ----------
    rows : tuple of int
        For each output the mask of the inputs that it sums.
    inputs : int
        Number of inputs.
    """
    candidates = [sum(1 << i for i in chosen) for size in (2, 3, 4) for chosen in combinations(range(inputs), size)]
    sums: tuple[int, ...] = ()
    while any(_excess(row, sums) for row in rows):
        reachable = _combinations(sums)
        sums += (min(candidates, key=lambda mask: _total_excess(rows, reachable, mask)),)
    return sums


def terms(row: int, sums: tuple[int, ...]) -> tuple[list[int], int]:
    """Write an output as the XOR of as few terms as possible. `row` is a mask of the inputs that the output sums. A
    term is an input or one of `sums`. Return the indices of the chosen sums, and a mask of the chosen inputs.
    """
    used, covered = min(_combinations(sums), key=lambda choice: choice[0].bit_count() + (row ^ choice[1]).bit_count())
    return [n for n in range(len(sums)) if used >> n & 1], row ^ covered


def _combinations(sums: tuple[int, ...]) -> list[tuple[int, int]]:
    """For each choice of up to four sums, return two masks: the chosen sums, and the inputs in the sums' XOR."""
    found = []
    for size in range(min(TERMS, len(sums)) + 1):
        for chosen in combinations(range(len(sums)), size):
            total = 0
            for n in chosen:
                total ^= sums[n]
            found.append((sum(1 << n for n in chosen), total))
    return found


def _excess(row: int, sums: tuple[int, ...]) -> int:
    used, rest = terms(row, sums)
    return max(0, len(used) + rest.bit_count() - TERMS)


def _total_excess(rows: tuple[int, ...], reachable: list[tuple[int, int]], mask: int) -> tuple[int, int]:
    total = smooth = 0
    for row in rows:
        fewest = min(
            min(
                used.bit_count() + (row ^ covered).bit_count(),
                used.bit_count() + 1 + (row ^ covered ^ mask).bit_count(),
            )
            for used, covered in reachable
        )
        total += max(0, fewest - TERMS)
        smooth += fewest
    return total, smooth
