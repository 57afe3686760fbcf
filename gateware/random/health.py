# SPDX-License-Identifier: BSD-2-Clause
"""Continuous health tests for a noise source that produces bits (SP 800-90B, 4.4), with the tests' cut-off values.

For an assumed min-entropy of H bits a sample and a rate alpha of false alarms:

repetition count test (4.4.1)
    fails after C = 1 + ceil(-log2(alpha) / H) equal samples in a row.
adaptive proportion test (4.4.2)
    looks at windows of W = 1024 samples (binary source). It fails when the first value of a window occurs C times:
    C = 1 + CRITBINOM(W, 2^-H, 1 - alpha). CRITBINOM is the smallest number that a binomial distribution of W samples
    with probability 2^-H exceeds with probability alpha or less.

A source with less entropy than assumed fails sooner. A stuck source fails after C samples of the first test. Both tests
assume H for each sample, whatever came before it. Sums of neighbouring samples then have at least the same entropy and
may be tested in the same way.

Latency: `fail` is combinational, in the cycle of the failing sample.
"""

from math import ceil, comb, fsum

from migen import If, Module, Signal, bits_for

WINDOW = 1024


def repetition_cutoff(min_entropy: float, alpha_bits: int) -> int:
    """Return the cut-off C of the repetition count test for `min_entropy` bits per sample and alpha = 2^-alpha_bits."""
    return 1 + ceil(alpha_bits / min_entropy)


def proportion_cutoff(min_entropy: float, alpha_bits: int, window: int = WINDOW) -> int:
    """Return the cut-off C of the adaptive proportion test for `min_entropy` bits per sample and alpha = 2^-alpha_bits.

    The sum starts at the top, where the terms are small. More than `critical` equal samples in the window have
    probability alpha or less.
    """
    p = 2**-min_entropy
    critical, terms = window, []
    while True:
        terms.append(comb(window, critical) * p**critical * (1 - p) ** (window - critical))
        if fsum(terms) > 2**-alpha_bits:
            return 1 + critical
        critical -= 1


class HealthTests(Module):
    """Runs the repetition count test and the adaptive proportion test on one sequence of bits.

    Parameters
    ----------
    min_entropy : float
        Assumed min-entropy of each sample in bits, more than 0, at most 1.
    alpha_bits : int
        Minus log2 of the rate of false alarms of each test; SP 800-90B recommends 20 to 40.

    Attributes
    ----------
    restart : Signal(), in
        Discard all earlier samples.
    valid, bit : Signal(), in
        A sample.
    fail : Signal(), out
        This sample, together with earlier ones, fails a test.

    Raises
    ------
    ValueError
        A parameter is out of range, or the adaptive proportion test could never fail.
    """

    def __init__(self, *, min_entropy: float, alpha_bits: int):
        if not 0 < min_entropy <= 1:
            raise ValueError(f"min_entropy is {min_entropy}; give more than 0 and at most 1 bit a sample")
        if not 20 <= alpha_bits <= 40:
            raise ValueError(f"alpha_bits is {alpha_bits}; give 20 to 40")
        repetitions = repetition_cutoff(min_entropy, alpha_bits)
        proportion = proportion_cutoff(min_entropy, alpha_bits)
        if proportion > WINDOW:
            raise ValueError(f"with min_entropy {min_entropy} no window of {WINDOW} samples fails: give more")
        self.restart = Signal()
        self.valid = Signal()
        self.bit = Signal()
        self.fail = Signal()

        # # #

        # Repetition count: the latest `repeated` samples had the value `last`. `repeated` is 0 before the first sample.
        last = Signal()
        repeated, next_repeated = (Signal(bits_for(repetitions)) for _ in range(2))
        self.comb += [
            next_repeated.eq(1),
            If((repeated != 0) & (self.bit == last), next_repeated.eq(repeated + 1)),
        ]

        # Adaptive proportion: `seen` counts the samples of the present window. `first` is the window's first sample.
        # `matched` counts the window's samples that are equal to `first`.
        first = Signal()
        seen = Signal(max=WINDOW)
        matched, next_matched = (Signal(bits_for(proportion)) for _ in range(2))
        self.comb += [
            next_matched.eq(matched + (self.bit == first)),
            If(seen == 0, next_matched.eq(1)),
        ]

        self.comb += self.fail.eq(self.valid & ((next_repeated == repetitions) | (next_matched == proportion)))
        self.sync += [
            If(
                self.valid & ~self.fail,
                last.eq(self.bit),
                repeated.eq(next_repeated),
                seen.eq(seen + 1),  # modulo the window
                matched.eq(next_matched),
                If(seen == 0, first.eq(self.bit)),
            ),
            If(self.restart, repeated.eq(0), seen.eq(0)),
        ]
