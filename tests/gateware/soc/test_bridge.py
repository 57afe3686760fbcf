"""The register stage between two buses: every access once, data and errors as the slave gave them."""

import random

import pytest

from gateware.soc.bridge import RegisteredBridge
from tests.gateware.support import Simulation


@pytest.mark.parametrize("slow", [0, 0.7])
def test_passes_every_access_once(slow):
    rng = random.Random(slow)
    bridge = RegisteredBridge(data_width=32)
    accesses = [(rng.random() < 0.5, rng.getrandbits(30), rng.getrandbits(32), rng.getrandbits(4)) for _ in range(60)]
    seen, answers, given = [], [], []

    def master():
        bus = bridge.master
        for we, adr, data, sel in accesses:
            while rng.random() < slow:
                yield
            for signal, value in ((bus.we, we), (bus.adr, adr), (bus.dat_w, data), (bus.sel, sel)):
                yield signal.eq(int(value))
            yield bus.cyc.eq(1)
            yield bus.stb.eq(1)
            yield
            while not ((yield bus.ack) or (yield bus.err)):
                yield
            answers.append(((yield bus.err), None if we or (yield bus.err) else (yield bus.dat_r)))
            yield bus.cyc.eq(0)
            yield bus.stb.eq(0)
            if rng.random() < 0.5:
                yield

    def slave():
        bus = bridge.slave
        while True:
            yield
            answered = (yield bus.ack) or (yield bus.err)
            request = (yield bus.cyc) and (yield bus.stb) and not answered and rng.random() >= slow
            error = rng.random() < 0.2
            if request:
                value = rng.getrandbits(32)
                seen.append(((yield bus.we), (yield bus.adr), (yield bus.dat_w), (yield bus.sel)))
                given.append((int(error), None if error or (yield bus.we) else value))
                yield bus.dat_r.eq(value)
            yield bus.ack.eq(int(request and not error))
            yield bus.err.eq(int(request and error))

    with Simulation(bridge, bridge.master, bridge.slave) as simulation:
        simulation.run(master(), background=[slave()], max_cycles=5000)
    assert seen == [(int(we), adr, data, sel) for we, adr, data, sel in accesses]
    assert answers == given
