# SPDX-License-Identifier: BSD-2-Clause
"""Compares the checksum that the hardware computes word by word with the Internet checksum of RFC 1071, in Migen's own
simulator.
"""

import random

import pytest
from migen import Module, Signal, run_simulation

from gateware.net.link import checksum
from tests.gateware.net import frames

INITIAL = 0x1234


def sums_of(words: list[list[int]], idle: float, initial: int) -> list[int]:
    """Send the words of several packets to the hardware. For each packet, read the sum two cycles after the packet's
    last word. Return these sums.
    """
    dut = checksum.ChecksumSum(initial=checksum.half(initial))
    rng, values = random.Random(1), []

    def bench():
        for each in words:
            for word in each:
                while rng.random() < idle:
                    yield dut.word.eq(rng.getrandbits(32))
                    yield
                yield [dut.word.eq(word), dut.add.eq(1)]
                yield
                yield dut.add.eq(0)
            yield dut.clear.eq(1)
            yield
            yield dut.clear.eq(0)
            yield
            values.append((yield dut.value))

    run_simulation(dut, bench())
    return values


@pytest.mark.parametrize("idle", [0.0, 0.4])
def test_sums(idle):
    rng = random.Random(idle)
    packets = [rng.randbytes(4 * rng.randrange(60)) for _ in range(60)]
    packets += [b"\xff" * 400, b"\xff\xff\0\0" * 9, b"\0\0\xff\xff" * 9, bytes(40), b""]
    words = [[int.from_bytes(each[n : n + 4], "little") for n in range(0, len(each), 4)] for each in packets]
    found = [int.from_bytes(value.to_bytes(2, "little"), "big") for value in sums_of(words, idle, INITIAL)]
    assert found == [frames.checksum(INITIAL.to_bytes(2, "big") + each) ^ 0xFFFF for each in packets]
    right = [each + frames.checksum(INITIAL.to_bytes(2, "big") + each).to_bytes(4, "big") for each in packets]
    words = [[int.from_bytes(each[n : n + 4], "little") for n in range(0, len(each), 4)] for each in right]
    assert set(sums_of(words, idle, INITIAL)) == {checksum.RIGHT}


def test_all_ones_leave_a_sum_as_it_is():
    assert sums_of([[0xFFFF_FFFF] * 100, [0xFFFF_FFFF, 1]], 0, 1) == [0x0100, 0x0101]


@pytest.mark.parametrize("number", [0, 1, 0x8000, 0x8001, 0xFFFF, 1448])
def test_numbers_as_halves(number):
    top = Module()
    source, target = Signal(16), Signal(16)
    top.comb += [source.eq(number), target.eq(checksum.halves(checksum.doubled(source)))]

    def bench():
        yield
        assert (yield target) % 0xFFFF == int.from_bytes((2 * number % 0xFFFF).to_bytes(2, "big"), "little") % 0xFFFF

    run_simulation(top, bench())


def test_constants():
    assert checksum.half(17 - 20) == 0xFCFF
    assert checksum.half(0x1234) == 0x3412


@pytest.mark.parametrize("initial", [0, -1, 0x10000])
def test_rejects_what_is_no_sum(initial):
    with pytest.raises(ValueError):
        checksum.ChecksumSum(initial=initial)
