"""Key commands with a core that only notes what is done to it; in Migen's own simulator."""

import pytest
from litex.soc.interconnect import stream
from migen import If, Module, Signal, run_simulation

from gateware.net.key_loader import KeyLoader

SLOTS = 4
WAIT_CYCLES = 40


class _Core(Module):
    """A core's key side: a key is valid a few cycles after its last word."""

    def __init__(self):
        self.key = stream.Endpoint([("word", 32)])
        self.key_slot = Signal(2)
        self.key_length = Signal(2)
        self.key_valid = Signal(SLOTS)
        self.clear = Signal()
        self.clear_slot = Signal()
        self.key_busy = Signal()

        # # #

        left = Signal(4)
        self.comb += [self.key.ready.eq(1), self.key_busy.eq(left != 0)]
        self.sync += [
            If(left != 0, left.eq(left - 1)),
            If(self.key.valid, left.eq(5), self.key_valid.eq(self.key_valid | (1 << self.key_slot))),
            If(self.clear_slot, left.eq(3), self.key_valid.eq(self.key_valid & ~(1 << self.key_slot))),
            If(self.clear, left.eq(9), self.key_valid.eq(0)),
        ]


class _Bench(Module):
    def __init__(self):
        self.submodules.core = self.core = _Core()
        self.submodules.loader = self.loader = KeyLoader(core=self.core, slots=SLOTS, wait_cycles=WAIT_CYCLES)
        self.words = []

    def write_key(self, words):
        store = self.loader.store
        for n, word in enumerate(words):
            yield [store.index.eq(n), store.word.eq(word), store.write.eq(1)]
            yield
        yield store.write.eq(0)

    def pulse(self, signal):
        yield signal.eq(1)
        yield
        yield signal.eq(0)
        yield

    def settle(self, most: int = 60):
        for _ in range(most):
            if not (yield self.loader.busy):
                return
            yield
        raise AssertionError("a command does not end")

    def load(self, slot: int, code: int, words):
        yield from self.write_key(words)
        yield [self.loader.slot.eq(slot), self.loader.length.eq(code)]
        yield from self.pulse(self.loader.load)

    def watch(self):
        """Notes (slot, length code, word) of each word that the core takes."""
        while True:
            yield
            if (yield self.core.key.valid):
                self.words.append(
                    ((yield self.core.key_slot), (yield self.core.key_length), (yield self.core.key.word))
                )


def run(bench: _Bench, scenario):
    done = []

    def main():
        yield
        yield from bench.settle()
        yield from scenario()
        done.append(True)

    run_simulation(bench, [main(), _until(bench.watch(), done)])
    assert done


def _until(generator, done):
    """Runs a generator, as a part of the simulation, until the scenario has ended."""
    reply = None
    while not done:
        reply = yield generator.send(reply)


def test_loads_of_all_lengths_reach_their_slots():
    bench = _Bench()

    def scenario():
        for slot, (code, _) in enumerate(((0, 4), (1, 6), (2, 8))):
            yield from bench.load(slot, code, range(100 * slot, 100 * slot + 8))
            yield from bench.settle()
            assert (yield bench.loader.usable) >> slot & 1
        wanted = [(s, c, 100 * s + n) for s, (c, count) in enumerate(((0, 4), (1, 6), (2, 8))) for n in range(count)]
        assert bench.words == wanted
        yield from bench.pulse(bench.loader.load)  # nothing was written since: the words are gone
        yield from bench.settle()
        assert bench.words[len(wanted) :] == [(2, 2, 0)] * 8

    run(bench, scenario)


def test_a_slot_in_use_is_waited_for_and_withdrawn_at_once():
    bench = _Bench()

    def scenario():
        loader = bench.loader
        for slot in (1, 2):
            yield from bench.load(slot, 0, range(4))
            yield from bench.settle()
        yield loader.under_way.eq(0b0010)
        yield from bench.load(1, 0, range(10, 14))
        for _ in range(20):
            assert (yield loader.usable) == 0b0100 and (yield loader.busy)
            yield
        assert len(bench.words) == 8
        yield loader.under_way.eq(0b0100)  # another slot's datagram is nobody's concern
        yield from bench.settle()
        assert len(bench.words) == 12 and (yield loader.usable) == 0b0110
        yield loader.slot.eq(2)
        yield from bench.pulse(loader.clear_slot)
        yield
        assert (yield loader.usable) == 0b0010 and (yield bench.core.key_valid) == 0b0110
        yield loader.under_way.eq(0)
        yield from bench.settle()
        assert (yield bench.core.key_valid) == 0b0010

    run(bench, scenario)


def test_a_datagram_that_does_not_end_costs_the_key():
    """A command on its slot ends all the same; the slot holds no key, and the words that were written are gone."""
    bench = _Bench()

    def scenario():
        loader = bench.loader
        yield from bench.load(1, 0, range(4))
        yield from bench.settle()
        for loading in (True, False):
            yield loader.under_way.eq(0b0010)
            if loading:
                yield from bench.load(1, 0, range(10, 14))
            else:
                yield from bench.pulse(loader.clear_slot)
            yield from bench.settle(WAIT_CYCLES + 20)
            assert (yield bench.core.key_valid) == (yield loader.usable) == 0
            assert len(bench.words) == 4
            yield loader.under_way.eq(0)
        yield loader.slot.eq(2)
        yield from bench.pulse(loader.load)
        yield from bench.settle()
        assert [word for *_, word in bench.words[4:]] == [0] * 4

    run(bench, scenario)


@pytest.mark.parametrize("when", range(14))
def test_zeroize_ends_the_present_command_at_once(when):
    """Whatever that is waiting for; the words of its key are gone too."""
    bench = _Bench()

    def scenario():
        loader = bench.loader
        yield from bench.load(2, 0, range(20, 24))
        yield from bench.settle()
        yield loader.under_way.eq(0b0001 if when < 7 else 0)
        yield from bench.write_key(range(4))
        yield [loader.slot.eq(0), loader.length.eq(0), loader.load.eq(1)]
        yield
        yield loader.load.eq(0)
        for _ in range(when % 7):
            yield
        yield loader.clear.eq(1)
        yield
        assert (yield loader.flush) and (yield bench.core.clear) and (yield loader.usable) in (0, 0b0100)
        yield loader.clear.eq(0)
        yield
        assert not (yield loader.flush) and (yield loader.usable) == 0
        yield from bench.settle()
        assert (yield bench.core.key_valid) == 0
        yield loader.under_way.eq(0)
        taken = len(bench.words)
        yield from bench.load(3, 2, [])  # nothing was written since
        yield from bench.settle()
        assert (yield loader.usable) == 0b1000 and [word for *_, word in bench.words[taken:]] == [0] * 8

    run(bench, scenario)
