"""Counter blocks: addition of the index and increments modulo 2^128, wherever a carry can arise."""

import random

import pytest

from gateware.ctr.counter import CounterBlocks
from tests.gateware.support import Simulation, receive

EDGES = [0, 1, 2**32 - 2, 2**32 - 1, 2**32, 2**64 - 2, 2**64 - 1, 2**64, 2**96 - 1, 2**96, 2**128 - 2, 2**128 - 1]


@pytest.fixture(scope="module")
def simulated():
    dut = CounterBlocks()
    ports = (dut.start, dut.initial, dut.index, dut.count, dut.enable, dut.flush, dut.source)
    with Simulation(dut, *ports) as sim:
        yield dut, sim


@pytest.fixture
def bench(simulated):
    simulated[1].reset()
    return simulated


def begin(dut, initial, index, count, wait=0):
    """Start, and enable `wait` cycles later."""
    block = int.from_bytes((initial % 2**128).to_bytes(16, "big"), "little")
    yield [dut.initial.eq(block), dut.index.eq(index), dut.start.eq(1)]
    if wait:
        yield
        yield [dut.start.eq(0), dut.initial.eq(0), dut.index.eq(0)]
        for _ in range(wait - 1):
            yield
    yield [dut.enable.eq(1), dut.count.eq(count)]
    yield
    yield [dut.start.eq(0), dut.enable.eq(0)]


def sequence(bench, initial, index, count, rng=None, stall=0.0, wait=0):
    dut, sim = bench
    blocks = []
    sim.run(
        begin(dut, initial, index, count, wait),
        receive(dut.source, count, blocks, rng=rng, stall=stall),
        max_cycles=50 + 30 * count,
    )
    return [int.from_bytes(block.to_bytes(16, "little"), "big") for block in blocks]


@pytest.mark.parametrize("initial", EDGES)
@pytest.mark.parametrize("index", [0, 1, 2**32 - 1, 2**32, 2**64 - 1])
def test_wraps(bench, initial, index):
    expected = [(initial + index + n) % 2**128 for n in range(6)]
    assert sequence(bench, initial, index, 6) == expected


@pytest.mark.parametrize("bits", [32, 64, 96, 128])
def test_counts_across_each_limb(bench, bits):
    for before in range(6):
        first = 2**bits - before
        assert sequence(bench, first, 0, 8) == [(first + n) % 2**128 for n in range(8)]


@pytest.mark.parametrize("stall", [0.0, 0.3, 0.9])
def test_random(bench, stall):
    rng = random.Random(f"counter {stall}")
    for _ in range(60):
        initial, index, count = rng.getrandbits(128) | rng.choice(EDGES), rng.getrandbits(64), rng.randrange(0, 12)
        wait = rng.randrange(0, 9)
        expected = [(initial + index + n) % 2**128 for n in range(count)]
        assert sequence(bench, initial, index, count, rng, stall, wait) == expected


def test_first_block_after_four_cycles_and_then_one_a_cycle(bench):
    dut, sim = bench
    blocks, times = [], []

    def start():
        yield from begin(dut, 2**128 - 1, 2**64 - 1, 10)

    before = sim.cycle
    sim.run(start(), receive(dut.source, 10, blocks, times=(sim, times)), max_cycles=50)
    assert times == [before + 1 + 4 + n for n in range(10)]  # `start` is high in the cycle after `before`


def test_count_is_exact_and_zero_is_none(bench):
    dut, sim = bench
    assert len(sequence(bench, 5, 0, 3)) == 3
    assert sequence(bench, 5, 0, 0) == []

    def nothing_more():
        yield dut.source.ready.eq(1)
        for _ in range(20):
            yield
            assert not (yield dut.source.valid)
        yield dut.source.ready.eq(0)

    sim.run(nothing_more(), max_cycles=30)


def test_flush_ends_the_sequence(bench):
    dut, sim = bench

    def bench_():
        yield from begin(dut, 1, 0, 100)
        for _ in range(10):
            yield
        assert (yield dut.source.valid)
        yield dut.flush.eq(1)
        yield
        yield dut.flush.eq(0)
        yield
        assert not (yield dut.source.valid)

    sim.run(bench_(), max_cycles=40)
    assert sequence(bench, 7, 0, 2) == [7, 8]


def test_parameters():
    with pytest.raises(ValueError, match="count_bits"):
        CounterBlocks(count_bits=0)
