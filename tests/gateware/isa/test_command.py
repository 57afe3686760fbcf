# SPDX-License-Identifier: BSD-2-Clause
"""Test the command register in front of the CFU units: it passes every command once, in order, and loses no cycle."""

import random

import pytest

from gateware.isa.command import CommandRegister
from tests.gateware.support import Simulation, send

COUNT = 300


def run(idle: float, stall: float) -> tuple[list, list, int]:
    """Send random commands. Return the sent commands, the commands that arrived, and the number of cycles."""
    rng = random.Random(f"{idle} {stall}")
    sent = [
        {"function_id": rng.getrandbits(10), "input0": rng.getrandbits(32), "input1": rng.getrandbits(32)}
        for _ in range(COUNT)
    ]
    arrived = {name: [] for name in sent[0]}
    dut = CommandRegister()

    def watch():
        while len(arrived["function_id"]) < COUNT:
            yield dut.source.ready.eq(int(rng.random() >= stall))
            yield
            if (yield dut.source.valid) and (yield dut.source.ready):
                for name, values in arrived.items():
                    values.append((yield getattr(dut.source, name)))

    with Simulation(dut, dut.sink, dut.source) as simulation:
        simulation.run(send(dut.sink, sent, rng, idle), watch(), max_cycles=20 * COUNT)
        cycles = simulation.cycle
    return sent, [dict(zip(arrived, values, strict=True)) for values in zip(*arrived.values(), strict=True)], cycles


@pytest.mark.parametrize("idle", [0, 0.5])
@pytest.mark.parametrize("stall", [0, 0.3, 0.8])
def test_every_command_once_in_order(idle, stall):
    sent, arrived, _ = run(idle, stall)
    assert arrived == sent


def test_no_cycle_is_lost_on_a_unit_that_takes_at_once():
    assert run(0, 0)[2] <= COUNT + 2


def test_ready_waits_for_nothing_in_the_same_cycle():
    dut = CommandRegister()
    ready = []

    def bench():
        yield dut.sink.valid.eq(1)
        for value in (1, 0, 0, 1, 1):
            yield dut.source.ready.eq(value)
            yield
            ready.append((yield dut.sink.ready))

    with Simulation(dut, dut.sink, dut.source) as simulation:
        simulation.run(bench(), max_cycles=20)
    # In the first cycle in which the unit is not ready, the register still accepts one command. When the unit becomes
    # ready again, the register accepts a command only one cycle later.
    assert ready == [1, 1, 0, 0, 1]


def test_ready_while_nothing_is_offered():
    dut = CommandRegister()
    ready = []

    def bench():
        yield dut.sink.valid.eq(1)
        yield
        yield dut.sink.valid.eq(0)
        for _ in range(3):
            yield
            ready.append((yield dut.sink.ready))
        assert (yield dut.source.valid), "the command is still held"

    with Simulation(dut, dut.sink, dut.source) as simulation:
        simulation.run(bench(), max_cycles=20)
    assert ready == [1, 1, 1]
