# SPDX-License-Identifier: BSD-2-Clause
import random

import pytest
from migen import READ_FIRST, ClockDomain, If, Memory, Module, Signal
from migen.genlib.cdc import MultiReg

from gateware.flow.idle import IdleEdgesLeftOut
from tests.gateware.support import Simulation

CYCLES = 4000
INPUTS = ("start", "tally", "straight", "valid", "word")
ACTIVE = 0.05  # probability that an input changes in a cycle


class Unit(Module):
    """A small unit whose state can change although no input does: a countdown, a memory with delayed reads, and a
    memory whose words are counters.
    """

    def __init__(self):
        self.start = Signal(4)
        self.tally = Signal()
        self.straight = Signal(4)
        self.valid = Signal()
        self.word = Signal(8)
        self.outputs = [Signal(8, name=f"output{n}") for n in range(5)]

        # # #

        left, steps = Signal(4), Signal(8)
        self.sync += [
            If(left != 0, left.eq(left - 1), steps.eq(steps + 1)).Else(left.eq(self.start)),
            self.outputs[0].eq(steps),
            If(self.valid, self.outputs[4].eq(self.word)),
        ]

        table = Memory(8, 16, init=[17 * n % 251 for n in range(16)])
        late = table.get_port(mode=READ_FIRST)
        address = Signal(4)
        self.specials += table, late
        self.comb += late.adr.eq(address)
        self.sync += [address.eq(self.straight), self.outputs[1].eq(late.dat_r)]

        sums = Memory(8, 2, init=[0, 0])
        port = sums.get_port(write_capable=True, async_read=True)
        self.specials += sums, port
        self.comb += [
            port.we.eq(self.tally),
            port.dat_w.eq(port.dat_r + 1),
            self.outputs[2].eq(port.dat_r),
            self.outputs[3].eq(self.straight ^ left),
        ]


class Pair(Module):
    """Two copies of a unit with the same inputs. The first copy gets every clock edge, the second only the edges that
    can change its state.

    `edges` counts the edges that the second copy gets.
    """

    def __init__(self):
        self.submodules.plain = Unit()
        self.submodules.other = other = Unit()
        self.edges = Signal(32)
        # `edges` is not part of the second copy, so a change of `edges` does not give this copy a further clock edge.
        IdleEdgesLeftOut("other", {other.word: other.valid})(other)
        self.sync.other += self.edges.eq(self.edges + 1)
        for name in INPUTS:
            self.comb += getattr(other, name).eq(getattr(self.plain, name))


def test_a_unit_does_the_same_in_every_cycle_with_idle_edges_left_out():
    pair = Pair()
    inputs = [getattr(pair.plain, name) for name in INPUTS]
    outputs = [*pair.plain.outputs, *pair.other.outputs]
    rng = random.Random(1)
    seen = set()
    with Simulation(pair, *inputs, *outputs, pair.edges) as simulation:
        for cycle in range(CYCLES):
            if rng.random() < ACTIVE:
                signal = rng.choice(inputs)
                simulation.poke({signal: rng.choice([0, 0, rng.randrange(1 << len(signal))])})
            if simulation.peek(pair.plain.valid) == 0:
                simulation.poke({pair.plain.word: rng.randrange(256)})
            simulation.clock()
            values = [simulation.peek(signal) for signal in outputs]
            assert values[:5] == values[5:], f"cycle {cycle}"
            seen.add(tuple(values[:5]))
        assert len(seen) > 200, "the unit is used"
        assert CYCLES / 10 < simulation.peek(pair.edges) < CYCLES * 0.8, "edges are left out"


class TwoClocks(Module):
    def __init__(self):
        self.clock_domains.cd_far = ClockDomain()
        self.sync.far += Signal().eq(1)


class Crossing(Module):
    def __init__(self):
        self.specials += MultiReg(Signal(), Signal())


@pytest.mark.parametrize(("unit", "named"), [(TwoClocks, "far"), (Crossing, "MultiReg")])
def test_what_cannot_be_told_to_be_idle_is_named(unit, named):
    with pytest.raises(ValueError, match=f"when it is idle: it has {named}"):
        IdleEdgesLeftOut("it", {})(unit()).get_fragment()
