# SPDX-License-Identifier: BSD-2-Clause
"""Measures the throughput of each engine, and compares it with earlier runs of the same board."""

import statistics

import pytest
from cipherlane.link.counterblocks import CounterBlocks
from cipherlane.measuring import linkbench

KEY_BITS = 128
RUNS = 3  # number of measurements; the result is their median


@pytest.mark.from_memory
def test_from_memory_to_memory(device, engine, check_figure):
    """Measure an engine's speed on data in the board's memory. The board counts the cycles; the link has no effect."""
    measured = [device.bench(engine, KEY_BITS) for _ in range(RUNS if device.info().kind == "board" else 1)]
    assert all(each.blocks * 16 == each.bytes for each in measured), "each byte was counted"
    check_figure(f"{engine.name.lower()}", statistics.median(each.mbps for each in measured))


def test_over_the_link(device, transport, identity, expected, check_figure):
    """Measure the speed of a transfer to the board and back. Each byte counts only once, although it crosses the link
    twice. The host measures the time. With a simulated board, this is simulated time.
    """
    if identity.kind == "sim" and transport == "uart":
        pytest.skip("a simulated board's UART is no faster or slower than the simulation")
    engine = min(identity.engines_of("aes"), key=lambda each: each.traits.rank)
    blocks = CounterBlocks(KEY_BITS)
    load = linkbench.Load(engine, blocks, total=expected("link_bytes"))
    measured = [linkbench.measure(device, load) for _ in range(RUNS if identity.kind == "board" else 1)]
    assert all(each.bytes == expected("link_bytes") for each in measured)
    check_figure(f"{engine.name.lower()} {transport}", statistics.median(each.goodput_mbps for each in measured))
