# SPDX-License-Identifier: BSD-2-Clause
"""Test the continuous health tests against SP 800-90B's text, sample by sample, and compare their cut-offs with the
standard's formulas.
"""

import random
from math import comb

import pytest

from gateware.random.health import WINDOW, HealthTests, proportion_cutoff, repetition_cutoff
from tests.gateware.random.reference import proportion_fails, repetition_fails
from tests.gateware.support import Simulation

ENTROPY, ALPHA_BITS = 0.5, 20


@pytest.mark.parametrize(
    ("entropy", "alpha_bits", "cutoff"), [(1, 20, 21), (0.5, 20, 41), (0.25, 30, 121), (0.3, 20, 68)]
)
def test_repetition_cutoff(entropy, alpha_bits, cutoff):
    assert repetition_cutoff(entropy, alpha_bits) == cutoff


@pytest.mark.parametrize("alpha_bits", [20, 30, 40])
@pytest.mark.parametrize("entropy", [1, 0.5, 0.25])
def test_proportion_cutoff_is_the_critical_value(entropy, alpha_bits):
    """Let X be the number of times that the most likely sample occurs in a window. The critical value c is the smallest
    number for which P(X > c) is at most alpha. The cut-off must be c + 1. The test computes with integers, without
    rounding.
    """
    whole = 2**53
    p = int(2**-entropy * whole)  # a float's mantissa: exact
    terms = [comb(WINDOW, n) * p**n * (whole - p) ** (WINDOW - n) for n in range(WINDOW + 1)]
    assert sum(terms) == whole**WINDOW
    critical = proportion_cutoff(entropy, alpha_bits) - 1
    assert sum(terms[critical + 1 :]) << alpha_bits <= whole**WINDOW < sum(terms[critical:]) << alpha_bits


@pytest.fixture(scope="module")
def simulation():
    dut = HealthTests(min_entropy=ENTROPY, alpha_bits=ALPHA_BITS)
    with Simulation(dut, dut.restart, dut.valid, dut.bit, dut.fail) as sim:
        yield dut, sim


def first_failure(simulation, samples, seed=1):
    """Apply the samples, with random pauses; return the index of the sample at which the health tests fail, or None."""
    dut, sim = simulation
    rng = random.Random(seed)
    found = []

    def process():
        yield dut.restart.eq(1)
        yield
        yield dut.restart.eq(0)
        for n, bit in enumerate(samples):
            yield [dut.valid.eq(1), dut.bit.eq(bit)]
            yield
            if (yield dut.fail):
                found.append(n)
                break
            if rng.random() < 0.1:
                yield [dut.valid.eq(0), dut.bit.eq(rng.getrandbits(1))]
                yield
                assert (yield dut.fail) == 0
        yield dut.valid.eq(0)
        yield

    sim.run(process(), max_cycles=2 * len(samples) + 10)
    return found[0] if found else None


REPETITIONS = repetition_cutoff(ENTROPY, ALPHA_BITS)
PROPORTION = proportion_cutoff(ENTROPY, ALPHA_BITS)


def biased(probability, count, seed):
    rng = random.Random(seed)
    return [int(rng.random() < probability) for _ in range(count)]


def runs(length, count):
    """Return `count` samples in runs of `length` equal values."""
    return [n // length % 2 for n in range(count)]


def window_of(ones):
    """Return a window of noise, then a window with `ones` ones at regular distances, beginning with a one."""
    places = {n * WINDOW // ones for n in range(ones)}
    return [*biased(0.5, WINDOW, 3), *(int(n in places) for n in range(WINDOW))]


SEQUENCES = {
    "stuck at 0": [0] * 100,
    "stuck at 1": [1] * 100,
    "good": biased(0.5, 5 * WINDOW, 1),
    "stuck after a while": [*biased(0.5, WINDOW + 77, 2), *[1] * 100],
    "longest run allowed": runs(REPETITIONS - 1, 3 * WINDOW),
    "one more": runs(REPETITIONS, 3 * WINDOW),
    "proportion allowed": window_of(PROPORTION - 1),
    "proportion reached": window_of(PROPORTION),
    "biased": biased(0.85, 3 * WINDOW, 4),
    "biased to the other side": biased(0.15, 3 * WINDOW, 5),
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_fails_at_the_sample_that_the_standard_says(simulation, name):
    samples = SEQUENCES[name]
    expected = [repetition_fails(samples, REPETITIONS), proportion_fails(samples, PROPORTION)]
    expected = min((n for n in expected if n is not None), default=None)
    assert (expected is None) == (name == "good" or "allowed" in name), "the sequence is what its name says"
    assert first_failure(simulation, samples) == expected


def test_restart_forgets_the_samples_before(simulation):
    assert first_failure(simulation, [1] * (REPETITIONS - 1)) is None
    assert first_failure(simulation, [1] * (REPETITIONS - 1)) is None
    assert first_failure(simulation, [1] * REPETITIONS) == REPETITIONS - 1


@pytest.mark.parametrize("parameters", [(0, 30), (1.1, 30), (0.25, 19), (0.25, 41), (0.01, 40)])
def test_parameters_out_of_range(parameters):
    with pytest.raises(ValueError, match="give"):
        HealthTests(min_entropy=parameters[0], alpha_bits=parameters[1])
