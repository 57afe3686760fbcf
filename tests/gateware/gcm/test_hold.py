# SPDX-License-Identifier: BSD-2-Clause
"""Test the buffer that stores text until its tag is verified. Accepted text leaves; rejected text is zeroized."""

import random

import pytest
from migen import run_simulation

from gateware.gcm.hold import Hold
from tests.gateware.gcm.memories import contents, memory_of

DEPTH = 8


def simulate(dut, *benches):
    run_simulation(dut, list(benches))


def put(dut, blocks, *, held):
    for block in blocks:
        yield from [dut.sink.data.eq(block), dut.sink.valid.eq(1), dut.held.eq(held)]
        yield
        for _ in range(100):
            if (yield dut.sink.ready):
                break
            yield
        else:
            raise AssertionError("a block is not taken")
        yield dut.sink.valid.eq(0)
    yield


def pulse(signal):
    yield signal.eq(1)
    yield
    yield signal.eq(0)
    yield


def read(dut, taken, cycles, rng=None):
    for _ in range(cycles):
        yield dut.source.ready.eq(rng.random() < 0.5 if rng else 1)
        yield
        if (yield dut.source.valid) and (yield dut.source.ready):
            taken.append((yield dut.source.data))


@pytest.mark.parametrize("slow", [False, True])
def test_random_messages(slow):
    """Send messages of 0 to DEPTH blocks. Most messages wait until the test accepts or rejects them, at random."""
    rng = random.Random(int(slow))
    dut = Hold(DEPTH)
    expected, taken = [], []

    def write():
        for _ in range(60):
            blocks = [rng.getrandbits(128) for _ in range(rng.randrange(DEPTH + 1))]
            held, accept = rng.random() < 0.7, rng.random() < 0.5
            yield from put(dut, blocks, held=held)
            if held:
                yield dut.wait.eq(1)
                for _ in range(rng.randrange(6)):
                    yield
                yield from pulse(dut.accept if accept else dut.reject)
                yield dut.wait.eq(0)
            expected.extend(blocks if accept or not held else [])

    simulate(dut, write(), read(dut, taken, 2500, rng if slow else None))
    assert taken == expected and len(expected) > 60


@pytest.mark.parametrize("count", range(DEPTH + 1))
@pytest.mark.parametrize("before", [0, 3])
def test_rejected_text_is_zeroized(count, before):
    """The buffer zeroizes a rejected message, one row per cycle. An earlier message still leaves the buffer."""
    dut = Hold(DEPTH)
    memory, taken = memory_of(dut), []
    earlier, secret = [10 + n for n in range(before)], [2**128 - 1 - n for n in range(min(count, DEPTH - before))]

    def bench():
        yield from put(dut, earlier, held=0)
        yield from put(dut, secret, held=1)
        assert {word & 2**128 - 1 for word in (yield from contents(memory))} >= set(secret)
        yield from pulse(dut.reject)
        for _ in range(len(secret) + 1):
            yield
        assert {word & 2**128 - 1 for word in (yield from contents(memory))} <= {0, *earlier}
        assert not (yield dut.busy)
        yield from read(dut, taken, 20)

    simulate(dut, bench())
    assert taken == earlier


@pytest.mark.parametrize("when", range(DEPTH + 2))
def test_a_verdict_on_an_empty_message_does_not_commit_rejected_text(when):
    """Accept an empty message while the buffer still zeroizes an earlier, rejected message: no rejected text leaves."""
    dut, taken = Hold(DEPTH), []

    def bench():
        yield from put(dut, range(1, DEPTH + 1), held=1)
        yield from [dut.reject.eq(1), dut.source.ready.eq(1)]
        yield
        yield dut.reject.eq(0)
        for _ in range(when):
            yield
        yield from pulse(dut.accept)
        yield from read(dut, taken, 3 * DEPTH)

    simulate(dut, bench())
    assert taken == []


@pytest.mark.parametrize("committed", [False, True])
def test_clear_zeroizes_every_row(committed):
    dut = Hold(DEPTH)
    memory, taken = memory_of(dut), []

    def bench():
        yield from put(dut, range(1, DEPTH), held=int(not committed))
        yield
        yield from pulse(dut.clear)
        for _ in range(DEPTH + 1):
            yield
        assert set((yield from contents(memory))) == {0} and not (yield dut.busy)
        assert (yield dut.source.data) == 0
        yield from read(dut, taken, 20)

    simulate(dut, bench())
    assert taken == []


def test_depth_is_checked():
    with pytest.raises(ValueError, match="power of two"):
        Hold(12)
