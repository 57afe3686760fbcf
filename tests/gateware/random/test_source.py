# SPDX-License-Identifier: BSD-2-Clause
"""Test the random source through its registers, as software uses it, with known sequences instead of noise."""

import itertools
import random

import pytest

from gateware.random.health import proportion_cutoff, repetition_cutoff
from gateware.random.source import ALPHA_BITS, MIN_ENTROPY, RandomSource
from tests.gateware.random.bench import FAULT, RESTART, SAMPLE_CYCLES, SIMULATED, SIMULATED_BANK, VALID, Bench
from tests.gateware.random.reference import source_fails

STARTUP = 1024
CUTOFFS = (repetition_cutoff(MIN_ENTROPY, ALPHA_BITS), proportion_cutoff(MIN_ENTROPY, ALPHA_BITS))


@pytest.fixture(scope="module")
def shared():
    bench = Bench()
    yield bench
    bench.sim.close()


def biased(probability, seed):
    rng = random.Random(seed)
    return (int(rng.random() < probability) for _ in itertools.count())


def words_of(samples):
    """Return the samples after the start-up test as 32-bit words. An incomplete last word is left out."""
    bits = "".join(map(str, samples[STARTUP:]))
    return [int(bits[n : n + 32], 2) for n in range(0, len(bits) - 31, 32)]


def read_all(bench, samples):
    """Read words as soon as they are available, until the samples end or a fault occurs; return words and status."""
    words = []

    def process():
        while bench.samples < len(samples):
            status = yield from bench.read("status")
            if status & FAULT:
                break
            if status & VALID:
                words.append((yield from bench.read("data")))
        return (yield from bench.read("status"))

    bench.reset(iter(samples))
    return words, bench.run(process())


def test_words_are_the_samples_after_the_start_up_test(shared):
    samples = list(itertools.islice(biased(0.5, 1), STARTUP + 40 * 32 + 5))
    words, status = read_all(shared, samples)
    assert words == words_of(samples) and len(words) == 40
    assert status == 0


def test_no_word_before_the_start_up_test_is_over(shared):
    shared.reset(biased(0.5, 2))
    early = []

    def process():
        while not (yield from shared.read("status")) & VALID:
            early.append((yield from shared.read("data")))

    shared.run(process())
    assert shared.samples >= STARTUP + 32
    assert set(early) == {0} and len(early) > STARTUP // 2


def test_a_word_is_given_once(shared):
    samples = list(itertools.islice(biased(0.5, 3), STARTUP + 20 * 32))
    shared.reset(iter(samples))

    def process():
        while shared.samples < STARTUP + 100:  # nobody reads the first word yet, so the source drops later words
            yield
        first = yield from shared.read("data")
        again = yield from shared.read("data")
        status = yield from shared.read("status")
        while not (yield from shared.read("status")) & VALID:
            pass
        return first, again, status, (yield from shared.read("data"))

    first, again, status, later = shared.run(process())
    words = words_of(samples)
    assert (first, again, status) == (words[0], 0, 0)
    assert later == words[3], "the word that was under way when the first one was read"


def stuck_after(count, value, seed=4):
    return [*itertools.islice(biased(0.5, seed), count), *[value] * 400]


SEQUENCES = {
    "stuck at 0": [0] * 400,
    "stuck at 1": [1] * 400,
    "stuck in the start-up test": stuck_after(900, 1),
    "stuck in a word": stuck_after(STARTUP + 32 * 7 + 3, 0),
    "biased": list(itertools.islice(biased(0.93, 5), 5000)),
    "alternating": [n % 2 for n in range(400)],
    "alternating after a while": [*itertools.islice(biased(0.5, 6), STARTUP + 99), *(n % 2 for n in range(400))],
    "alternating most of the time": list(
        itertools.accumulate(itertools.islice(biased(0.93, 7), 5000), lambda a, b: a ^ b)
    ),
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_fault_at_once_and_no_word_after_it(shared, name):
    samples = SEQUENCES[name]
    failing = source_fails(samples, *CUTOFFS)
    assert failing is not None
    words, status = read_all(shared, samples)
    assert status == FAULT
    assert failing < shared.samples <= failing + 3, "a fault is seen at the next look"
    # All words that were read must consist only of samples that came before the failed sample.
    assert words == words_of(samples[:failing])
    assert shared.run(shared.read("data")) == 0


def test_a_fault_takes_back_the_word_that_waits(shared):
    samples = stuck_after(STARTUP + 32, 1)
    shared.reset(iter(samples))

    def process():
        while not (yield from shared.read("status")) & VALID:
            pass
        while not (status := (yield from shared.read("status"))) & FAULT:
            assert status == VALID
        return (yield from shared.read("status")), (yield from shared.read("data"))

    assert shared.run(process()) == (FAULT, 0)


def test_no_word_after_a_fault_even_of_a_source_that_is_good_again(shared):
    shared.reset(itertools.chain([1] * CUTOFFS[0], biased(0.5, 12)))

    def process():
        while not (yield from shared.read("status")) & FAULT:
            pass
        seen = set()
        while shared.samples < 2 * STARTUP:
            seen.add(((yield from shared.read("status")), (yield from shared.read("data"))))
        return seen

    assert shared.run(process()) == {(FAULT, 0)}


def test_restart_tests_the_source_anew(shared):
    bad = [0] * CUTOFFS[0]
    state = {"good": False}

    def bits():
        yield from bad
        while not state["good"]:
            yield 0
        yield from biased(0.5, 9)

    shared.reset(bits())

    def until(wanted):
        while not (status := (yield from shared.read("status"))) & wanted:
            pass
        return status

    def process():
        assert (yield from until(FAULT)) == FAULT
        yield from shared.write("control", RESTART)
        yield
        assert (yield from shared.read("status")) == 0
        assert (yield from until(FAULT)) == FAULT  # it fails as before
        state["good"] = True
        for _ in range(2 * SAMPLE_CYCLES):
            yield
        yield from shared.write("control", RESTART)
        yield
        begin = shared.samples
        assert (yield from until(VALID | FAULT)) == VALID
        assert shared.samples - begin >= STARTUP + 31
        yield from shared.write("control", RESTART)  # drops the waiting word
        yield
        yield
        assert (yield from shared.read("status")) == 0
        assert (yield from shared.read("data")) == 0
        begin = shared.samples
        assert (yield from until(VALID | FAULT)) == VALID
        assert shared.samples - begin >= STARTUP + 31
        return True

    assert shared.run(process())


@pytest.mark.parametrize("collected", [0, 1, 17, 31])
def test_first_word_after_restart_is_of_new_samples_alone(shared, collected):
    """After a restart in the middle of a word, the first word must consist of 32 consecutive samples that follow the
    new start-up test.
    """
    samples = list(itertools.islice(biased(0.5, 11), 3 * STARTUP))
    shared.reset(iter(samples))

    def process():
        while shared.samples < STARTUP + 32 + collected:
            yield
        yield from shared.write("control", RESTART)
        yield
        yield
        begin = shared.samples
        while not (yield from shared.read("status")) & VALID:
            pass
        return begin, (yield from shared.read("data"))

    begin, word = shared.run(process())
    assert word in [words_of(samples[n:])[0] for n in range(begin - 1, begin + 2)]


def test_simulated_board_has_no_words(shared):
    shared.reset(biased(0.5, 10))

    def process():
        while shared.samples < STARTUP + 100:
            assert (yield from shared.read("status", SIMULATED_BANK)) == SIMULATED
            assert (yield from shared.read("data", SIMULATED_BANK)) == 0
        yield from shared.write("control", RESTART, SIMULATED_BANK)
        yield
        assert (yield from shared.read("data")) != 0, "the other one's restart"
        return (yield from shared.read("status", SIMULATED_BANK))

    assert shared.run(process()) == SIMULATED


def test_parameter_out_of_range():
    with pytest.raises(ValueError, match="give 2 or more"):
        RandomSource(None, sample_cycles=1)
