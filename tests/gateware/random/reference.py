# SPDX-License-Identifier: BSD-2-Clause
"""The health tests of SP 800-90B, 4.4, as functions of a whole sequence, written from the standard's text."""

WINDOW = 1024


def repetition_fails(samples: list[int], cutoff: int) -> int | None:
    """Return the index of the sample that completes the first run of `cutoff` equal samples, or None."""
    for n in range(cutoff - 1, len(samples)):
        if len(set(samples[n - cutoff + 1 : n + 1])) == 1:
            return n
    return None


def proportion_fails(samples: list[int], cutoff: int) -> int | None:
    """Divide the samples into windows. Find the first window in which `cutoff` samples are equal to the window's first
    sample. Return the index of the last of these `cutoff` samples, or None if there is no such window.
    """
    for start in range(0, len(samples), WINDOW):
        window = samples[start : start + WINDOW]
        if window.count(window[0]) >= cutoff:
            places = [n for n, sample in enumerate(window) if sample == window[0]]
            return start + places[cutoff - 1]
    return None


def source_fails(samples: list[int], repetition: int, proportion: int) -> int | None:
    """Apply the repetition count test and the adaptive proportion test to the samples, and also to the XORs of adjacent
    samples. Return the index of the first failure, or None.

    The first XOR is the first sample itself.
    """
    sums = [a ^ b for a, b in zip(samples, [0, *samples[:-1]], strict=True)]
    found = [
        fails(s, c)
        for s in (samples, sums)
        for fails, c in ((repetition_fails, repetition), (proportion_fails, proportion))
    ]
    return min((n for n in found if n is not None), default=None)
