# SPDX-License-Identifier: BSD-2-Clause
"""Test counter blocks: addition of the index, increments at each width, carries at every position, and the wrap at the
end of the width.
"""

import random

import pytest

from gateware.ctr.counter import WIDTH_32, WIDTH_64, WIDTH_128, WIDTHS, CounterBlocks
from tests.gateware.ctr.reference import counter_blocks, eea2_t1
from tests.gateware.support import Simulation, send

EDGES = [0, 1, 2**32 - 2, 2**32 - 1, 2**32, 2**64 - 2, 2**64 - 1, 2**64, 2**96 - 1, 2**96, 2**128 - 2, 2**128 - 1]


def swapped(number: int) -> int:
    return int.from_bytes((number % 2**128).to_bytes(16, "big"), "little")


def message(initial, index, width, count, slot=0):
    return {"initial": swapped(initial), "index": index, "width": width, "count": count, "slot": slot}


@pytest.fixture(scope="module")
def simulated():
    dut = CounterBlocks()
    with Simulation(dut, dut.message, dut.source, dut.flush, dut.idle) as sim:
        yield dut, sim


@pytest.fixture
def bench(simulated):
    simulated[1].reset()
    return simulated


def run(bench, messages, rng=None, idle=0.0, stall=0.0, times=None):
    """Send messages (initial, index, width, count, slot). Return (counter block, slot, `last` flag) of each block."""
    dut, sim = bench
    count = sum(item[3] for item in messages)
    received = []

    def collect():
        while len(received) < count:
            yield dut.source.ready.eq(0 if rng and rng.random() < stall else 1)
            yield
            if (yield dut.source.valid) and (yield dut.source.ready):
                block = swapped((yield dut.source.data))
                received.append((block, (yield dut.source.slot), (yield dut.source.last)))
                if times is not None:
                    times.append(sim.cycle)
        yield dut.source.ready.eq(0)

    items = [message(*item) for item in messages]
    sim.run(send(dut.message, items, rng, idle), collect(), max_cycles=200 + 40 * (count + len(messages)))
    return received


def expected(messages):
    result = []
    for initial, index, width, count, slot in messages:
        for n, block in enumerate(counter_blocks(initial, index, width, count)):
            result.append((block, slot, int(n == count - 1)))
    return result


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("initial", EDGES)
def test_wraps(bench, initial, width):
    messages = [(initial, index, width, 6, 1) for index in (0, 1, 2**32 - 1, 2**32, 2**64 - 1)]
    assert run(bench, messages) == expected(messages)


@pytest.mark.parametrize("width", WIDTHS)
def test_counts_across_each_limb(bench, width):
    messages = [(2**bits - before, 0, width, 8, 2) for bits in (32, 64, 96, 128) for before in range(1, 7)]
    assert run(bench, messages) == expected(messages)


def test_eea2_counts_modulo_2_64(bench):
    """The upper 64 bits (COUNT, BEARER and DIRECTION of 128-EEA2) do not change when the lower 64 bits wrap."""
    initial = eea2_t1(0x398A59B4, 0x15, 1)
    messages = [(initial, 2**64 - 2, WIDTH_64, 4, 0)]
    assert [block for block, _, _ in run(bench, messages)] == [
        initial + n % 2**64 for n in (2**64 - 2, 2**64 - 1, 0, 1)
    ]


@pytest.mark.parametrize("stall", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("idle", [0.0, 0.7])
def test_random(bench, stall, idle):
    rng = random.Random(f"counter {stall} {idle}")
    messages = [
        (
            rng.getrandbits(128) | rng.choice(EDGES),
            rng.getrandbits(64),
            rng.choice([WIDTH_128, WIDTH_64, WIDTH_32]),
            rng.randrange(0, 12),
            rng.randrange(8),
        )
        for _ in range(80)
    ]
    assert run(bench, messages, rng, idle, stall) == expected(messages)
    assert bench[1].peek(bench[0].idle)


def test_first_block_after_three_cycles_and_no_idle_cycle_between_messages(bench):
    """The unit needs at least two cycles for a message. So the output can be idle only between two successive messages
    of one block each. This test sends no two such messages in a row, so the output must never be idle.
    """
    times = []
    counts = [10, 1, 2, 3, 1, 2, 4, 2]
    messages = [(2**128 - 1, 2**64 - 1, WIDTH_128, count, slot) for slot, count in enumerate(counts)]
    before = bench[1].cycle
    assert run(bench, messages, times=times) == expected(messages)
    # The test bench offers the first message in the cycle after `before`.
    assert times == [before + 1 + 3 + n for n in range(sum(counts))]


def test_long_messages_end(bench):
    messages = [(n, 0, WIDTH_128, count, n % 8) for n, count in enumerate([*range(40), 2**8, 2**9 + 1])]
    assert run(bench, messages) == expected(messages)


def test_no_blocks_after_the_last_and_none_for_a_count_of_zero(bench):
    dut, sim = bench
    assert len(run(bench, [(5, 0, WIDTH_128, 3, 0), (5, 0, WIDTH_128, 0, 0)])) == 3

    def nothing_more():
        yield dut.source.ready.eq(1)
        for _ in range(20):
            yield
            assert not (yield dut.source.valid)
        assert (yield dut.idle)

    sim.run(nothing_more(), max_cycles=30)


@pytest.mark.parametrize("wait", range(8))
def test_flush_drops_every_message(bench, wait):
    dut, sim = bench

    def flushed():
        yield from send(dut.message, [message(n, 0, WIDTH_128, 3) for n in range(3)])
        yield dut.source.ready.eq(1)
        for _ in range(wait):
            yield
        yield [dut.flush.eq(1), dut.source.ready.eq(0)]
        yield
        yield dut.flush.eq(0)
        yield
        assert not (yield dut.source.valid)
        assert (yield dut.idle)

    sim.run(flushed(), max_cycles=40)
    messages = [(7, 0, WIDTH_128, 2, 3)]
    assert run(bench, messages) == expected(messages)


@pytest.mark.parametrize("parameters", [{"count_bits": 0}, {"slot_bits": 0}])
def test_parameters(parameters):
    with pytest.raises(ValueError, match="at least 1"):
        CounterBlocks(**parameters)
