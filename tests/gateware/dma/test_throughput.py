# SPDX-License-Identifier: BSD-2-Clause
"""Test that the DMA uses most cycles of the buffer memory's port, but lets other bus masters access the memory."""

import pytest

from tests.gateware.dma.bench import ORIGIN, Descriptor
from tests.gateware.dma.throughput import BUFFER, PORT_CYCLES, T1, BufferBench, measure, measure_gcm

BURST_BEATS = 32


@pytest.fixture(scope="module")
def simulated():
    # Of all S-boxes, "block_ram" compiles fastest for simulation.
    bench = BufferBench(datapath="pipelined", sbox="block_ram", burst_beats=BURST_BEATS)
    yield bench
    bench.sim.close()


@pytest.mark.parametrize(("key_bits", "source", "destination"), [(128, 0, 0), (256, 5, 11)])
def test_nine_tenths_of_the_port(bench, key_bits, source, destination):
    assert measure(bench, "pipelined", key_bits, BUFFER // 2 - 32, source, destination).port_ratio >= 0.9


def test_descriptors_follow_each_other_without_waiting_for_an_end(bench):
    """Many short descriptors take hardly more time than one long descriptor."""
    size, count = 1024, 8
    half = BUFFER // 2
    many = [Descriptor(ORIGIN + size * n, ORIGIN + half + size * n, size, T1 + n) for n in range(count)]
    blocks = size * count // 16
    assert bench.encrypt(bytes(range(16)), many, size=half) <= PORT_CYCLES * blocks / 0.9


def test_another_master_gets_its_turn_after_a_burst(bench):
    """An access of the other bus master waits for one DMA burst at most. The DMA continues after each access."""
    waits = []

    def other():
        bus = bench.other
        for n in range(150):
            yield [bus.cyc.eq(1), bus.stb.eq(1), bus.adr.eq(n)]
            cycles = 0
            yield
            while not (yield bus.ack):
                cycles += 1
                yield
            waits.append(cycles)
            yield [bus.cyc.eq(0), bus.stb.eq(0)]
            for _ in range(n % 7):
                yield

    bench.encrypt(bytes(16), [Descriptor(ORIGIN, ORIGIN + BUFFER // 2, 8192, T1)], other(), size=BUFFER // 2)
    # The other master waits for the end of the DMA's burst. The additional cycles are a second cycle for the first word
    # of the burst, the change of the bus master, and the other master's own read.
    assert BURST_BEATS < max(waits) <= BURST_BEATS + 4


@pytest.fixture(scope="module")
def gcm_bench():
    bench = BufferBench(gcm_cycles=8, burst_beats=BURST_BEATS)
    yield bench
    bench.sim.close()


@pytest.mark.parametrize(("key_bits", "rounds"), [(128, 10), (192, 12), (256, 14)])
def test_gcm_takes_at_most_a_cycle_a_block_more_than_the_core(gcm_bench, key_bits, rounds):
    """Measure one long message, and seven short messages in a row. In decryption, the accelerator buffers each message
    until the message's tag is verified.
    """
    assert measure_gcm(gcm_bench, key_bits, 8192, 1).cycles_per_block <= rounds + 0.2
    for decrypt in (False, True):
        assert measure_gcm(gcm_bench, key_bits, 1024, 7, decrypt=decrypt).cycles_per_block <= rounds + 0.6
